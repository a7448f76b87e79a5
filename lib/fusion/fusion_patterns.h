// What a region's kernels of several ops are, by name: which ops fuse with which, how often, and what it saves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fusion/decide_fusion.h"

namespace mlgc {

struct FusionPattern {
  std::string ops;          // `linear + relu`; several elementwise ops in a row are `5 elementwise ops`
  bool horizontal = false;  // not all of them are connected by values: some only read the same, or run as one loop
  std::size_t kernels = 0;  // of this pattern
  // Bytes that are neither read nor written any more, of all of them: those of the fused uses, and of what several ops
  // of a kernel read, which it reads once.
  IndexExpr saved;
};

// In the order of their first kernels.
[[nodiscard]] std::vector<FusionPattern> fusion_patterns(const FusionDecisions& decisions, const FusionRegion& region);

}  // namespace mlgc
