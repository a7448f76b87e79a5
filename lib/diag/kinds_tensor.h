// What reading tensors and weight files reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr std::array<const DiagKind*, 0> kTensorKinds{};

}  // namespace mlgc
