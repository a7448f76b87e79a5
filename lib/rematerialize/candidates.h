// The choices that a limit of memory is met with, in an order that does not depend on the limit: so a smaller limit is
// never met by a cheaper choice, nor by one with a larger peak.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/module.h"
#include "rematerialize/choose.h"

namespace mlgc {

struct RecomputeCandidate {
  RecomputeChoice choice;
  // About how long the module takes with it, in the time of moving a byte: of each fusion group, its bytes or
  // its operations, whichever take longer.
  double cost = 0;
  std::size_t copies = 0;  // ops that are recomputed
};

// Of one choice. Precondition: the part is of a function of the module as it is.
[[nodiscard]] RecomputeCandidate recompute_candidate(const Module& module, const ForwardPart& part,
                                                     const RecomputeChoice& choice);

// The cheapest first; of equals the one that computes less again. No two compute the same ops again. Decides
// fusion for each.
[[nodiscard]] std::vector<RecomputeCandidate> recompute_candidates(const Module& module, const ForwardPart& part);

}  // namespace mlgc
