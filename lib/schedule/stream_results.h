// Which results of kernels are written past the caches: those that are too large to stay in them and that the next
// kernel does not read.
//
// Guarantee: only where it can be told. The size is known, each launch of the kernel is followed by one that does not
// take the buffer, or by none, and every store is of neighbours in a vector loop.
#pragma once

#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

// Half of a common third-level cache.
inline constexpr std::int64_t kStreamBytes = std::int64_t{16} << 20;

// Marks their stores with {hint = "stream"}; answers how many.
std::uint64_t stream_results(Module& module, RewriteGate& gate);

}  // namespace mlgc
