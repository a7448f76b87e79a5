// What the pass manager, pipelines and transforms report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr std::array<const DiagKind*, 0> kPassKinds{};

}  // namespace mlgc
