// Reductions that vector loops carry. A vector loop of N lanes with `combine = ["add"]` means, exactly:
//
//   - Lane l has an accumulator of its own. It starts neutral and sees the iterations k with (k - first) mod N == l, in
//     their order, through the op of the body.
//   - At the end halves are combined: for s = N/2, N/4, …, 1 and each l < s, acc[l] = op(acc[l], acc[l + s]).
//   - The result is op(initial, acc[0]), also where the loop does not run.
//
// N is part of the text, so a result depends neither on a machine's vectors nor on the number of threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/formula.h"
#include "formula/scalar_function.h"
#include "loopir/loop_ops.h"
#include "support/result.h"
#include "tensor/dtype.h"

namespace mlgc {

// The words that `combine` may hold, as messages list them.
inline constexpr std::string_view kCombineWords = "add, mul, max, min, or, and";
inline constexpr std::int64_t kMostLanes = 1024;  // the threads of a block of a GPU; vectors of CPUs have up to 64
inline constexpr std::int64_t kMostPerLane = 16;  // iterations that a lane takes at a time: bytes in 16 bytes

// The scalar function that a word of `combine` names.
[[nodiscard]] std::optional<ScalarFn> combine_function(std::string_view word);
[[nodiscard]] std::string_view combine_word(ScalarFn fn);  // empty: nothing combines by it

// What an accumulator of a lane starts as: 0, 1, the least or the greatest value, false or true. Of a float `real`
// counts, of the others `integer`. Precondition: combine_word(fn) is not empty.
struct NeutralElement {
  double real = 0;
  std::int64_t integer = 0;
};
[[nodiscard]] NeutralElement neutral_element(ScalarFn fn, Dtype dtype);

// How the body of a loop takes carried value i: by one op that is the function, applied to the carried value and
// something else, whose result is what the loop carries on. An `fma` with the carried value as its addend is a sum.
struct CarriedStep {
  OpRef op;
  ScalarFn fn = ScalarFn::Add;
  ExprId combination;  // brings two results together: the function of `Read` of tensors 0 and 1
};
// Error: why the carried value is not reduced by a function that combines.
[[nodiscard]] Result<CarriedStep, std::string> carried_step(ForRef loop, std::size_t i);
// Of a running reduction the same: the body may use the carried value, and the next one, elsewhere too.
[[nodiscard]] Result<CarriedStep, std::string> running_step(ForRef loop, std::size_t i);

}  // namespace mlgc
