// What a back end supplies to the walk over loop ops (loop_walk.h): spellings of types, numbers, conversions, scalar
// functions and memory accesses. The walk owns statements, names, control flow and addresses.
//
// A value has lanes: 1 (a scalar), or as many as the vector loop around it, where it differs between iterations. The i1
// of more than one lane are masks, of which a back end has one type for each number of lanes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/scalar_function.h"
#include "tensor/dtype.h"

namespace mlgc::codegen {

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
  std::string pointer;
  std::string count;  // also the stride
  std::string at;     // of Lanes: a vector of i64; of Table and Near…: an array; of EveryPart: the stride
  std::string mask;   // of Masked, EveryMasked and Lanes
  bool stream = false;
  std::string stream_where;  // a condition; empty: always
  bool bits = false;         // of 16-bit floats: the value is their bits
};

// What a back end spells besides, if lanes are threads there: a nest is a kernel that blocks of threads run.
class GridLeaves {
 public:
  GridLeaves() = default;
  GridLeaves(const GridLeaves&) = delete;
  GridLeaves& operator=(const GridLeaves&) = delete;
  virtual ~GridLeaves() = default;

  // Called where the code of a kernel begins, and with false where it ends: the leaves of a driver spell both sides.
  virtual void inside_kernel(bool inside) const = 0;
  // The head of a kernel for blocks of so many threads at most, without its parameters.
  [[nodiscard]] virtual std::string kernel_head(std::string_view name, int threads) const = 0;
  // Numbers of the thread in its block and of the block; how many blocks there are.
  [[nodiscard]] virtual std::string_view thread() const = 0;
  [[nodiscard]] virtual std::string_view block() const = 0;
  [[nodiscard]] virtual std::string_view blocks() const = 0;
  // What stands in front of a loop whose iterations should be several at a time; and of a parameter of the type, where
  // no other parameter names the same memory.
  [[nodiscard]] virtual std::string_view unroll() const = 0;
  [[nodiscard]] virtual std::string alone(std::string_view type) const = 0;
  // A statement that lets no thread of a block go on before all are there.
  [[nodiscard]] virtual std::string_view barrier() const = 0;
  // The combine tree over the values of the first `lanes` threads; `op` is a function of two of them.
  [[nodiscard]] virtual std::string combine(int lanes, std::string_view value, std::string_view op) const = 0;
  // A function of two values of one type as an operand of combine(): statements, and what it returns.
  [[nodiscard]] virtual std::string function_of_two(std::string_view type, std::string_view a, std::string_view b,
                                                    std::string_view statements, std::string_view result) const = 0;
  // Statements of a kernel that declare `scratch`: of a block, or of one thread of `threads` where each has its own.
  [[nodiscard]] virtual std::string scratch_of_block() const = 0;
  [[nodiscard]] virtual std::string scratch_of_thread(int threads) const = 0;
  // Whether so many bytes of scratch of each block of the kernel fit on the chip, as a condition of the host.
  [[nodiscard]] virtual std::string fits_on_chip(std::string_view kernel, std::string_view bytes) const = 0;
  // A statement of a kernel that ends it where an earlier one failed.
  [[nodiscard]] virtual std::string end_after_failure() const = 0;
  // A statement of the host; `shared` are bytes on the chip for each block.
  [[nodiscard]] virtual std::string launch(std::string_view kernel, std::string_view blocks, int threads,
                                           std::string_view shared, std::string_view arguments) const = 0;
};

// What a back end spells besides, if one instruction adds two products of bf16 to each sum of a vector. The first of
// two terms is the high half of 32 bits.
class PairLeaves {
 public:
  PairLeaves() = default;
  PairLeaves(const PairLeaves&) = delete;
  PairLeaves& operator=(const PairLeaves&) = delete;
  virtual ~PairLeaves() = default;

  // Of a pair of terms of a row, and of a vector of pairs.
  [[nodiscard]] virtual std::string_view type() const = 0;
  [[nodiscard]] virtual std::string vector_type(int lanes) const = 0;
  // A statement that makes pairs of so many terms, which lie one after the other; an odd last one is with a zero.
  [[nodiscard]] virtual std::string copy(std::string_view to, std::string_view from, std::string_view terms) const = 0;
  // A vector of pairs, from where their first terms lie, and their second ones; empty: zeros. With a count the first of
  // the lanes, and zeros.
  [[nodiscard]] virtual std::string load(int lanes, std::string_view first, std::string_view second,
                                         std::string_view count) const = 0;
  // The sums and two more products of each: the first terms, then the second ones, each rounded once.
  [[nodiscard]] virtual std::string add(std::string_view pair_of_row, std::string_view pairs,
                                        std::string_view sums) const = 0;
};

