// Turns fusion groups into `fusion` ops.
//
// Guarantees: every function computes what it computed. Movements, constants and sizes that a kernel reads are copied
// into it; the originals are removed once they have no uses. Linear in the ops and operands of the
// regions that have kernels.
#pragma once

#include <cstddef>
#include <functional>

#include "fusion/decide_fusion.h"

namespace mlgc {

// `permit` is asked once for each kernel; what it refuses stays as it is. Answers how many were formed.
std::size_t form_fusions(Module& module, const FusionDecisions& decisions,
                         const std::function<bool(const FusionGroup&)>& permit);

}  // namespace mlgc
