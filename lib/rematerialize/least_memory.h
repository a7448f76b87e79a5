// What temporaries of a function take at least, in whatever order its kernels run.
//
// Kernels are looked at at which most is alive in the order of the text. What is computed by one of them, or by ops
// that it depends on, and read by itself or by ops that depend on it, is in memory at once then, in every order; only
// what it writes may lie where it reads for the last time. What is returned lies in the caller's memory, and a buffer
// may lie in that of a result of its size which is not written yet. (The bytes that a choice keeps are no bound: a
// chain of elementwise ops may become one kernel with its gradient, and keep nothing in memory.)
#pragma once

#include <cstdint>

#include "ir/function.h"
#include "ops/memory_limit.h"

namespace mlgc {

// Bytes at these sizes; what depends on others counts as empty. Precondition: the kernels of the function are fusions.
// Near linear in its ops and what they read.
[[nodiscard]] std::int64_t least_memory(FuncRef function, const SymbolSizes& sizes);

}  // namespace mlgc
