// Which results of kernels are written past the caches: those of kernels that touch more than the last cache of the
// module's machine holds, and that no later launch reads while some of them would still be there. A line that goes past
// is not fetched before it is written; what the cache has room for is written there in half to two thirds of the time.
//
// Guarantee: only where it can be told. After no launch of the kernel the next one takes the buffer, nor one before
// which fewer bytes than the cache holds were touched, and every store is of neighbours in a vector loop. Where the
// sizes are known at run time, the text says what the decision depends on.
#pragma once

#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

// Marks their stores with {hint = "stream"}, or {hint = "stream", where = …} where it depends on the sizes of the call;
// answers how many.
std::uint64_t stream_results(Module& module, RewriteGate& gate);

}  // namespace mlgc
