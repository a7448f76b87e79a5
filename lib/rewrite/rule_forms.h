// The forms of a pattern: the trees that matching compares, without choices left.
#pragma once

#include <optional>
#include <vector>

#include "ir/context.h"
#include "rewrite/rule_text.h"

namespace mlgc {

// All trees that come from the pattern by swapping the operands of commutative ops and leaving optional ones out;
// nothing when there are more than kMaxRuleForms.
[[nodiscard]] std::optional<std::vector<RulePattern>> rule_forms(const Context& context, const RulePattern& pattern);

}  // namespace mlgc
