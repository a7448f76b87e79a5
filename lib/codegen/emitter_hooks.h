// What a back end supplies to the emitter of functions (print_function.h): the text of types, numbers, conversions,
// scalar functions and memory accesses. The emitter owns statements, names, control flow and addresses.
//
// A value has lanes: 1 (a scalar), or as many as the vector loop around it, where it differs between iterations. The i1
// of more than one lane are masks, of which a back end has one type for each number of lanes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emitter/source_text.h"
#include "formula/scalar_function.h"
#include "tensor/dtype.h"

namespace mlgc::codegen {

// A variable and its type.
struct TypedName {
  std::string type;
  SourceText name;
};

// How the lanes of a load or store lie in memory.
struct LaneAccess {
  enum class Kind : std::uint8_t {
    Whole,         // consecutive elements, all of them
    Part,          // consecutive, the first `count` lanes
    Masked,        // consecutive, where the mask is set
    Every,         // `count` elements apart, all of them
    EveryMasked,   // likewise, where the mask is set
    EveryPart,     // `at` elements apart, the first `count` lanes
    Reversed,      // of a load: consecutive downwards, the first lane at the pointer
    ReversedPart,  // likewise, the first `count` lanes
    Lanes,         // lane l at pointer[at[l]], where the mask is set; of a load without one in all of them
    LanesPart,     // likewise, the first `count` lanes of a load
    Table,         // of a load: lane l at pointer[at[l]] of an array of integers, all of them
    // Likewise, groups of eight lanes near each other: lane l at pointer[count[l/8] + number at[l]], of so many
    // elements.
    NearEight,
    NearSixteen,
  };
  Kind kind = Kind::Whole;
  SourceText pointer;
  SourceText count;  // also the stride
  SourceText at;     // of Lanes: a vector of i64; of Table and Near…: an array; of EveryPart: the stride
  SourceText mask;   // of Masked, EveryMasked and Lanes
  bool stream = false;
  SourceText stream_where;  // a condition; empty: always
  bool bits = false;        // of 16-bit floats: the value is their bits
};

// A tile of a product for the matrix unit: its rows and columns, and how many parts of the factors are in shared memory
// at a time. Of each factor either terms are contiguous, or rows (of the right factor: columns) are.
struct MatrixTile {
  Dtype dtype = Dtype::BF16;
  std::int64_t rows = 0, columns = 0, stages = 0;
  bool left_by_terms = true, right_by_terms = true;
  // Of windows of images (analysis/factor_windows.h) whose places have so many terms, in boxes: else 0, and 64.
  std::int64_t place_terms = 0, box_terms = 64;
};
// The sums of a tile as they are given: parts of so many rows and columns, next to each other or below each other.
struct MatrixPart {
  std::int64_t rows = 0, columns = 0, count = 1;
};
// The first element of a factor in a tile, the distance of those that are not contiguous, and how many rows or columns
// there are, which may be fewer than the tile has.
// Of a factor that is gathered, instead of a distance: functions of a line (a row, or a column) and of a term that say
// what each adds to the place and to numbers, none of which may be negative or more than `most` of it.
struct MatrixGather {
  SourceText line, term;
  SourceText first_line, end_line, first_term, end_term;
  std::vector<SourceText> most;
  bool narrow = false;  // the functions are in 32 bits
  bool in_pieces = false;
};
struct MatrixFactor {
  SourceText pointer, stride, lines;
  std::optional<MatrixGather> gather = std::nullopt;
};

class TensorTileHooks;

// A tile of queries for the matrix unit (analysis/attention_nest.h): their number, how many elements a query and a key
// have at most, and how many columns a value has.
struct AttentionTile {
  Dtype dtype = Dtype::BF16;
  std::int64_t rows = 0, terms = 0, columns = 0;
};
// Of the first tile of a block: queries, keys, values; the number of the first query, how many tiles of keys it goes
// through, how much larger than a query's number that of a key may be, what queries and values have, and the score of a
// query, a key and their product as a function.
struct AttentionFactors {
  MatrixFactor queries, keys, values;
  SourceText first, tiles, seen, terms, columns, score;
};

// Further hooks of a back end in which lanes are threads: a nest is a kernel that blocks of threads run.
class GridHooks {
 public:
  GridHooks() = default;
  GridHooks(const GridHooks&) = delete;
  GridHooks& operator=(const GridHooks&) = delete;
  virtual ~GridHooks() = default;

