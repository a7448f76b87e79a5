// Functions of the loop level: kernels, and the host functions that launch them.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <vector>

#include "loopir/loop_ops.h"

namespace mlgc {

// The `external` that is all that a loop function does: a target computes it. An invalid handle: it is a kernel or a
// host function.
[[nodiscard]] OpRef external_op(OpRef func);

// A function of the loop level: at least one argument is a buffer.
[[nodiscard]] bool is_loop_function(OpRef func);
// Such a function that is called from outside: `attributes {results = N}`.
[[nodiscard]] bool is_host_function(OpRef func);
// Arguments of a loop function that some store in it writes, or a function that it launches, by number.
[[nodiscard]] std::vector<bool> written_arguments(OpRef func);
// A buffer that the op writes: that of a store or of a transposition in place, those that a launched function writes.
// No views: what is underneath.
void for_each_written(OpRef op, const std::function<void(Value)>& visit);
// The `bind_size`s of a function whose sizes become known while it runs, in the order of the text.
[[nodiscard]] std::vector<OpRef> late_sizes(OpRef func);

// The launches of each kernel that is launched, in the order of the text.
[[nodiscard]] std::unordered_map<OpId, std::vector<OpRef>> launches_by_kernel(const Module& module);

// What a loop function says of its arguments: `attributes {results = N}` on a host function means that its last
// arguments are N results and then one new state for each entry of `updates`, in order. Without it the arguments that
// the function writes are its results.
struct ResultArguments {
  std::vector<bool> is_result;   // by argument; new states too
  std::size_t first_update = 0;  // number of the argument that is the first new state; all after it are
};
// Precondition: as many arguments as the attribute and the updates speak of (verify).
[[nodiscard]] ResultArguments result_arguments(OpRef func);
// The symbols in the types of the arguments and in the expressions inside, by name.
[[nodiscard]] std::vector<AtomId> symbols_of(OpRef func);
// Those of them that no argument has as a whole dim: a launch must state them.
[[nodiscard]] std::vector<AtomId> symbols_without_dim(OpRef func);

}  // namespace mlgc
