// A function with gradients as two: forward, whose further results are what backward needs, and backward.
//
// Guarantees
//   - Forward has the arguments of the function without its cotangents, its results without the gradients, then one
//     result `saved_<name>` for each value that backward reads, and its updates.
//   - Backward has what was saved as its first arguments, under the same names and in the same order, then the
//     cotangents; its results are the gradients.
//   - What has no operands (constants, sizes, reads of weights) is made again in backward and not saved; a state is
//     saved, since forward may have replaced it. What only gradients need of the forward computation is computed in
//     backward.
//   - Random numbers, and what is computed from each of them alone, are generated again: their key is saved.
//   - A size that backward speaks of is a dim of something that was saved, or of a cotangent: an argument is saved for
//     its size alone, if nothing else tells it.
//   - Neither holds an op that its results do not need.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ir/function.h"

namespace mlgc {

struct SplitFunctions {
  FuncRef forward, backward;
};

// Adds `<name>_forward` and `<name>_backward` to the module; the function stays. `results`: how many of its results,
// the first ones, are not gradients; `cotangents`: how many of its arguments, the last ones, are cotangents.
// Nothing where the former need one of the latter. Preconditions: there are as many.
[[nodiscard]] std::optional<SplitFunctions> split_gradient(FuncRef function, std::string_view name, std::size_t results,
                                                           std::size_t cotangents);

}  // namespace mlgc
