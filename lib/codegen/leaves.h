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
    Whole,  // consecutive elements, all of them
    Part,   // consecutive, the first `count` lanes
    Every,  // `stride` elements apart, all of them
    Lanes,  // lane l at pointer[at[l]], where the mask is set
  };
  Kind kind = Kind::Whole;
  std::string pointer;
  std::string count;  // also the stride
  std::string at;     // of Lanes: a vector of i64
  std::string mask;   // of Lanes
  bool stream = false;
};

class Leaves {
 public:
  Leaves() = default;
  Leaves(const Leaves&) = delete;
  Leaves& operator=(const Leaves&) = delete;
  virtual ~Leaves() = default;

  // What stands in front of a function's head; the type of sizes and indices, and of what functions return.
  [[nodiscard]] virtual std::string_view function_prefix() const = 0;
  [[nodiscard]] virtual std::string_view index_type() const = 0;
  [[nodiscard]] virtual std::string_view status_type() const = 0;
  // Of an element in memory, and of a variable that holds such values (16-bit floats are held in 32 bits).
  [[nodiscard]] virtual std::string_view element_type(Dtype dtype) const = 0;
  [[nodiscard]] virtual std::string variable_type(Dtype dtype, int lanes) const = 0;

  [[nodiscard]] virtual std::string real_literal(Dtype dtype, double value) const = 0;
  [[nodiscard]] virtual std::string integer_literal(Dtype dtype, std::int64_t value) const = 0;
  // Operands are variables or literals, so that a spelling may name one twice; they have the lanes of the result.
  [[nodiscard]] virtual std::string call(ScalarFn fn, Dtype operand, Dtype result, int lanes, std::string_view a,
                                         std::string_view b) const = 0;
  [[nodiscard]] virtual std::string choose(int lanes, std::string_view condition, std::string_view a,
                                           std::string_view b) const = 0;
  [[nodiscard]] virtual std::string convert(Dtype from, Dtype to, int lanes, std::string_view a) const = 0;
  // A scalar in every lane; 0, 1, 2, ... more than a scalar; whether a lane of a mask is set; the first `count` lanes.
  [[nodiscard]] virtual std::string splat(Dtype dtype, int lanes, std::string_view a) const = 0;
  [[nodiscard]] virtual std::string count_up(int lanes, std::string_view from) const = 0;
  [[nodiscard]] virtual std::string any(std::string_view mask) const = 0;
  [[nodiscard]] virtual std::string first_lanes(int lanes, std::string_view count) const = 0;
  // The first half of the lanes, and the second; of two lanes, a scalar each.
  [[nodiscard]] virtual std::string low_half(Dtype dtype, int lanes, std::string_view a) const = 0;
  [[nodiscard]] virtual std::string high_half(Dtype dtype, int lanes, std::string_view a) const = 0;
  // The least (else the greatest) of a vector of i64 where the mask is set; the first of them outside [0, size).
  [[nodiscard]] virtual std::string extreme(bool least, std::string_view a, std::string_view mask) const = 0;
  [[nodiscard]] virtual std::string outside(std::string_view a, std::string_view size, std::string_view mask) const = 0;

  // From and to elements in memory.
  [[nodiscard]] virtual std::string load(Dtype dtype, std::string_view place) const = 0;
  [[nodiscard]] virtual std::string store(Dtype dtype, std::string_view place, std::string_view value) const = 0;
  [[nodiscard]] virtual std::string load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const = 0;
  [[nodiscard]] virtual std::string store_lanes(Dtype dtype, int lanes, const LaneAccess& access,
                                                std::string_view value) const = 0;
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
  // The head of a loop over from, from + step, ... below to.
  [[nodiscard]] virtual std::string loop_head(std::string_view index, std::string_view from, std::string_view to,
                                              int step) const = 0;
  [[nodiscard]] virtual bool is_reserved(std::string_view name) const = 0;
};

}  // namespace mlgc::codegen
