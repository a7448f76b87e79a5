// Private to lib/loops: the state of lowering one formula. Expressions are in lower_expression.cpp, conditions and the
// distribution of guards over nests in lower_guard.cpp, reductions in lower_reduce.cpp, statements in lower.cpp.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formula/formula.h"
#include "fusion/fusion_kernel.h"
#include "ir/builder.h"
#include "loopir/subscripts.h"
#include "ops/scalar_ops.h"

namespace mlgc::loops {

// A conjunct of a guard: 0 <= index where `is_index`, else any condition.
struct Conjunct {
  bool is_index = false;
  IndexExpr index;
  ExprId condition;
};

// Where the conjuncts of a guard act in a nest over `letters`: as bounds of a loop, or in front of what is inside it.
struct Nest {
  struct Level {
    IndexExpr from, to;            // of the loop at this level
    std::vector<IndexExpr> known;  // conjuncts that its bounds make true
    std::vector<Conjunct> guards;  // tested right inside it
  };
  std::vector<AtomId> letters;
  std::vector<Conjunct> outside;  // tested in front of the whole nest
  std::vector<Level> levels;      // one for each letter
};

class Lowering {
 public:
  Lowering(Module& module, const Formula& formula, const Facts& facts);
  // Each statement by itself.
  OpRef run(std::string_view name);
  // Rows first, and in each row its steps (lower_kernel.cpp). The formula is the kernel's.
  OpRef run(std::string_view name, const FusionKernel& kernel);

 private:
  using Values = std::vector<Value>;
  // Makes the ops of a region and returns what it yields.
  using Body = std::function<Values(const Values& carried)>;

  // --- ops (lower.cpp)
  // Scalars of 16-bit floats are held in f32.
  [[nodiscard]] static Dtype held(Dtype dtype);
  [[nodiscard]] Type scalar(Dtype dtype) { return types_.scalar(dtype); }
  Value apply(ScalarFn fn, std::initializer_list<Value> operands, Dtype result);
  Value choose(Value condition, Value yes, Value no);
  Value cast(Value value, Dtype to);
  // The value of the 16-bit dtype that it holds; an invalid handle where it holds a computed one.
  Value unheld(Value value, Dtype to);
  Value constant(Dtype dtype, double real, std::int64_t integer);
  Value applied(IndexExpr e);  // as i64
  Value guard(std::span<const IndexExpr> conditions);
  void check(std::span<const IndexExpr> conditions, std::string_view message);
  Values loop(AtomId letter, IndexExpr from, IndexExpr to, bool parallel, const Values& initial, const Body& body);
  Values branch(Value condition, const Values& otherwise, const std::function<Values()>& then);
  Values branch(Value condition, std::span<const Type> types, const std::function<Values()>& then,
                const std::function<Values()>& otherwise);
  // Of the buffer that holds the tensor, which may be a row of it.
  [[nodiscard]] std::vector<IndexExpr> stored_subscripts(TensorId tensor, std::span<const IndexExpr> subscripts) const;
  Value load(TensorId tensor, std::span<const IndexExpr> subscripts, bool checked);
  void store(Value value, TensorId tensor, std::span<const IndexExpr> subscripts, bool checked);

  // --- statements (lower.cpp)
  OpRef declare(std::string_view name, std::span<const TensorId> arguments);
  void all_statements();
  void statement(const Statement& st);
  void initialise(const Statement& st);
  void write(const Statement& st);

  // --- expressions (lower_expression.cpp)
  Value emit(ExprId e);
  Value emit_new(ExprId e);
  Value emit_read(ExprId e);
  [[nodiscard]] std::optional<ExprId> inner_selection(std::span<const ExprId> args) const;
  Value emit_select(ExprId e);
  // The expression over values: letters and data-dependent parts become operands, which are appended.
  IndexExpr over_values(IndexExpr e, SubscriptBuilder& builder);
  // The expressions as the brackets of an op; the values in them are appended to its operands.
  Attribute brackets(std::span<const IndexExpr> expressions, Values& operands);
  // Evaluating it can neither fail nor cost a loop: it may be computed where nobody asks for it.
  bool speculatable(ExprId e);
  bool speculatable(IndexExpr e);
  bool is_known(IndexExpr e);  // 0 <= e holds here
  // Which subscripts are not known to be inside the tensor: 0 <= each of them is to be tested.
  std::vector<IndexExpr> open_bounds(TensorId tensor, std::span<const IndexExpr> subscripts);

