// See difference_report.h.
#include "inspect/difference_report.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/json_writer.h"
#include "ir/constraint.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "text/module_report.h"
#include "text/printer.h"

namespace mlgc {
namespace {

constexpr std::string_view kRulePrefix = "rule ";

// The names of one module.
class Names : public ModuleReport {
 public:
  explicit Names(const Module& module) : ModuleReport(module) {}
  using ModuleReport::json_op;
  using ModuleReport::name;
  using ModuleReport::names;
};

// Which rules made ops of a module, and of which ops they made them.
class Rules {
 public:
  explicit Rules(const Module& module) : locations_(module.context().locations()) {
    walk(module, [&](OpRef op) { visit(op.location(), ""); });
  }
  // Empty where none is known.
  [[nodiscard]] std::string_view made(OpRef op) const { return rule_of(op.location()); }
  [[nodiscard]] std::string_view consumed(OpRef op) const {
    if (!op.location().known()) return "";
    const auto found = consumed_.find(locations_.print(op.location()));
    return found == consumed_.end() ? "" : found->second;
  }

 private:
  [[nodiscard]] std::string_view rule_of(Location at) const {
    if (locations_.kind(at) != LocationKind::Named || !locations_.name(at).starts_with(kRulePrefix)) return "";
    return locations_.name(at).substr(kRulePrefix.size());
  }
  // `rule` is the innermost one around the location.
  void visit(Location at, std::string_view rule) {
    const std::string_view own = rule_of(at);
    if (own.empty() && rule.empty()) return;
    if (own.empty()) consumed_.emplace(locations_.print(at), rule);
    const LocationKind kind = locations_.kind(at);
    if (own.empty() && kind != LocationKind::Fused && kind != LocationKind::Annotated) return;
    if (!own.empty() && !rule.empty()) consumed_.emplace(locations_.print(at), rule);
    if (!visited_.insert(at.id).second) return;
    for (const Location child : locations_.children(at)) visit(child, own.empty() ? rule : own);
  }

  const LocationTable& locations_;
  std::unordered_map<std::string, std::string_view> consumed_;
  std::unordered_set<std::uint32_t> visited_;
};

class DifferenceReport : Names {
 public:
  DifferenceReport(const Module& before, const Module& after, const ModuleMatching& matching,
                   const ModuleDifference& difference, const DifferenceNames& names)
      : Names(after), matching_(matching), difference_(difference), called_(names), before_(before), rules_(after) {
    color_ = names.color;
  }

  std::string text() {
    const DifferenceCounts& counts = difference_.counts;
    std::string found;
    for (const auto& [what, count] : counted_kinds(counts))
      if (count > 0) found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
    if (found.empty()) found = difference_.any() ? "the module differs" : "no difference";
    if (counts.follow > 0) found += " (" + std::to_string(counts.follow) + " only by types that follow from others)";
    found += "; " + counted(counts.same, "op") + " the same";
    if (counts.renamed > 0) found += ", " + counted(counts.renamed, "value") + " renamed";
    std::string out = paint("1", called_.before + " -> " + called_.after) + ": " + found + "\n";
    ReportTable table;
    for (const AttributeChange& change : difference_.module)
      table.rows.push_back({kind_text("changed"), change_text(change, AttributeKind::None)});
    for (const ItemDifference& item : difference_.items)
      if (stands_alone(item)) add_rows(table, item.ops.front());
    if (!table.rows.empty()) {
      out += "\n" + paint("1", "module") + "\n";
      table.append_to(out, "  ");
    }
    for (const ItemDifference& item : difference_.items) {
      if (stands_alone(item)) continue;
      std::string title = symbol_text(item.after);
      if (item.before.symbol() != item.after.symbol()) title += " (was " + symbol_text(item.before) + ")";
      out += "\n" + paint("1", title) + "\n";
      table.rows.clear();
      for (const OpDifference& op : item.ops)
        if (!op.follows) add_rows(table, op);
      table.append_to(out, "  ");
    }
    return out;
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kDifferenceJsonVersion);
    out.member("before", called_.before);
    out.member("after", called_.after);
    out.member("equal", !difference_.any());
    out.object("counts", [&] {
      for (const auto& [what, count] : counted_kinds(difference_.counts)) out.member(what, count);
      out.member("follow", difference_.counts.follow);
      out.member("same", difference_.counts.same);
      out.member("renamed", difference_.counts.renamed);
    });
    json_attributes(out, "module", difference_.module, OpRef());
    out.objects("items", difference_.items, [&](const ItemDifference& item) {
      const OpRef any = item.after.valid() ? item.after : item.before;
      out.member("item", any.name());
      out.member("name", any.symbol());
      if (item.before.valid() && item.after.valid() && item.before.symbol() != item.after.symbol())
        out.member("before", item.before.symbol());
      out.objects("ops", item.ops, [&](const OpDifference& op) { json_of(out, op); });
    });
    return out.take();
  }

