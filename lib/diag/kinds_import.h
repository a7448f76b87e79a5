// What the readers of .pt2 and other model files report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr std::array<const DiagKind*, 0> kImportKinds{};

}  // namespace mlgc
