// The rules of canonicalize, by family. A rule stands in the file of what it is about.
#pragma once

#include <span>

#include "rewrite/rule.h"

namespace mlgc {

[[nodiscard]] std::span<const RewriteRule> arithmetic_rules();
[[nodiscard]] std::span<const RewriteRule> logic_rules();  // comparisons, selection, control flow
[[nodiscard]] std::span<const RewriteRule> movement_rules();

// All of them, in that order.
[[nodiscard]] std::span<const RewriteRule> canonical_rules();

}  // namespace mlgc