 private:
  using Counted = std::pair<std::string_view, std::size_t>;
  static std::array<Counted, 6> counted_kinds(const DifferenceCounts& counts) {
    return {Counted{"removed", counts.removed},   Counted{"added", counts.added},
            Counted{"replaced", counts.replaced}, Counted{"rewired", counts.rewired},
            Counted{"changed", counts.changed},   Counted{"moved", counts.moved}};
  }
  static std::vector<std::string_view> kinds(const OpDifference& op) {
    if (op.removed()) return {"removed"};
    if (op.added()) return {"added"};
    std::vector<std::string_view> out;
    if (op.replaced) out.emplace_back("replaced");
    if (op.rewired()) out.emplace_back("rewired");
    if (op.changed()) out.emplace_back("changed");
    if (op.moved) out.emplace_back("moved");
    return out;
  }

  // What is said in a line of the module's own table: not a function of both, and nothing inside of it.
  static bool stands_alone(const ItemDifference& item) {
    const bool both = item.before.valid() && item.after.valid();
    const bool own =
        item.ops.size() == 1 && item.ops.front().before == item.before && item.ops.front().after == item.after;
    return !both || (own && !item.after.is(GraphOp::Func));
  }
  static std::string symbol_text(OpRef op) {
    return op.symbol().empty() ? std::string(op.name()) : "@" + std::string(op.symbol());
  }

  [[nodiscard]] std::string kind_text(std::string_view kind) const {
    // As many bytes for each colour: columns stay straight.
    const std::string_view code = kind.starts_with("removed") ? "31" : kind.starts_with("added") ? "32" : "33";
    return paint(code, kind);
  }

  // A line for the op, and one for each thing that is said of it.
  void add_rows(ReportTable& table, const OpDifference& op) {
    std::string kind;
    for (const std::string_view one : kinds(op)) kind += (kind.empty() ? "" : ", ") + std::string(one);
    const OpRef at = op.after.valid() ? op.after : op.before;
    const std::string place = place_text(context_.locations(), at.location());
    table.rows.push_back({kind_text(kind), op_text(op), place == "unknown place" ? "" : place, by_text(op)});
    for (std::string& detail : details(op)) table.rows.push_back({kind_text(""), "  " + std::move(detail)});
  }

  // `%d = add %x, %n`; of both, what they have in common.
  std::string op_text(const OpDifference& op) {
    if (op.removed() || op.replaced) return whole_text(before_, op.before);
    if (op.added()) return whole_text(after_, op.after);
    std::string out = start_text(after_, op.after);
    if (op.after.result_count() > 0 && before_.names(op.before) != after_.names(op.after))
      out += " (was " + before_.names(op.before) + ")";
    return out;
  }
  static std::string start_text(const Names& names, OpRef op) {
    if (op.has_trait(Traits::Symbol)) return std::string(op.name()) + " " + symbol_text(op);
    return (op.result_count() == 0 ? "" : names.names(op) + " = ") + std::string(op.name());
  }
  std::string whole_text(const Names& names, OpRef op) const {
    std::string out = start_text(names, op), operands, attributes;
    if (op.has_trait(Traits::Symbol)) {
      std::size_t inside = 0;
      walk(op, [&](OpRef) { ++inside; });
      return inside > 1 ? out + ", " + counted(inside - 1, "op") : out;
    }
    for (const Value operand : op.operands()) operands += (operands.empty() ? " " : ", ") + names.name(operand);
    for (const NamedAttribute& entry : context_.attributes().entries(op.attrs())) {
      if (const auto symbol = context_.attributes().as_symbol(entry.value)) {
        operands += " @" + std::string(*symbol);
        continue;
      }
      const std::string_view called = context_.strings().text(entry.name);
      attributes += (attributes.empty() ? " {" : ", ") + std::string(called) + " = " +
                    attribute_text(entry.value, wanted(op, called));
    }
    return out + operands + attributes + (attributes.empty() ? "" : "}");
  }

