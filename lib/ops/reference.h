// The reference of the op table: one text for people, one for programs, and a summary by tier.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "ir/op_def.h"

namespace mlgc {

struct TierSummary {
  std::array<std::size_t, 4> rows{};  // by Tier
  std::size_t total = 0;
  // Formula and composite rows among those that compute something (structural rows do not).
  [[nodiscard]] double formula_share() const;
};
[[nodiscard]] TierSummary summarize_ops();
// A few lines: rows by tier, the share, and the census operators that have a row.
[[nodiscard]] std::string render_op_summary();

[[nodiscard]] std::string_view tier_name(Tier tier);
// A section of a Markdown page: summary, formula, operands, attributes, effects, gradient, example, ATen names.
[[nodiscard]] std::string render_op_markdown(const OpDef& def);

}  // namespace mlgc
