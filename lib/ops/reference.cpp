// Renders rows: each fact of a row is listed once, and the formats only arrange what is listed.
#include "ops/reference.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/json_writer.h"
#include "ops/aten_names.h"
#include "ops/trait_names.h"

namespace mlgc {
namespace {

constexpr std::array<std::string_view, 4> kTiers{"formula", "composite", "hook", "structural"};
std::string_view tier_name(Tier tier) { return kTiers[static_cast<std::size_t>(tier)]; }

std::string_view elements_name(ElementClass elements) {
  switch (elements) {
    case ElementClass::Any: return "any type";
    case ElementClass::Number: return "number";
    case ElementClass::Float: return "float";
    case ElementClass::Integer: return "integer";
    case ElementClass::Bool: return "i1";
    case ElementClass::IntOrBool: return "integer or i1";
    case ElementClass::Position: return "i32 or i64";
    case ElementClass::Index: return "index";
    case ElementClass::Buffer: return "buffer";
    case ElementClass::Opaque: return "any type, complex ones too";
    case ElementClass::Value: return "any value";
  }
  return "";
}

std::string_view attribute_kind_text(AttributeKind kind) {
  return kind == AttributeKind::None ? "number" : attribute_kind_name(kind);
}

std::vector<std::string_view> effect_names(Effects effects) {
  constexpr std::array<std::pair<Effects, std::string_view>, 4> kNames{{{Effects::MayFail, "may fail"},
                                                                        {Effects::Reads, "reads"},
                                                                        {Effects::Writes, "writes"},
                                                                        {Effects::Allocates, "allocates"}}};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames)
    if (has(effects, bit)) names.push_back(name);
  return names;
}

std::vector<std::string_view> trait_names(Traits traits) {
  std::vector<std::string_view> names;
  for (const TraitName& row : kTraitNames)
    if (has(traits, row.trait)) names.push_back(row.name);
  return names;
}

std::string joined(const std::vector<std::string_view>& items) {
  std::string text;
  for (std::string_view item : items) text += (text.empty() ? "" : ", ") + std::string(item);
  return text;
}

std::string operand_text(const OperandDef& operand) {
  return std::string(operand.name) + ": " +
         (operand.variadic   ? "any number of "
          : operand.optional ? "optional "
                             : "") +
         std::string(elements_name(operand.elements));
}

std::string attribute_text(const AttrDef& attr) {
  std::string text = std::string(attr.name) + ": " + std::string(attribute_kind_text(attr.kind));
  if (attr.required) text += ", required";
  if (!attr.fallback.empty()) text += ", default " + std::string(attr.fallback);
  if (!attr.choices.empty()) text += ", one of " + std::string(attr.choices);
  if (!attr.summary.empty()) text += " — " + std::string(attr.summary);
  return text;
}

// Only rows that compute can have a gradient.
std::string gradient_text(const OpDef& def) {
  if (!def.no_gradient.empty()) return "none: " + std::string(def.no_gradient);
  if (def.hooks.gradient != nullptr) return "stated by the row";
  return def.tier == Tier::Structural ? "of what is inside" : "derived from the row";
}

// One fact of an op: what it is called, and its items.
struct Fact {
  std::string_view title;
  std::vector<std::string> items;
};

std::vector<Fact> facts_of(const OpDef& def) {
  std::vector<Fact> facts;
  const auto add = [&facts](std::string_view title, std::string_view text) {
    if (!text.empty()) facts.push_back({title, {std::string(text)}});
  };
  add("Tier", tier_name(def.tier));
  add("Formula", def.formula);
  add("No formula", def.no_formula);
  Fact operands{"Operands", {}}, attributes{"Attributes", {}}, regions{"Regions", {}};
  for (const OperandDef& operand : def.operands) operands.items.push_back(operand_text(operand));
  for (const AttrDef& attr : def.attrs) attributes.items.push_back(attribute_text(attr));
  for (const RegionDef& region : def.regions)
    regions.items.push_back(std::string(region.name) + (region.optional ? ", optional" : "") +
                            (region.terminator.empty() ? "" : ", ends with " + std::string(region.terminator)));
  for (Fact* fact : {&operands, &attributes, &regions})
    if (!fact->items.empty()) facts.push_back(std::move(*fact));
  add("Results", def.result_count == kVariadicResults ? "any number" : std::to_string(def.result_count));
  add("Effects", joined(effect_names(def.effects)));
  add("Traits", joined(trait_names(def.traits)));
  add("Gradient", gradient_text(def));
  add("Example", def.example);
  add("PyTorch", joined({def.aten.begin(), def.aten.end()}));
  return facts;
}

std::string text_section(const OpDef& def) {
  std::string text = std::string(def.name) + ": " + std::string(def.summary) + "\n";
  for (const Fact& fact : facts_of(def)) {
    std::string head = "  " + std::string(fact.title);
    head.resize(14, ' ');
    for (const std::string& item : fact.items) {
      text += head + item + "\n";
      head.assign(14, ' ');
    }
  }
  return text;
}

std::string markdown_section(const OpDef& def) {
  std::string text = "## `" + std::string(def.name) + "`\n\n" + std::string(def.summary) + "\n\n";
  for (const Fact& fact : facts_of(def)) {
    const bool code = fact.title == "Formula" || fact.title == "Example";
    text += "- " + std::string(fact.title) + ":";
    for (const std::string& item : fact.items) {
      if (fact.items.size() > 1) text += "\n  -";
      text += code ? " `" + item + "`" : " " + item;
    }
    text += "\n";
  }
  return text;
}

void json_op(JsonWriter& out, const OpDef& def) {
  out.member("name", def.name);
  out.member("summary", def.summary);
  out.member("tier", tier_name(def.tier));
  out.member("formula", def.formula);
  out.objects("operands", def.operands, [&](const OperandDef& operand) {
    out.member("name", operand.name);
    out.member("elements", elements_name(operand.elements));
    out.member("variadic", operand.variadic);
    out.member("optional", operand.optional);
  });
  out.objects("attributes", def.attrs, [&](const AttrDef& attr) {
    out.member("name", attr.name);
    out.member("kind", attribute_kind_text(attr.kind));
    out.member("required", attr.required);
    out.member("default", attr.fallback);
    out.member("choices", attr.choices);
    out.member("instead_of", attr.instead_of);
    out.member("summary", attr.summary);
  });
  out.member("results", def.result_count);
  out.strings("result_names", def.result_names);
  out.objects("regions", def.regions, [&](const RegionDef& region) {
    out.member("name", region.name);
    out.member("terminator", region.terminator);
    out.member("optional", region.optional);
  });
  out.strings("effects", effect_names(def.effects));
  out.strings("traits", trait_names(def.traits));
  out.member("no_formula", def.no_formula);
  out.member("no_gradient", def.no_gradient);
  out.member("example", def.example);
  out.strings("aten", def.aten);
}

}  // namespace