  static AttributeKind wanted(OpRef op, std::string_view name) {
    if (op.valid())
      for (const AttrDef& attr : op.def().attrs)
        if (attr.name == name) return attr.kind;
    return AttributeKind::None;
  }
  // Short: of large constants the type and a hash tell them apart.
  [[nodiscard]] std::string attribute_text(Attribute attribute, AttributeKind kind) const {
    constexpr std::size_t kMostBytes = 64, kLongest = 80;
    const AttributePool& pool = context_.attributes();
    if (!attribute.valid()) return "not stated";
    if (pool.kind(attribute) == AttributeKind::Tensor && pool.as_tensor(attribute).bytes.size() > kMostBytes)
      return context_.types().print(pool.as_tensor(attribute).type) + " of " +
             std::to_string(pool.as_tensor(attribute).bytes.size()) + " bytes";
    std::string out = print_attribute(attribute, context_, kind);
    if (out.size() > kLongest) out = out.substr(0, kLongest) + "…";
    return out;
  }
  [[nodiscard]] std::string constraint_text(Attribute attribute) const {
    const auto constraints = constraints_from(attribute, context_);
    return constraints ? print(*constraints, context_.index()) : attribute_text(attribute, AttributeKind::None);
  }
  [[nodiscard]] std::pair<std::string, std::string> both_texts(const AttributeChange& change,
                                                               AttributeKind kind) const {
    if (change.name == context_.names().where)
      return {change.before.valid() ? constraint_text(change.before) : "not stated",
              change.after.valid() ? constraint_text(change.after) : "not stated"};
    return {attribute_text(change.before, kind), attribute_text(change.after, kind)};
  }
  [[nodiscard]] std::string change_text(const AttributeChange& change, AttributeKind kind) const {
    const auto [before, after] = both_texts(change, kind);
    const std::string name(context_.strings().text(change.name));
    if (before == after) return name + ": another " + after;  // what is not shown differs
    return name + ": " + before + " -> " + after;
  }

  static std::string operand_name(OpRef op, std::size_t i) {
    const auto& operands = op.def().operands;
    if (operands.empty()) return std::to_string(i);
    const OperandDef& operand = operands[std::min(i, operands.size() - 1)];
    const std::string name(operand.name);
    return operand.variadic ? name + "[" + std::to_string(i + 1 - operands.size()) + "]" : name;
  }
  // With what makes it, where the same name stands for another value.
  [[nodiscard]] static std::string value_text(const Names& names, Value value, bool with_origin) {
    if (!value.valid()) return "nothing";
    if (!with_origin) return names.name(value);
    return names.name(value) + (value.is_result() ? " of " + std::string(value.definer().name()) : " (argument)");
  }

  std::vector<std::string> details(const OpDifference& op) {
    std::vector<std::string> out;
    const auto say = [&](std::string text) { out.push_back(std::move(text)); };
    if (op.added() || op.removed()) return out;
    if (op.replaced) say("now " + whole_text(after_, op.after));
    for (const OperandChange& change : op.operands) {
      const std::string before = value_text(before_, change.before, false),
                        after = value_text(after_, change.after, false);
      say(operand_name(op.after, change.operand) + ": " + value_text(before_, change.before, before == after) + " -> " +
          value_text(after_, change.after, before == after));
    }
    for (const AttributeChange& change : op.attributes)
      say(change_text(change, wanted(op.after, context_.strings().text(change.name))));
    for (const TypeChange& change : op.types) {
      const bool alone = op.after.result_count() == 1 && change.after.is_result();
      say((alone ? "type" : "type of " + after_.name(change.after)) + ": " +
          context_.types().print(change.before.type()) + " -> " + context_.types().print(change.after.type()));
    }
    const auto arguments = [&](const Names& names, const std::vector<Value>& values, std::string_view what) {
      for (const Value value : values)
        say("argument " + names.name(value) + ": " + context_.types().print(value.type()) + " " + std::string(what));
    };
    arguments(before_, op.arguments_removed, "removed");
    arguments(after_, op.arguments_added, "added");
    for (const Value value : op.arguments_moved) say("argument " + after_.name(value) + " moved");
    if (op.moved) say("stands " + standing(after_, op.after, op) + ", was " + standing(before_, op.before, op));
    return out;
  }
  [[nodiscard]] std::string standing(const Names& names, OpRef op, const OpDifference& difference) const {
    const OpRef parent = difference.after.parent_op();
    const bool elsewhere = matching_.partner(difference.before.parent_op()) != parent ||
                           difference.before.parent().number() != difference.after.parent().number();
    std::string out = op.previous().valid() ? "after " + short_text(names, op.previous()) : "first";
    if (elsewhere) out += " in " + short_text(names, op.parent_op());
    return out;
  }
  static std::string short_text(const Names& names, OpRef op) {
    if (op.result_count() > 0) return names.names(op);
    return op.has_trait(Traits::Symbol) ? symbol_text(op) : std::string(op.name());
  }