class Leaves {
 public:
  Leaves() = default;
  Leaves(const Leaves&) = delete;
  Leaves& operator=(const Leaves&) = delete;
  virtual ~Leaves() = default;

  // Null: lanes are those of vectors, of which there are so many at most.
  [[nodiscard]] virtual const GridLeaves* grid() const { return nullptr; }
  [[nodiscard]] virtual int most_lanes() const = 0;
  // Null: products of bf16 are those of f32.
  [[nodiscard]] virtual const PairLeaves* pairs() const { return nullptr; }
  // Whether the runtime shares the iterations of parallel loops among threads; else they are serial loops.
  [[nodiscard]] virtual bool shares_loops() const { return true; }
  // What each function takes first: parameters, and their names, separated by `, `.
  [[nodiscard]] virtual std::string_view context_parameters() const = 0;
  [[nodiscard]] virtual std::string_view context_arguments() const = 0;
  // The statements with which a driver begins and ends.
  [[nodiscard]] virtual std::vector<std::string> begin_driver() const = 0;
  [[nodiscard]] virtual std::string end_driver() const = 0;
  // A statement that calls a function and returns what it returns, unless that is 0.
  [[nodiscard]] virtual std::string call_or_return(std::string_view function, std::string_view arguments) const = 0;
  // A statement of a driver in front of launch `number`; may be empty. One that tells the runtime a size, by its
  // number; empty: there is none.
  [[nodiscard]] virtual std::string note_launch(std::size_t number) const = 0;
  [[nodiscard]] virtual std::string bind_size(std::size_t number, std::string_view value) const = 0;
  // A statement in front of what a driver decides by values that kernels computed; may be empty.
  [[nodiscard]] virtual std::string before_deciding() const { return {}; }

  // What stands in front of a function's head; the type of sizes and indices, and of what functions return.
  [[nodiscard]] virtual std::string_view function_prefix() const = 0;
  // The same for a function that compilers must not print where it is called.
  [[nodiscard]] virtual std::string_view apart_prefix() const { return function_prefix(); }
  // A statement that asks for the line of the cache at an address before it is read; empty: there is none.
  [[nodiscard]] virtual std::string prefetch(std::string_view pointer) const {
    (void)pointer;
    return "";
  }
  [[nodiscard]] virtual std::string_view index_type() const = 0;
  [[nodiscard]] virtual std::string_view status_type() const = 0;
  // Of an element in memory, and of a variable that holds such values (16-bit floats are held in 32 bits).
  [[nodiscard]] virtual std::string_view element_type(Dtype dtype) const = 0;
  [[nodiscard]] virtual std::string variable_type(Dtype dtype, int lanes) const = 0;
  // The type of a variable that holds 16-bit floats as they lie in memory, and their bits from one that holds the
  // numbers; empty: all variables hold numbers.
  [[nodiscard]] virtual std::string bits_type(int lanes) const { return static_cast<void>(lanes), ""; }
  // is_exact: the number is one of the 16-bit floats.
  [[nodiscard]] virtual std::string to_bits(Dtype dtype, std::string_view a, bool is_exact) const {
    return static_cast<void>(dtype), static_cast<void>(is_exact), std::string(a);
  }
  [[nodiscard]] virtual std::string splat_bits(int lanes, std::string_view a) const {
    return static_cast<void>(lanes), std::string(a);
  }
  // How a variable is initialised with zeros.
  [[nodiscard]] virtual std::string_view zeros() const = 0;
  // A pointer of the type from one that is untyped, or to bytes; a pointer to elements without its type.
  [[nodiscard]] virtual std::string pointer_from_untyped(std::string_view type, std::string_view pointer) const = 0;
  [[nodiscard]] virtual std::string pointer_from_bytes(std::string_view type, std::string_view pointer) const = 0;
  [[nodiscard]] virtual std::string untyped(std::string_view pointer) const = 0;

