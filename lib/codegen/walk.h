// Private to lib/codegen: the walk over one loop function.
//
// A value is spelt as a scalar, or, where it differs between the iterations of the vector loop around it, as a vector.
// Inside of a vector loop a *mask* says which lanes are active: all (no mask), the first few (the last strip), or those
// that took the arm of an `if` or run a round of an inner loop. Where it is not all, memory is touched by active lanes
// only, a test fails for active lanes only, and what other lanes compute is not looked at.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/known_number.h"
#include "analysis/loop_access.h"
#include "codegen/leaves.h"
#include "codegen/loop_walk.h"
#include "codegen/model_table.h"
#include "codegen/source_block.h"
#include "ir/function_facts.h"
#include "loopir/loop_ops.h"
#include "ops/formula.h"

namespace mlgc::codegen {

struct Spelled {
  SourceText text;
  int lanes = 1;
  bool bits = false;     // of a 16-bit float: as it lies in memory (walk_bits.cpp)
  bool element = false;  // no variable, but an element in its place
};

// Policy of this printer, the same for all machines: accumulators of a loop that make it a register tile.
inline constexpr std::size_t kFewestAccumulators = 4;

class OfIndex;      // walk_places.cpp
struct SharedTile;  // walk_tiles.cpp
struct TileLoops;   // likewise

// Of which 16-bit floats a number is one.
struct Halves {
  bool f16 = false, bf16 = false;
  [[nodiscard]] bool has(Dtype half) const { return half == Dtype::F16 ? f16 : bf16; }
  [[nodiscard]] Halves and_also(Halves other) const { return {f16 && other.f16, bf16 && other.bf16}; }
};

class Walk {
 public:
  Walk(OpRef func, std::string name, const Leaves& leaves);
  PrintedFunction run();
  // The same for a driver: a function of one `mlgc_call`.
  PrintedFunction run_driver(const DriverTables& tables);

 private:
  // The vector loop that is being printed.
  struct Strip {
    int lanes;
    Value index;
    SourceText base, base_lanes;  // the index of lane 0, and of all of them
    SourceText count, mask;       // of the last strip: how many lanes are active, and which
  };
  // A buffer of named values: one for each constant subscript, in row-major order.
  struct Named {
    int lanes = 1;  // of each
    std::optional<std::size_t> vector_axis;
    std::vector<std::int64_t> sizes;   // of each axis; 1 of the vector axis
    std::vector<SourceText> elements;  // vectors, where there is an axis of them
    bool swapped = false;              // the text's axes are those of the names in the other order
  };
  // Buffers that threads read and write.
  struct Touched {
    std::unordered_set<ValueId> reads, writes;
    void add(const Touched& other);
  };
  // The kernel of a grid that is being printed.
  struct Kernel {
    bool block_each;                        // a block runs an iteration; else one thread does
    int threads;                            // of a block
    std::unordered_set<ValueId> exchanged;  // buffers that its threads write and read
    std::unordered_set<ValueId> brought;    // scalars from outside that it has
    std::optional<Value> lane;              // the index of the vector loop that is being printed
    Touched since_barrier;                  // of `exchanged`
  };
  // What a subscript is along the lanes: uniform + step * lane.
  struct Along {
    bool linear = true;
    IndexExpr step;
  };

  // --- text and names (loop_walk.cpp)
  void line(SourceText text) { source_.line(std::move(text)); }
  std::string sanitized(std::string_view name) const;
  std::string unused_name(std::string_view wanted);
  SourceText variable(std::string name);
  SourceText fresh(std::string_view wanted) { return variable(unused_name(wanted)); }
  SourceText fresh(Value v);
  static std::string_view index_name(ForRef loop) { return loop.index().name().empty() ? "i" : loop.index().name(); }
  SourceText fresh_index(ForRef loop) { return fresh(index_name(loop)); }
  const Spelled& spelled(Value v) const;
  SourceText widened(const Spelled& value, Dtype dtype, int lanes);
  Spelled temporary(Dtype dtype, const Spelled& value);
  void declare(Value v, const Spelled& value);
  Dtype dtype_of(Value v) const;
  [[noreturn]] void refuse(OpRef op, const std::string& what) const;
  std::string head_comment() const;
  std::string text_comment() const;
  static std::string commented(std::string line);