  // --- guards (lower_guard.cpp)
  void conjuncts(ExprId condition, std::vector<Conjunct>& out);
  Value emit_condition(std::span<const Conjunct> conjuncts);
  IndexExpr without_quotient(IndexExpr e, AtomId letter);
  Nest plan_nest(std::span<const AtomId> letters, ExprId guard);
  bool bound_by_data(ExprId condition, AtomId letter, Nest::Level& place);
  // Runs the nest with carried values through `body`, which is called once.
  Values nest(const Nest& plan, bool parallel, const Values& initial, const Body& body);
  Values nest_level(const Nest& plan, std::size_t level, bool parallel, const Values& carried, const Body& body);
  Values guarded(std::span<const Conjunct> guards, const Values& carried, const std::function<Values()>& then);

  // --- reductions (lower_reduce.cpp)
  // What a reduction carries through its nest.
  struct Accumulator {
    ReduceParts parts;
    Dtype type = Dtype::F32, result = Dtype::F32;
    IndexExpr position;  // of an element among all, for the arguments of extrema
    Values initial;
  };
  Accumulator start_reduce(ExprId e);
  // Of the positions that an argument of an extremum carries.
  [[nodiscard]] Dtype position_dtype(const ReduceParts& parts);
  Value end_reduce(const Accumulator& of, const Values& reduced);
  Value emit_reduce(ExprId e);
  Values step(const ReduceParts& parts, Dtype type, IndexExpr position, const Values& carried);

  // --- kernels (lower_kernel.cpp)
  // Loops that statements of one step share: one for each axis.
  struct SharedNest {
    struct Part {
      std::size_t statement = 0;
      ExprId reduce;         // of a statement that is one value of a row: a reduction in it; else the statement itself
      bool running = false;  // `reduce` goes along the innermost loop: the statement itself too, after each step
    };
    std::vector<AtomId> letters;  // of the first part
    std::vector<Part> parts;
  };
  struct Step {
    std::vector<std::size_t> statements;
    std::vector<SharedNest> nests;
  };
  std::vector<Step> plan_steps();
  void share(Step& step, std::span<const AtomId> letters, SharedNest::Part part);
  std::vector<ExprId> shared_reductions(ExprId body);
  void row_loops(std::size_t depth, const std::vector<Step>& steps);
  void row(const std::vector<Step>& steps);
  void run_nest(const SharedNest& shared, std::size_t depth, Values& carried, std::vector<Accumulator>& accumulators);
  void element(const Statement& st, Value value);
  [[nodiscard]] bool is_row(AtomId letter) const;
  [[nodiscard]] bool is_unit(AtomId letter) const;  // it is 0 always, and has no loop
  // Every letter of the axis is the index; those that were not open are noted.
  void bind(std::uint32_t axis, Value index, std::vector<AtomId>& bound);

  Module& module_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& pool_;
  const Formula& formula_;
  const Facts& facts_;
  const ScalarOps& scalars_;
  Builder builder_;
  std::vector<Value> buffers_;  // by tensor
  std::unordered_map<AtomId, Value> letters_;
  std::vector<std::unordered_map<ExprId, Value>> values_;  // one map per open region
  std::vector<IndexExpr> known_;                           // 0 <= each holds here
  std::uint32_t next_letter_;                              // numbers beyond those of the formula

  // Of a kernel.
  const KernelFormula* kernel_ = nullptr;
  KernelShape shape_;
  std::vector<AtomId> all_letters_;               // of statements and reductions
  std::unordered_map<TensorId, Value> elements_;  // computed here: the value that a read of it is
  std::vector<std::vector<bool>> in_row_;  // by tensor, by dim: rows run over it, so that a row's buffer lacks it
  std::vector<bool> stored_;               // by tensor: some other nest reads it
};

}  // namespace mlgc::loops
