// What a loop function takes of its caller for the buffers that it allocates, from its text alone.
//
// Guarantees
//   - An `alloc` outside of parallel loops has its place in `memory`, one inside of them in the `scratch` of the thread
//     that runs the body. Each has a place of its own, which all iterations of the loops around it reuse.
//   - Registers take nothing. Places are whole cache lines, so that the next one is aligned.
#pragma once

#include "ir/module.h"

namespace mlgc {

struct FunctionMemory {
  bool takes_memory = false;  // an `alloc` stands outside of parallel loops
  IndexExpr bytes, scratch;   // of `memory`, and of each thread's scratch; over the sizes of the function
};

// Precondition: a loop function; of what a host function allocates the plan says more
// (analysis/host_function_memory.h).
[[nodiscard]] FunctionMemory function_memory(OpRef func);

// What a buffer of this type takes; nothing in registers.
[[nodiscard]] IndexExpr bytes_in_memory(Context& context, Type buffer);

}  // namespace mlgc