  // --- functions, nests and control flow (loop_walk.cpp)
  void region(RegionRef r);
  void one(OpRef op);
  void check(CheckRef check);
  void literal(LiteralRef literal);
  void loop(OpRef op);
  void serial_loop(ForRef loop);
  void masked_loop(ForRef loop);
  void unrolled_loop(ForRef loop);
  void vector_loop(ForRef loop);
  void strip(ForRef loop, const std::vector<SourceText>& carried);
  SourceText given(RegionRef arm, std::size_t i, const Spelled& to);
  void branch(OpRef op);
  void masked_branch(OpRef op);
  void while_loop(OpRef op);
  void assign(const std::vector<SourceText>& to, const std::vector<Dtype>& dtypes, std::vector<Spelled> values);
  void carry_on(ForRef loop, const std::vector<SourceText>& carried, const SourceText& mask);
  void find_varying(ForRef vector_loop);
  bool mark(RegionRef r);
  void allocate(OpRef op);
  bool has_lanes_along(Value buffer, std::size_t axis, std::int64_t lanes) const;
  std::vector<SourceText> start_carried(ForRef loop);
  std::vector<SourceText> start_lanes(ForRef loop, int lanes);
  ExprId step_of(ForRef loop, std::size_t i);
  SourceText bound(const SourceText& value, std::string_view stem);

  // --- loops that are functions of their own (walk_functions.cpp)
  bool names_registers_around(OpRef op) const;
  std::vector<TypedName> variables_around(OpRef op) const;
  void parallel_loop(ForRef loop);
  std::int64_t grain(ForRef loop) const;
  bool stands_apart(ForRef loop);
  void nest_apart(ForRef loop);

  // --- register tiles that kernels share (walk_tiles.cpp)
  bool starts_tiles(Value v) const;
  bool shared_tile(ForRef loop);
  std::optional<SharedTile> find_shared_tile(ForRef loop);
  bool read_levels(LoopAccess& shown, SharedTile& tile);
  std::optional<std::pair<std::int64_t, std::int64_t>> counts_by_round(IndexExpr count, AtomId letter,
                                                                       std::int64_t rounds);
  std::vector<OpRef> stores_of_tile(ForRef loop);
  IndexExpr place_over_loops(LoopAccess& shown, OpRef op);
  std::int64_t panel_ahead(LoopAccess& shown, const TileLoops& found);
  std::optional<IndexExpr> distance_between(LoopAccess& shown, const std::vector<OpRef>& accesses,
                                            const std::vector<ForRef>& loops);
  bool is_of_symbols(IndexExpr e) const;

  // --- grids (walk_grid.cpp)
  void host_region(RegionRef r);
  void host_loop(ForRef loop);
  bool host_knows_bounds(OpRef loop) const;
  bool is_host_loop(OpRef op) const;
  bool is_portable(Value v) const;
  void bring(Value v, std::span<const OpRef> inside);
  void kernel(std::span<const OpRef> ops, bool block_each, int threads, const SourceText& iterations,
              const std::function<void()>& print);
  void one_block(std::span<const OpRef> ops);
  void grid_loop(OpRef op);
  void thread_loop(ForRef loop);
  bool is_nest_of_driver(OpRef op) const;
  void nest_of_driver(OpRef op);
  SourceText combined(ForRef loop, std::size_t i, const SourceText& own);
  bool is_uniform() const { return kernel_ && kernel_->block_each && !kernel_->lane; }
  Touched touched(OpRef op) const;
  bool meets(const Touched& next) const;
  void barrier();
  void before_touching(const Touched& next);
  static bool is_innermost(OpRef loop);
  bool repeats_a_round(ForRef loop) const;
  void uniform_loop(OpRef op, const std::function<void()>& print);

  // --- drivers (walk_driver.cpp)
  void pointer(Value v, Dtype dtype, bool written, const SourceText& place);
  void symbol(std::size_t number);
  SourceText memory_at(std::size_t buffer) const;
  void outputs_of_stage(std::size_t stage);
  void bind_size(OpRef op);
  void planned_buffer(OpRef op);
  void data(OpRef op);
  void launch(OpRef op);
  void external(OpRef op, std::size_t number);

  // --- index expressions and addresses (walk_index.cpp)
  IndexExpr resolved(OpRef op, IndexExpr e);
  Spelled index(OpRef op, IndexExpr e);
  Spelled atom(OpRef op, AtomId id);
  std::optional<SourceText> plain_division(OpRef op, const Atom& atom, const SourceText& dividend);
  Along along(OpRef op, IndexExpr e);
  SourceText offset(OpRef op, Value buffer);
  Spelled offset_vector(OpRef op, Value buffer);
  void check_subscripts(OpRef op, Value buffer);
  SourceText element(OpRef op, Value buffer);
  bool is_varying(OpRef op);
  std::optional<LaneAccess> lane_access(OpRef op, Value buffer);
  bool has_room(OpRef op, Value buffer);
  SourceText mask_or_all();
  std::optional<Spelled> run_of_lanes(OpRef op, IndexExpr e);
  Spelled all_not_negative(OpRef op);
  std::optional<SourceText> named_place(OpRef op, Value buffer);
  void transpose_in_place(TransposeInPlaceRef op);
  void write_transposition(Value buffer);
  void write_transpositions_for(OpRef op);
  static bool is_straight(OpRef op);
  void load(OpRef op);
  void store(OpRef op);

