// Private to lib/schedule: weights whose elements a formula gives from another weight, computed when weights are made.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace mlgc::schedule {

// The weight that a launch passes on, if no call changes it; an invalid handle: it passes on something else.
[[nodiscard]] OpRef constant_weight(Value buffer);

// A weight of these sizes after `weight`, called like it with a suffix.
OpRef derive_weight(OpRef weight, std::string_view suffix, const std::string& formula, std::span<const IndexExpr> dims);

}  // namespace mlgc::schedule