  // Called where the code of a kernel begins, and with false where it ends: the hooks of a host function write both
  // sides.
  virtual void inside_kernel(bool inside) const = 0;
  // The head of a kernel for blocks of so many threads at most, without its parameters. One that `asks` has two
  // instances: the host chooses that of aligned pieces, where each of the pointers is aligned.
  [[nodiscard]] virtual std::string kernel_head(std::string_view name, int threads, bool asks) const = 0;
  [[nodiscard]] virtual SourceText kernel_instance(const std::vector<SourceText>& pointers,
                                                   std::string_view name) const = 0;
  // Numbers of the thread in its block and of the block; how many blocks there are.
  [[nodiscard]] virtual std::string_view thread() const = 0;
  [[nodiscard]] virtual std::string_view block() const = 0;
  [[nodiscard]] virtual std::string_view blocks() const = 0;
  // A group is a warp or a part of one, of so many threads. Numbers of the group in its block, and of the thread in its
  // group; a statement that lets no thread of a warp go on before all are there.
  [[nodiscard]] virtual std::string group(int threads) const = 0;
  [[nodiscard]] virtual std::string thread_of_group(int threads) const = 0;
  [[nodiscard]] virtual std::string_view barrier_of_warp() const = 0;
  // What stands in front of a loop whose iterations should be several at a time; and of a parameter of the type, where
  // no other parameter names the same memory.
  [[nodiscard]] virtual std::string_view unroll() const = 0;
  [[nodiscard]] virtual std::string alone(std::string_view type) const = 0;
  // A type of 32 bits without sign; an integer from 0 on that fits in it, and a number, as one.
  [[nodiscard]] virtual std::string_view narrow_type() const = 0;
  [[nodiscard]] virtual SourceText narrow(const SourceText& integer) const = 0;
  [[nodiscard]] virtual SourceText narrow_literal(std::int64_t number) const = 0;
  // An integer that fits in 32 bits with a sign, as one of these.
  [[nodiscard]] virtual SourceText narrow_signed(const SourceText& integer) const = 0;
  // What stands in front of a loop of a constant number of iterations, all of which are written out.
  [[nodiscard]] virtual std::string_view unroll_all() const = 0;
  // A piece of so many neighbouring elements, whose member `values` is an array; one that is read from a pointer to its
  // first element, and a statement that writes one from an element of a buffer on; `asked`: aligned in one of the two
  // instances of the kernel. Numbers as a piece of 16-bit floats.
  [[nodiscard]] virtual std::string piece_type(Dtype dtype, int count) const = 0;
  [[nodiscard]] virtual SourceText read_piece(int count, const SourceText& pointer, bool asked) const = 0;
  // Likewise, from where pieces mostly do not begin.
  [[nodiscard]] virtual SourceText read_parts(int count, const SourceText& pointer) const = 0;
  [[nodiscard]] virtual SourceText write_piece(const SourceText& buffer, const SourceText& place,
                                               const SourceText& piece, bool asked) const = 0;
  // Likewise a row's pieces, wherever it begins: so many threads of a warp next to each other have neighbouring ones.
  // All threads of the warp run the statement, those write that hold a piece, as all before them in the row do.
  [[nodiscard]] virtual SourceText write_row_piece(int threads, const SourceText& buffer, const SourceText& place,
                                                   const SourceText& piece, const SourceText& holds) const = 0;
  [[nodiscard]] virtual SourceText rounded_piece(Dtype dtype, const SourceText& numbers) const = 0;
  // The place where the condition holds, 0 where it does not, without a jump around what computes it.
  [[nodiscard]] virtual SourceText place_if(const SourceText& condition, const SourceText& place) const = 0;
  // The exactly rounded quotient of two f32, where a thread divides several by the same one; one that is `for_halves`
  // reaches nothing but 16-bit floats (half_results.h).
  [[nodiscard]] virtual SourceText divide_by_invariant(const SourceText& a, const SourceText& b,
                                                       bool for_halves) const = 0;
  // A function of an f32 that reaches nothing else; empty: there is no shorter one. Of 1 + erf(a) likewise.
  [[nodiscard]] virtual SourceText call_for_halves(ScalarFn fn, const SourceText& a) const = 0;
  [[nodiscard]] virtual SourceText one_plus_erf_for_halves(const SourceText& a) const = 0;
  // A statement that lets no thread of a block go on before all are there.
  [[nodiscard]] virtual std::string_view barrier() const = 0;
  // The combine tree over the values of the first `lanes` threads of a block, or of each group, where all groups of a
  // warp call it; `op` is a function of
  // two of them. A kernel that combines those of blocks begins with the statement start_rounds().
  [[nodiscard]] virtual SourceText combine(int lanes, const SourceText& value, const SourceText& op) const = 0;
  [[nodiscard]] virtual SourceText combine_in_group(int lanes, int threads, const SourceText& value,
                                                    const SourceText& op) const = 0;
  // The same for each column, where a block has `columns` threads next to each other for each lane. It has barriers,
  // which all threads of the block reach.
  [[nodiscard]] virtual SourceText combine_across(int lanes, int columns, const SourceText& value,
                                                  const SourceText& op) const = 0;
  [[nodiscard]] virtual SourceText start_rounds() const = 0;
  // A function of two values of one type as an operand of combine(): statements, and what it returns.
  [[nodiscard]] virtual SourceText function_of_two(std::string_view type, const SourceText& a, const SourceText& b,
                                                   const SourceText& statements, const SourceText& result) const = 0;
  // Statements of a kernel that declare `scratch`: of a block, of a group in shared memory, or of one thread of
  // `threads` where each has its own.
  [[nodiscard]] virtual std::string scratch_of_block() const = 0;
  [[nodiscard]] virtual std::string scratch_of_group(int threads) const = 0;
  [[nodiscard]] virtual std::string scratch_of_thread(int threads) const = 0;
  // Whether so many bytes of scratch of each block of the kernel fit in shared memory, as a condition of the host.
  [[nodiscard]] virtual SourceText fits_on_chip(const SourceText& kernel, const SourceText& bytes) const = 0;
  // The matrix unit: threads of a block that compute a tile, and the bytes of shared memory that they take.
  [[nodiscard]] virtual int matrix_threads(const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual std::int64_t matrix_bytes(const MatrixTile& tile) const = 0;
  // A statement that declares the function `name` of a line or a term of a gathered factor, in 32 bits or in 64.
  [[nodiscard]] virtual SourceText matrix_offset(const SourceText& name, const SourceText& parameter, bool narrow,
                                                 const SourceText& place,
                                                 const std::vector<SourceText>& asked) const = 0;
  // Statements that declare and compute the sums of the thread, with the memory at `memory`, once all threads are done
  // with it. How many parts the sums are given in, one after the other; a statement that declares `name`, the address
  // of a part in the memory, after which all threads may read it. An expression: the address of a sum, after which
  // those of its row follow.
  [[nodiscard]] virtual std::vector<SourceText> matrix_sums(const MatrixTile& tile, const SourceText& sums,
                                                            const SourceText& memory, const MatrixFactor& left,
                                                            const MatrixFactor& right,
                                                            const SourceText& terms) const = 0;
  [[nodiscard]] virtual MatrixPart matrix_part(const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual SourceText matrix_part_sums(const MatrixTile& tile, const SourceText& name,
                                                    const SourceText& sums, const SourceText& memory,
                                                    const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText matrix_sum(const MatrixTile& tile, const SourceText& name, const SourceText& row,
                                              const SourceText& column) const = 0;
  // Null: the device copies nothing by itself.
  [[nodiscard]] virtual const TensorTileHooks* tensor_tiles() const { return nullptr; }
  // Likewise attention: threads of a block, bytes, the sums of a tile; an expression: the total of the exponentials of
  // a row.
  [[nodiscard]] virtual int attention_threads() const = 0;
  // A block takes this many queries of a tile at a time, since it has their sums in registers.
  [[nodiscard]] virtual std::int64_t most_queries_at_once(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual std::int64_t attention_bytes(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual SourceText attention_sums(const AttentionTile& tile, const SourceText& name,
                                                  const SourceText& memory, const AttentionFactors& factors) const = 0;
  [[nodiscard]] virtual SourceText attention_sum(const AttentionTile& tile, const SourceText& name,
                                                 const SourceText& row, const SourceText& column) const = 0;
  [[nodiscard]] virtual SourceText attention_total(const AttentionTile& tile, const SourceText& name,
                                                   const SourceText& row) const = 0;
  // Where a function of the numbers of a query and of a key, and of their product, begins in a kernel.
  [[nodiscard]] virtual SourceText score_head(const SourceText& name, const SourceText& query, const SourceText& key,
                                              const SourceText& product) const = 0;
  // The first statement of a kernel, which touches nothing before: it waits for earlier kernels, where the device may
  // start it before they have ended.
  [[nodiscard]] virtual SourceText begin_kernel() const = 0;
  // A statement of a kernel that ends it where an earlier one failed.
  [[nodiscard]] virtual SourceText end_after_failure() const = 0;
  // A statement of the host; `shared` are bytes of shared memory for each block.
  [[nodiscard]] virtual SourceText launch(const SourceText& kernel, const SourceText& blocks, int threads,
                                          const SourceText& shared, const SourceText& arguments) const = 0;
};

// Further hooks of a back end in which one instruction adds two products of bf16 to each sum of a vector. The first of
// two terms is the high half of 32 bits.
class PairHooks {
 public:
  PairHooks() = default;
  PairHooks(const PairHooks&) = delete;
  PairHooks& operator=(const PairHooks&) = delete;
  virtual ~PairHooks() = default;

  // Of a pair of terms of a row, and of a vector of pairs.
  [[nodiscard]] virtual std::string_view type() const = 0;
  [[nodiscard]] virtual std::string vector_type(int lanes) const = 0;
  // A statement that makes pairs of so many terms, which lie one after the other; an odd last one is with a zero.
  [[nodiscard]] virtual SourceText copy(const SourceText& to, const SourceText& from,
                                        const SourceText& terms) const = 0;
  // A vector of pairs, from where their first terms lie, and their second ones; empty: zeros. With a count the first of
  // the lanes, and zeros.
  [[nodiscard]] virtual SourceText load(int lanes, const SourceText& first, const SourceText& second,
                                        const SourceText& count) const = 0;
  // The sums and two more products of each: the first terms, then the second ones, each rounded once.
  [[nodiscard]] virtual SourceText add(const SourceText& pair_of_row, const SourceText& pairs,
                                       const SourceText& sums) const = 0;
};

class EmitterHooks {
 public:
  EmitterHooks() = default;
  EmitterHooks(const EmitterHooks&) = delete;
  EmitterHooks& operator=(const EmitterHooks&) = delete;
  virtual ~EmitterHooks() = default;

  // Null: lanes are those of vectors, of which there are so many at most.
  [[nodiscard]] virtual const GridHooks* grid() const { return nullptr; }
  [[nodiscard]] virtual int most_lanes() const = 0;
  // Null: products of bf16 are those of f32.
  [[nodiscard]] virtual const PairHooks* pairs() const { return nullptr; }
  // Whether the runtime shares the iterations of parallel loops among threads; else they are serial loops.
  [[nodiscard]] virtual bool shares_loops() const { return true; }
  // What each function takes first.
  [[nodiscard]] virtual std::vector<TypedName> context() const = 0;
  // The statements with which a host function begins and ends.
  [[nodiscard]] virtual std::vector<SourceText> begin_host_function() const = 0;
  [[nodiscard]] virtual SourceText end_host_function() const = 0;
  // A statement that calls a function and returns what it returns, unless that is 0.
  [[nodiscard]] virtual SourceText call_or_return(std::string_view function, const SourceText& arguments) const = 0;
  // A statement of a host function in front of launch `number`; may be empty. One that tells the runtime a size, by its
  // number; empty: there is none.
  [[nodiscard]] virtual SourceText note_launch(std::size_t number) const = 0;
  [[nodiscard]] virtual SourceText bind_size(std::size_t number, const SourceText& value) const = 0;
  // A statement in front of what a host function decides by values that kernels computed; may be empty.
  [[nodiscard]] virtual SourceText before_deciding() const { return {}; }

  // What stands in front of a function's head; the type of sizes and indices, and of what functions return.
  [[nodiscard]] virtual std::string_view function_prefix() const = 0;
  // The same for a function that compilers must not print where it is called.
  [[nodiscard]] virtual std::string_view apart_prefix() const { return function_prefix(); }
  // A statement that asks for the line of the cache at an address before it is read; empty: there is none.
  [[nodiscard]] virtual SourceText prefetch(const SourceText& pointer) const { return static_cast<void>(pointer), ""; }
  [[nodiscard]] virtual std::string_view index_type() const = 0;
  [[nodiscard]] virtual std::string_view status_type() const = 0;
  // Of an element in memory, and of a variable that holds such values (16-bit floats are held in 32 bits).
  [[nodiscard]] virtual std::string_view element_type(Dtype dtype) const = 0;
  [[nodiscard]] virtual std::string variable_type(Dtype dtype, int lanes) const = 0;
  // The type of a variable that holds 16-bit floats as they lie in memory, and their bits from one that holds the
  // numbers; empty: all variables hold numbers.
  [[nodiscard]] virtual std::string bits_type(int lanes) const { return static_cast<void>(lanes), ""; }
  // is_exact: the number is one of the 16-bit floats.
  [[nodiscard]] virtual SourceText to_bits(Dtype dtype, const SourceText& a, bool is_exact) const {
    return static_cast<void>(dtype), static_cast<void>(is_exact), a;
  }
  [[nodiscard]] virtual SourceText splat_bits(int lanes, const SourceText& a) const {
    return static_cast<void>(lanes), a;
  }
  // How a variable is initialised with zeros.
  [[nodiscard]] virtual std::string_view zeros() const = 0;
  // A pointer of the type from one that is untyped, or to bytes; a pointer to elements without its type.
  [[nodiscard]] virtual SourceText pointer_from_untyped(std::string_view type, const SourceText& pointer) const = 0;
  [[nodiscard]] virtual SourceText pointer_from_bytes(std::string_view type, const SourceText& pointer) const = 0;
  [[nodiscard]] virtual SourceText untyped(const SourceText& pointer) const = 0;

  [[nodiscard]] virtual SourceText real_literal(Dtype dtype, double value) const = 0;
  [[nodiscard]] virtual SourceText integer_literal(Dtype dtype, std::int64_t value) const = 0;
  // Operands are variables or literals, so that an expression may use one twice; they have the lanes of the result.
  [[nodiscard]] virtual SourceText call(ScalarFn fn, Dtype operand, Dtype result, int lanes, const SourceText& a,
                                        const SourceText& b) const = 0;
  // a*b + c of f32, rounded once.
  [[nodiscard]] virtual SourceText fma(int lanes, const SourceText& a, const SourceText& b,
                                       const SourceText& c) const = 0;
  // The bits of an f32 or f64, or of lanes of them, as integers; of each NaN those of one.
  [[nodiscard]] virtual SourceText bits(const SourceText& a) const = 0;
  // As fma, of an element of memory that all lanes take, where factors may be named in their places.
  [[nodiscard]] virtual bool names_factors() const { return false; }
  [[nodiscard]] virtual SourceText fma_of_element(int lanes, const SourceText& element, const SourceText& b,
                                                  const SourceText& c) const {
    return fma(lanes, element, b, c);
  }
  [[nodiscard]] virtual SourceText choose(int lanes, const SourceText& condition, const SourceText& a,
                                          const SourceText& b) const = 0;
  [[nodiscard]] virtual SourceText convert(Dtype from, Dtype to, int lanes, const SourceText& a) const = 0;
  // A scalar in every lane; 0, 1, 2, ... more than a scalar; whether a lane of a mask is set; the first `count` lanes.
  [[nodiscard]] virtual SourceText splat(Dtype dtype, int lanes, const SourceText& a) const = 0;
  [[nodiscard]] virtual SourceText count_up(int lanes, const SourceText& from) const = 0;
  // The same from 0 on, in 32 bits.
  [[nodiscard]] virtual SourceText count_up_short(int lanes) const = 0;
  [[nodiscard]] virtual SourceText any(const SourceText& mask) const = 0;
  [[nodiscard]] virtual SourceText first_lanes(int lanes, const SourceText& count) const = 0;
  // The first half of the lanes, and the second; of two lanes, a scalar each.
  [[nodiscard]] virtual SourceText low_half(Dtype dtype, int lanes, const SourceText& a) const = 0;
  [[nodiscard]] virtual SourceText high_half(Dtype dtype, int lanes, const SourceText& a) const = 0;
  // A statement that transposes as many vectors as each has lanes, in place; empty where there is none.
  [[nodiscard]] virtual SourceText transpose(int lanes, const std::vector<SourceText>& vectors) const {
    static_cast<void>(lanes), static_cast<void>(vectors);
    return {};
  }
  // The least (else the greatest) of a vector of i64 where the mask is set; the first of them outside [0, size).
  [[nodiscard]] virtual SourceText extreme(bool least, const SourceText& a, const SourceText& mask) const = 0;
  [[nodiscard]] virtual SourceText outside(const SourceText& a, const SourceText& size,
                                           const SourceText& mask) const = 0;
  // Whether one of a vector of i64 lies outside [0, size); empty where that is to be told lane by lane.
  [[nodiscard]] virtual SourceText any_outside(const SourceText& a, const SourceText& size) const {
    return static_cast<void>(a), static_cast<void>(size), "";
  }

  // From and to elements in memory.
  [[nodiscard]] virtual SourceText load(Dtype dtype, const SourceText& place) const = 0;
  [[nodiscard]] virtual SourceText store(Dtype dtype, const SourceText& place, const SourceText& value) const = 0;
  [[nodiscard]] virtual SourceText load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const = 0;
  [[nodiscard]] virtual SourceText store_lanes(Dtype dtype, int lanes, const LaneAccess& access,
                                               const SourceText& value) const = 0;
  // Whether loads may be of Kind::Table. Of Kind::Near…: how many elements that lie side by side a group may read from
  // at most, 0, 8 or 16, and the type of the numbers by which lanes find theirs among them, and the number of each.
  [[nodiscard]] virtual bool has_tables() const { return false; }
  [[nodiscard]] virtual std::int64_t near_elements(Dtype dtype) const { return static_cast<void>(dtype), 0; }
  [[nodiscard]] virtual std::string_view near_type(Dtype dtype) const { return static_cast<void>(dtype), ""; }
  [[nodiscard]] virtual std::int64_t near_number(Dtype dtype, std::int64_t element) const {
    return static_cast<void>(dtype), element;
  }
  // A pointer to the same elements, each of which is for so many lanes, of which compilers do not know that; empty:
  // there is none.
  [[nodiscard]] virtual SourceText anew(int lanes, const SourceText& pointer) const {
    return static_cast<void>(lanes), static_cast<void>(pointer), "";
  }
  // A statement after the last streaming store of a function.
  [[nodiscard]] virtual SourceText end_of_streams() const = 0;

  // Index arithmetic, of scalars and of vectors of i64.
  [[nodiscard]] virtual SourceText floor_div(int lanes, const SourceText& a, const SourceText& b) const = 0;
  [[nodiscard]] virtual SourceText floor_mod(int lanes, const SourceText& a, const SourceText& b) const = 0;
  [[nodiscard]] virtual SourceText minimum(int lanes, const SourceText& a, const SourceText& b) const = 0;
  [[nodiscard]] virtual SourceText maximum(int lanes, const SourceText& a, const SourceText& b) const = 0;

  // A statement that ends the function with an error: `{0}`, `{1}` ... in the message stand for the values.
  [[nodiscard]] virtual SourceText fail(std::string_view message, const std::vector<SourceText>& values) const = 0;
  // In front of a declaration of what may go unused.
  [[nodiscard]] virtual std::string unused() const = 0;
  // In front of a loop of so many iterations that is to be unrolled as a whole; empty: compilers decide.
  [[nodiscard]] virtual SourceText unrolled(std::int64_t) const { return {}; }
  // The head of a loop over from, from + step, ... below to.
  [[nodiscard]] virtual SourceText loop_head(const SourceText& index, const SourceText& from, const SourceText& to,
                                             int step) const = 0;
  [[nodiscard]] virtual bool is_reserved(std::string_view name) const = 0;
};

}  // namespace mlgc::codegen
