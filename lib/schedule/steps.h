// Steps of a schedule: changes of how the nests of a loop function run that keep what they compute.
//
//     tile        for [a, b) (%i)  becomes  for [0, (b - a) ceildiv n) (%i_o) { for [a + n*%i_o, …) (%i) { … } }
//     interchange a loop and the only one inside of it change places
//     unroll      the loop is written out, or tiles of it are
//     vectorize   iterations run in strips of lanes; carried values are combined
//     parallelize iterations run on any thread
//
// Guarantees
//   - A step is refused with a reason where it is not shown to be legal; the function is as it was then.
//   - A function that verified verifies afterwards, and every element of every buffer is what it was, bit for bit. The
//     one exception is vectorize on loops that carry sums or products of floats, which says so.
//   - The index of a loop keeps its name and its values, so the body is not touched; new loops are called after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/constraint.h"
#include "ir/module.h"
#include "ops/loop_ops.h"
#include "support/result.h"

namespace mlgc {

// Error: why the step is refused.
using StepResult = Status<>;

// The loop of the function whose index has the name. Error: there is none, or several.
[[nodiscard]] Result<OpRef, std::string> find_loop(OpRef func, std::string_view index);

// What happens to the iterations that fill no tile.
enum class Tail : std::uint8_t {
  Min,   // the last tile is smaller: its bound is a minimum
  Loop,  // they get a loop of their own behind the full tiles, which all have `size` iterations
};
// Tiles that are full anyway, because the size divides the extent under `facts`, get neither.
[[nodiscard]] StepResult tile(OpRef loop, std::int64_t size, Tail tail, const Facts& facts);

[[nodiscard]] StepResult interchange(OpRef loop, const Facts& facts);

// factor 0: the whole loop; otherwise tiles of as many iterations, with a loop for what is left.
[[nodiscard]] StepResult unroll(OpRef loop, std::int64_t factor, const Facts& facts);

[[nodiscard]] StepResult vectorize(OpRef loop, std::int64_t lanes, const Facts& facts);
// Whether vectorizing the loop changes the order of roundings.
[[nodiscard]] bool vectorizing_reassociates(OpRef loop);

[[nodiscard]] StepResult parallelize(OpRef loop, const Facts& facts);

}  // namespace mlgc
