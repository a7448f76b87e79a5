// What a step of the pass `fuse` was asked for.
#pragma once

#include "fusion/decide_fusion.h"
#include "pass/pipeline.h"

namespace mlgc {

// Precondition: the step is one of `fuse`.
[[nodiscard]] FusionOptions fuse_options(const PassStep& step);

}  // namespace mlgc