  [[nodiscard]] virtual std::string real_literal(Dtype dtype, double value) const = 0;
  [[nodiscard]] virtual std::string integer_literal(Dtype dtype, std::int64_t value) const = 0;
  // Operands are variables or literals, so that a spelling may name one twice; they have the lanes of the result.
  [[nodiscard]] virtual std::string call(ScalarFn fn, Dtype operand, Dtype result, int lanes, std::string_view a,
                                         std::string_view b) const = 0;
  // a*b + c of f32, rounded once.
  [[nodiscard]] virtual std::string fma(int lanes, std::string_view a, std::string_view b,
                                        std::string_view c) const = 0;
  // The bits of an f32 or f64, or of lanes of them, as integers; of each NaN those of one.
  [[nodiscard]] virtual std::string bits(std::string_view a) const = 0;
  // As fma, of an element of memory that all lanes take, where factors may be named in their places.
  [[nodiscard]] virtual bool names_factors() const { return false; }
  [[nodiscard]] virtual std::string fma_of_element(int lanes, std::string_view element, std::string_view b,
                                                   std::string_view c) const {
    return fma(lanes, element, b, c);
  }
  [[nodiscard]] virtual std::string choose(int lanes, std::string_view condition, std::string_view a,
                                           std::string_view b) const = 0;
  [[nodiscard]] virtual std::string convert(Dtype from, Dtype to, int lanes, std::string_view a) const = 0;
  // A scalar in every lane; 0, 1, 2, ... more than a scalar; whether a lane of a mask is set; the first `count` lanes.
  [[nodiscard]] virtual std::string splat(Dtype dtype, int lanes, std::string_view a) const = 0;
  [[nodiscard]] virtual std::string count_up(int lanes, std::string_view from) const = 0;
  // The same from 0 on, in 32 bits.
  [[nodiscard]] virtual std::string count_up_short(int lanes) const = 0;
  [[nodiscard]] virtual std::string any(std::string_view mask) const = 0;
  [[nodiscard]] virtual std::string first_lanes(int lanes, std::string_view count) const = 0;
  // The first half of the lanes, and the second; of two lanes, a scalar each.
  [[nodiscard]] virtual std::string low_half(Dtype dtype, int lanes, std::string_view a) const = 0;
  [[nodiscard]] virtual std::string high_half(Dtype dtype, int lanes, std::string_view a) const = 0;
  // A statement that transposes as many vectors as each has lanes, in place; empty where there is none.
  [[nodiscard]] virtual std::string transpose(int lanes, const std::vector<std::string>& vectors) const {
    static_cast<void>(lanes), static_cast<void>(vectors);
    return {};
  }
  // The least (else the greatest) of a vector of i64 where the mask is set; the first of them outside [0, size).
  [[nodiscard]] virtual std::string extreme(bool least, std::string_view a, std::string_view mask) const = 0;
  [[nodiscard]] virtual std::string outside(std::string_view a, std::string_view size, std::string_view mask) const = 0;
  // Whether one of a vector of i64 lies outside [0, size); empty where that is to be told lane by lane.
  [[nodiscard]] virtual std::string any_outside(std::string_view a, std::string_view size) const {
    return static_cast<void>(a), static_cast<void>(size), "";
  }

  // From and to elements in memory.
  [[nodiscard]] virtual std::string load(Dtype dtype, std::string_view place) const = 0;
  [[nodiscard]] virtual std::string store(Dtype dtype, std::string_view place, std::string_view value) const = 0;
  [[nodiscard]] virtual std::string load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const = 0;
  [[nodiscard]] virtual std::string store_lanes(Dtype dtype, int lanes, const LaneAccess& access,
                                                std::string_view value) const = 0;
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
  [[nodiscard]] virtual std::string anew(int lanes, std::string_view pointer) const {
    return static_cast<void>(lanes), static_cast<void>(pointer), "";
  }
  // A statement behind the last streaming store of a function.
  [[nodiscard]] virtual std::string end_of_streams() const = 0;

  // Index arithmetic, of scalars and of vectors of i64.
  [[nodiscard]] virtual std::string floor_div(int lanes, std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string floor_mod(int lanes, std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string minimum(int lanes, std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string maximum(int lanes, std::string_view a, std::string_view b) const = 0;

  // A statement that ends the function with an error: `{0}`, `{1}` ... in the message stand for the values.
  [[nodiscard]] virtual std::string fail(std::string_view message, const std::vector<std::string>& values) const = 0;
  // In front of a declaration of what may go unused.
  [[nodiscard]] virtual std::string unused() const = 0;
  // In front of a loop of so many iterations that is to be unrolled as a whole; empty: compilers decide.
  [[nodiscard]] virtual std::string unrolled(std::int64_t) const { return {}; }
  // The head of a loop over from, from + step, ... below to.
  [[nodiscard]] virtual std::string loop_head(std::string_view index, std::string_view from, std::string_view to,
                                              int step) const = 0;
  [[nodiscard]] virtual bool is_reserved(std::string_view name) const = 0;
};

}  // namespace mlgc::codegen