  struct By {
    std::string_view rule, pass;
  };
  [[nodiscard]] By by(const OpDifference& op) const {
    const PassHistory* history = called_.history;
    By out;
    if (op.removed()) {
      out.rule = rules_.consumed(op.before);
      if (history != nullptr) out.pass = history->removed_by(op.before.serial());
      return out;
    }
    // What was there before was not made by what is asked about.
    if (op.before.valid() && op.before.location() == op.after.location() && !op.replaced) return out;
    out.rule = rules_.made(op.after);
    if (history != nullptr) out.pass = history->made_by(op.after.serial());
    return out;
  }
  [[nodiscard]] std::string by_text(const OpDifference& op) const {
    const By known = by(op);
    std::string out;
    if (!known.rule.empty()) out = "rule " + std::string(known.rule);
    if (!known.pass.empty()) out += (out.empty() ? "pass " : ", pass ") + std::string(known.pass);
    return out;
  }

  void json_attributes(JsonWriter& out, std::string_view name, const std::vector<AttributeChange>& changes,
                       OpRef op) const {
    out.objects(name, changes, [&](const AttributeChange& change) {
      const std::string_view called = context_.strings().text(change.name);
      const auto [before, after] = both_texts(change, wanted(op, called));
      out.member("attribute", called);
      if (change.before.valid()) out.member("before", before);
      if (change.after.valid()) out.member("after", after);
    });
  }
  void json_of(JsonWriter& out, const OpDifference& op) {
    out.strings("kinds", kinds(op));
    const auto side = [&](std::string_view name, const Names& names, OpRef at) {
      if (!at.valid()) return;
      out.object(name, [&] { names.json_op(out, at); });
    };
    side("before", before_, op.before);
    side("after", after_, op.after);
    if (!op.operands.empty())
      out.objects("operands", op.operands, [&](const OperandChange& change) {
        out.member("operand", operand_name(op.after, change.operand));
        if (change.before.valid()) out.member("before", before_.name(change.before));
        if (change.after.valid()) out.member("after", after_.name(change.after));
      });
    if (!op.attributes.empty()) json_attributes(out, "attributes", op.attributes, op.after);
    if (!op.types.empty())
      out.objects("types", op.types, [&](const TypeChange& change) {
        out.member("value", after_.name(change.after));
        out.member("before", context_.types().print(change.before.type()));
        out.member("after", context_.types().print(change.after.type()));
      });
    const auto arguments = [&](std::string_view name, const Names& names, const std::vector<Value>& values) {
      if (values.empty()) return;
      out.objects(name, values, [&](Value value) {
        out.member("name", names.name(value));
        out.member("type", context_.types().print(value.type()));
      });
    };
    arguments("arguments_removed", before_, op.arguments_removed);
    arguments("arguments_added", after_, op.arguments_added);
    arguments("arguments_moved", after_, op.arguments_moved);
    if (op.follows) out.member("follows", true);
    const By known = by(op);
    if (!known.rule.empty()) out.member("rule", known.rule);
    if (!known.pass.empty()) out.member("pass", known.pass);
  }

  const ModuleMatching& matching_;
  const ModuleDifference& difference_;
  const DifferenceNames& called_;
  const Names before_;
  const Names& after_ = *this;
  Rules rules_;
};

}  // namespace

std::string difference_text(const Module& before, const Module& after, const ModuleMatching& matching,
                            const ModuleDifference& difference, const DifferenceNames& names) {
  return DifferenceReport(before, after, matching, difference, names).text();
}

std::string difference_json(const Module& before, const Module& after, const ModuleMatching& matching,
                            const ModuleDifference& difference, const DifferenceNames& names) {
  return DifferenceReport(before, after, matching, difference, names).json();
}

}  // namespace mlgc
