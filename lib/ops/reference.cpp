// Renders rows.
#include "ops/reference.h"

#include "ops/aten_names.h"
#include "ops/op_table.h"

namespace mlgc {

std::string_view tier_name(Tier tier) {
  constexpr std::array<std::string_view, 4> names{"formula", "composite", "hook", "structural"};
  return names[static_cast<std::size_t>(tier)];
}

double TierSummary::formula_share() const {
  const std::size_t structural = rows[static_cast<std::size_t>(Tier::Structural)];
  const std::size_t written =
      rows[static_cast<std::size_t>(Tier::Formula)] + rows[static_cast<std::size_t>(Tier::Composite)];
  return total == structural ? 1.0 : static_cast<double>(written) / static_cast<double>(total - structural);
}

TierSummary summarize_ops() {
  TierSummary out;
  for (const OpDef* row : op_table()) ++out.rows[static_cast<std::size_t>(row->tier)];
  out.total = op_table().size();
  return out;
}

std::string render_op_summary() {
  const TierSummary summary = summarize_ops();
  std::string out = std::to_string(summary.total) + " ops:";
  for (std::size_t t = 0; t < summary.rows.size(); ++t)
    out += (t ? ", " : " ") + std::to_string(summary.rows[t]) + " " + std::string(tier_name(static_cast<Tier>(t)));
  std::size_t known = 0, all = 0;
  for (const AtenName& name : aten_names()) {
    ++all;
    known += name.row != nullptr || name.without_op;
  }
  out += "\nformula or composite, of those that compute: " +
         std::to_string(static_cast<int>(summary.formula_share() * 1000) / 10) + " %\n";
  return out + "operators of the census with a row: " + std::to_string(known) + " of " + std::to_string(all) + "\n";
}

std::string render_op_markdown(const OpDef& def) {
  std::string out = "## " + std::string(def.name) + "\n\n" + std::string(def.summary) + " (" +
                    std::string(tier_name(def.tier)) + ")\n";
  const auto line = [&](std::string_view title, std::string_view text) {
    if (!text.empty()) out += "\n" + std::string(title) + ": " + std::string(text) + "\n";
  };
  if (!def.formula.empty()) line("Formula", "`" + std::string(def.formula) + "`");
  if (def.hooks.build) line("Formula", "written for the ranks and lists of each use");
  for (const OperandDef& o : def.operands)
    out += "\n- operand `" + std::string(o.name) + "`" + (o.optional ? ", optional" : "") +
           (o.variadic ? ", any number" : "");
  for (const AttrDef& a : def.attrs) {
    out += "\n- attribute `" + std::string(a.name) + "`";
    if (a.required) out += ", required";
    if (!a.fallback.empty()) out += ", by default `" + std::string(a.fallback) + "`";
    if (!a.summary.empty()) out += ": " + std::string(a.summary);
  }
  if (!def.operands.empty() || !def.attrs.empty()) out += "\n";
  line("No gradient", def.no_gradient);
  line("No formula", def.no_formula);
  if (!def.example.empty()) line("Example", "`" + std::string(def.example) + "`");
  std::string aten;
  for (std::string_view name : def.aten) aten += (aten.empty() ? "`" : ", `") + std::string(name) + "`";
  line("In PyTorch", aten);
  return out;
}

}  // namespace mlgc