  // --- places by tables (walk_places.cpp)
  SourceText numbers(std::string_view type, std::string_view stem, const std::vector<std::int64_t>& values);
  OfIndex of_strip(OpRef op);
  bool is_known_inside(OpRef op, IndexExpr e, IndexExpr size);
  std::optional<LaneAccess> table_access(OpRef op, Value buffer);
  std::pair<IndexExpr, IndexExpr> parts_of_place(OpRef op, Value buffer);
  SourceText places_in_memory(OpRef op, IndexExpr varying);

  // --- elements that iterations share (walk_rereads.cpp). What was called otherwise is to be called so again.
  std::vector<std::pair<ValueId, Spelled>> name_anew(ForRef loop);
  std::int64_t taps_of(ForRef loop);
  bool meet_in_sum(LoopAccess& shown, ForRef innermost, OpRef a, OpRef b);

  // --- 16-bit floats as they lie in memory (walk_bits.cpp)
  bool is_kept_as_bits(Value v) const;
  std::string type_of(Dtype dtype, const Spelled& value) const;
  Spelled as_bits(const Spelled& value, Dtype dtype) const;
  Halves halves_of(ExprId e, OpRef op) const;
  static Halves halves_of(Dtype dtype, double number);
  Halves halves_of(Value v) const;
  std::optional<Spelled> rounded(OpRef op, ExprId e, const std::vector<Spelled>& operands);

  // --- scalar expressions (walk_value.cpp)
  Spelled expression(ExprId e, const std::vector<Spelled>& operands);
  std::optional<Spelled> short_index(OpRef op);
  void scalar(OpRef op);
  void fma(FmaRef op);
  void bits(BitsRef op);
  bool is_factor_in_place(OpRef load);
  void fail_if(const Spelled& condition, const std::string& message, const std::vector<SourceText>& values);

  OpRef func_;
  std::string name_;  // as printed
  const Leaves& leaves_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& pool_;
  std::string bodies_;  // functions in front of this one
  SourceBuilder source_;
  std::size_t next_value_ = 0, next_temporary_ = 0, loops_ = 0, nests_apart_ = 0;
  std::set<std::string> used_;
  std::uint32_t next_variable_ = static_cast<std::uint32_t>(VariableId::FirstOfFunction);
  std::unordered_map<ValueId, Spelled> names_;
  std::unordered_map<ValueId, std::int64_t> constants_;  // indices of unrolled loops
  std::unordered_map<ValueId, Named> named_;
  std::vector<Value> transpositions_;  // squares of vectors that are to be transposed before they are touched again
  std::unordered_map<AtomId, SourceText> symbol_names_;
  std::unordered_set<ValueId> varying_;
  std::optional<Strip> strip_;
  std::unordered_map<ValueId, Halves> halves_;
  std::unordered_map<ValueId, SourceText> in_memory_;  // vectors of i64: where they were loaded from
  SourceText mask_;                                    // empty: all lanes are active
  bool first_lane_ = false;                            // indices of the strip are spelt for lane 0
  bool in_body_ = false, streams_ = false;
  bool is_apart_ = false;                      // a nest is being printed as a function of its own
  std::map<std::string, std::string> shared_;  // functions that other kernels may share, by name
  std::unordered_set<OpId> stored_by_tile_;    // stores that a call in front of them does
  OpRef shared_loop_;                          // whose body is being printed, by threads
  std::unordered_map<OpId, bool> has_tile_;    // whether a printed function has a register tile
  std::optional<bool> chooses_stream_;         // whether a store of the function goes past the caches at some sizes
  IndexExpr memory_, scratch_;
  bool takes_memory_ = false;
  std::unordered_map<OpId, IndexExpr> places_;  // of each `alloc`
  const DriverTables* tables_ = nullptr;        // of a driver
  FunctionFacts facts_;
  KnownNumbers known_;

  // Of grids.
  const GridLeaves* grid_ = nullptr;
  std::optional<Kernel> kernel_;
  bool tested_ = false;                            // a kernel of the function can fail
  std::vector<TypedName> host_names_;              // what kernels may be given
  std::unordered_map<ValueId, SourceText> slots_;  // memory through which scalars go between kernels
  std::unordered_set<ValueId> host_values_;        // indices of loops of the host
};

}  // namespace mlgc::codegen
