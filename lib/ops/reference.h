// The reference of the op table as text, Markdown and JSON, and its summary by tier. The same rows give the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ir/op_def.h"

namespace mlgc {

enum class OpsFormat : std::uint8_t { Text, Markdown, Json };

// With `details` a section for each op, else a line. JSON: {"version":1,"ops":[{"name","summary","tier","formula",
// "operands","attributes","results","result_names","regions","effects","traits","no_formula","no_gradient","example",
// "aten"}]}, always with details.
[[nodiscard]] std::string ops_reference(std::span<const OpDef* const> rows, OpsFormat format, bool details);

struct TierSummary {
  std::array<std::size_t, 4> rows{};  // by Tier
  std::size_t total = 0;
  std::size_t formulas_without_gradient = 0;  // formula rows that state why
  // Formula and composite rows among those that compute something (structural rows do not), rounded down; 100 when none
  // computes.
  [[nodiscard]] std::size_t formula_percent() const;
};
[[nodiscard]] TierSummary summarize_ops(std::span<const OpDef* const> rows);

// Rows by tier, the share of formula and composite rows among those that compute, rows without gradient, and how many
// operators of the census of models have a row in the op table.
[[nodiscard]] std::string ops_summary(std::span<const OpDef* const> rows, OpsFormat format);

}  // namespace mlgc