std::string ops_reference(std::span<const OpDef* const> rows, OpsFormat format, bool details) {
  std::string out;
  if (format == OpsFormat::Json) {
    JsonWriter json;
    json.member("version", 1);
    json.objects("ops", rows, [&](const OpDef* def) { json_op(json, *def); });
    return json.take();
  }
  std::size_t width = 0;
  for (const OpDef* def : rows) width = std::max(width, def->name.size());
  for (const OpDef* def : rows) {
    if (details) {
      if (!out.empty()) out += '\n';
      out += format == OpsFormat::Markdown ? markdown_section(*def) : text_section(*def);
      continue;
    }
    const std::string name(def->name);
    if (format == OpsFormat::Markdown)
      out += "- `" + name + "`: " + std::string(def->summary) + "\n";
    else
      out += name + std::string(width + 2 - name.size(), ' ') + std::string(def->summary) + "\n";
  }
  return out;
}

std::size_t TierSummary::formula_percent() const {
  const std::size_t computing = total - rows[static_cast<std::size_t>(Tier::Structural)];
  const std::size_t written =
      rows[static_cast<std::size_t>(Tier::Formula)] + rows[static_cast<std::size_t>(Tier::Composite)];
  return computing == 0 ? 100 : written * 100 / computing;
}

TierSummary summarize_ops(std::span<const OpDef* const> rows) {
  TierSummary out;
  out.total = rows.size();
  for (const OpDef* def : rows) {
    ++out.rows[static_cast<std::size_t>(def->tier)];
    if (def->tier == Tier::Formula && !def->no_gradient.empty()) ++out.formulas_without_gradient;
  }
  return out;
}

std::string ops_summary(std::span<const OpDef* const> rows, OpsFormat format) {
  const TierSummary summary = summarize_ops(rows);
  const std::string percent = std::to_string(summary.formula_percent());
  const std::string without_gradient = std::to_string(summary.formulas_without_gradient);
  const std::vector<AtenName> census = aten_names();
  const std::string operators = std::to_string(census.size());
  const std::string known = std::to_string(std::count_if(
      census.begin(), census.end(), [](const AtenName& name) { return name.row != nullptr || name.without_op; }));
  std::string out;
  if (format == OpsFormat::Json) {
    JsonWriter json;
    json.member("version", 1);
    json.object("tiers", [&] {
      for (std::size_t i = 0; i < summary.rows.size(); ++i) json.member(kTiers[i], summary.rows[i]);
    });
    json.number("formula_or_composite_percent", percent);
    json.number("formulas_declared_without_gradient", without_gradient);
    json.object("census", [&] {
      json.number("operators", operators);
      json.number("with_row", known);
    });
    return json.take();
  }
  const bool markdown = format == OpsFormat::Markdown;
  if (markdown) out = "| tier | rows |\n|---|---|\n";
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    std::string name(kTiers[i]);
    const std::string count = std::to_string(summary.rows[i]);
    if (!markdown) name.resize(12, ' ');
    out += markdown ? "| " + name + " | " + count + " |\n" : name + count + "\n";
  }
  out += markdown ? "\n" : "";
  out += percent + " % of the rows that compute are formulas or composites; " + without_gradient +
         " formula rows state why they have no gradient.\n";
  return out + known + " of the " + operators + " operators of the census have a row, or need none.\n";
}

}  // namespace mlgc
