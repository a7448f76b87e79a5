// The op table as text, Markdown and JSON. The same rows give the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/op_def.h"

namespace mlgc {

enum class OpsFormat : std::uint8_t { Text, Markdown, Json };

// With `details` a section for each op, else a line. JSON: {"version":1,"ops":[{"name","summary","tier","formula",
// "operands","attributes","results","effects","traits","gradient","example","aten",…}]}, always with details.
[[nodiscard]] std::string ops_reference(std::span<const OpDef* const> rows, OpsFormat format, bool details);

// Rows by tier, the share of formula and composite rows among those that compute, rows without gradient.
[[nodiscard]] std::string ops_summary(std::span<const OpDef* const> rows, OpsFormat format);

}  // namespace mlgc
