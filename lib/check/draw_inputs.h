// Inputs generated from what a function states, for callers that run programs to check them.
//
// Guarantees
//   - The same function, seed and options give the same inputs, on every machine.
//   - Sizes satisfy the `where` clause. Chosen are the smallest feasible ones (1 wherever that is feasible), odd ones
//     that differ from each other, and larger ones. Choices that coincide are generated once.
//   - Integers that index something lie within it, and divisors are not 0, as far as value_ranges.h can tell; others
//     depend on the kind of the draw. Booleans are coin flips. Random ops take their keys from such integers, so that
//     runs repeat.
//   - Kinds of draws: see DrawKind. Where a root or a logarithm is taken of a float, it is not negative in any.
//   - Weights and states that the function reads, itself or through calls and derived weights, get data too; no file is
//     read.
//   - Where no inputs can be generated, the reason is returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/value_ranges.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "support/result.h"

namespace mlgc {

enum class DrawKind : std::uint8_t {
  Plain,  // floats are normal, or 0.5 … 1.5 where they may not be negative; integers are 0 … 9
  Edges,  // one float in four is 0, -0, 1, -1, the smallest subnormal or normal or half the largest number; integers
          // are -4 … 9, one in eight the least or the largest of its dtype
  FewValues,  // floats are 0, -0, 1, -1 or 2, so that equal ones and zeros of either sign meet; integers are 0 or 1
  NonFinite,  // like FewValues, and one in four is NaN or an infinity
};

struct DrawOptions {
  std::uint64_t seed = 0;
  bool non_finite = true;                               // draws of kind NonFinite are among them
  std::int64_t largest_integer = 9;                     // of integers that nothing is asked of
  std::int64_t max_elements = std::int64_t{1} << 26;    // of arguments and data together
  std::optional<std::vector<SymbolValues>> sizes = {};  // those of draw_sizes() to draw for; nothing: all
};

struct Draw {
  std::string sizes;  // `B = 3, S = 5`; empty when there are none to choose
  DrawKind kind = DrawKind::Plain;
  SymbolValues symbols;
  std::vector<Tensor> inputs;  // as interpret() takes them
  ModuleData data;
  // `B = 3, values with edges`.
  [[nodiscard]] std::string text() const;
};

// At least one draw: values with edges for every choice of sizes, the other kinds for the last one or two. Error: why
// no inputs can be generated.
[[nodiscard]] Result<std::vector<Draw>> draw_inputs(const FuncRef& function, const DrawOptions& options);

// Choices of sizes, without repetitions: a value for every symbol in the types of the arguments and in the `where`
// clause. Error: no feasible sizes were found.
[[nodiscard]] Result<std::vector<SymbolValues>> draw_sizes(const FuncRef& function);

// `B = 3, S = 5`; empty when there are none.
[[nodiscard]] std::string sizes_text(const FuncRef& function, const SymbolValues& symbols);

// Values of kind Plain for an argument of which a range is asked.
[[nodiscard]] Tensor draw_argument(Dtype dtype, const Shape& shape, const ValueRange& range, std::uint64_t seed);

// Made-up data of a weight or state: floats of rank 2 and more are normal with variance 1 / (size of one slice along
// axis 0), so that deep networks stay in range; others are uniform in 0.5 … 1.5, which serves scales and variances;
// integers are in the range, or 0 … 9.
[[nodiscard]] Tensor draw_weight(Dtype dtype, const Shape& shape, std::uint64_t seed, const ValueRange& range = {});

}  // namespace mlgc
