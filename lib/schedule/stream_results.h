// Which results of kernels are written past the caches: those of kernels that touch too much for it to stay there, and
// that the next kernel does not read. A line that goes past is not fetched before it is written.
//
// Guarantee: only where it can be told. Each launch of the kernel is followed by one that does not take the buffer, or
// by none, and every store is of neighbours in a vector loop. Where the sizes are known at run time, the text says what
// the decision depends on.
#pragma once

#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

// Marks their stores with {hint = "stream"}, or {hint = "stream", bytes = …} where it depends on the sizes of the call;
// answers how many.
std::uint64_t stream_results(Module& module, RewriteGate& gate);

}  // namespace mlgc
