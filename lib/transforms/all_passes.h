// The table of passes: every pass there is, in one explicit list.
#pragma once

#include <span>

#include "pass/pass.h"

namespace mlgc {

// In alphabetical order of their names.
[[nodiscard]] std::span<const PassDef* const> all_passes();

}  // namespace mlgc
