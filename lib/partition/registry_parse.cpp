// Registry files to registries; see registry.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "diag/kinds_driver.h"
#include "diag/kinds_partition.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ops/attribute_value.h"
#include "ops/trait_names.h"
#include "partition/registry.h"
#include "support/file.h"

namespace mlgc {

namespace {

// Classes of ops that a rule may list, by their traits.
constexpr std::array kClasses{Traits::Elementwise, Traits::Movement, Traits::Random, Traits::Loop};

// Built in: what a model would look like for a target that supports all there is.
constexpr std::string_view kEverythingName = "everything";
constexpr std::string_view kEverything = R"({"mlgc-registry": 1, "target": "everything", "rules": [{"ops": ["*"]}]})";

using Names = std::vector<std::string_view>;

// What a value of an attribute of that kind looks like in JSON; empty: such attributes are not compared.
std::string_view expected_value(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::None: return "a number, true or false";
    case AttributeKind::Bool: return "true or false";
    case AttributeKind::Int: return "an integer";
    case AttributeKind::Float: return "a number";
    case AttributeKind::String: return "a string";
    case AttributeKind::Dtype: return "the name of an element type";
    case AttributeKind::IntList: return "an integer or an array of integers";
    case AttributeKind::FloatList: return "a number or an array of numbers";
    default: return "";
  }
}

bool fits(const JsonNode& node, AttributeKind kind) {
  const bool integer = node.as<std::int64_t>() != nullptr, number = integer || node.as<double>() != nullptr;
  const auto all = [&](auto&& test) {
    const JsonArray* items = node.as<JsonArray>();
    return items != nullptr && std::all_of(items->begin(), items->end(), test);
  };
  if (node.as<std::monostate>() != nullptr) return true;
  switch (kind) {
    case AttributeKind::None: return number || node.as<bool>() != nullptr;
    case AttributeKind::Bool: return node.as<bool>() != nullptr;
    case AttributeKind::Int: return integer;
    case AttributeKind::Float: return number;
    case AttributeKind::String: return node.as<std::string>() != nullptr;
    case AttributeKind::Dtype: return node.as<std::string>() != nullptr && parse_dtype(*node.as<std::string>());
    case AttributeKind::IntList: return integer || all([](const JsonNode& n) { return n.as<std::int64_t>(); });
    case AttributeKind::FloatList:
      return number || all([](const JsonNode& n) { return fits(n, AttributeKind::Float); });
    default: return false;
  }
}

class Reader {
 public:
  Reader(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics)
      : context_(context), file_(file), diagnostics_(diagnostics) {}

  std::shared_ptr<const Registry> run() {
    const std::size_t before = diagnostics_.error_count();
    const auto root = parse_located_json(file_, diagnostics_);
    if (!root) return nullptr;
    auto registry = std::make_shared<Registry>();
    if (is_object(*root, "the file")) top(*root, *registry);
    if (diagnostics_.error_count() != before) return nullptr;
    warn_unreached(*registry);
    registry->index(context_.ops().size());
    return registry;
  }

 private:
  template <const DiagKind& K, class... Args>
  Diagnostic located(std::size_t begin, std::size_t end, Args&&... args) {
    // One line is underlined.
    const std::size_t line = file_.text().substr(begin, end - begin).find('\n');
    return diagnose<K>(context_.locations().position_in(file_, begin), std::forward<Args>(args)...)
        .with_width(std::min(end - begin, line));
  }
  template <const DiagKind& K, class... Args>
  void report(const JsonNode& node, Args&&... args) {
    diagnostics_.emit(located<K>(node.begin, node.end, std::forward<Args>(args)...));
  }
  void wrong_kind(const JsonNode& node, std::string_view place, std::string_view expected) {
    report<kRegistryValue>(node, place, json_kind(node), expected);
  }
  bool is_object(const JsonNode& node, std::string_view place) {
    if (node.as<JsonObject>() != nullptr) return true;
    wrong_kind(node, place, "an object");
    return false;
  }
  void suggest(Diagnostic&& diagnostic, std::string_view name, const Names& known) {
    if (const auto near = closest_name(name, known)) diagnostic.add_note<kDidYouMean>({}, *near);
    diagnostics_.emit(std::move(diagnostic));
  }

  // Nothing else than `known` in the object.
  void check_members(const JsonNode& node, const std::string& place, const Names& known) {
    for (const JsonMember& member : *node.as<JsonObject>())
      if (std::find(known.begin(), known.end(), member.name) == known.end())
        suggest(located<kRegistryUnknownMember>(member.begin, member.end, place, member.name), member.name, known);
  }
  const JsonNode* require(const JsonNode& node, const std::string& place, std::string_view name) {
    const JsonNode* member = node.find(name);
    if (member == nullptr) {
      diagnostics_.emit(located<kRegistryMember>(node.begin, node.begin + 1, place, name));
    }
    return member;
  }

  std::string text(const JsonNode* node, const std::string& place) {
    if (node == nullptr) return "";
    if (const std::string* found = node->as<std::string>()) return *found;
    wrong_kind(*node, place, "a string");
    return "";
  }
  bool flag(const JsonNode* node, const std::string& place, bool otherwise) {
    if (node == nullptr) return otherwise;
    if (const bool* found = node->as<bool>()) return *found;
    wrong_kind(*node, place, "true or false");
    return otherwise;
  }
  std::optional<std::int64_t> integer(const JsonNode* node, const std::string& place, std::string_view expected) {
    if (node == nullptr) return std::nullopt;
    if (const auto* found = node->as<std::int64_t>(); found != nullptr && *found >= 0) return *found;
    wrong_kind(*node, place, expected);
    return std::nullopt;
  }
  std::optional<double> number(const JsonNode* node, const std::string& place) {
    if (node == nullptr) return std::nullopt;
    if (const auto* whole = node->as<std::int64_t>()) return static_cast<double>(*whole);
    if (const auto* real = node->as<double>()) return *real;
    wrong_kind(*node, place, "a number");
    return std::nullopt;
  }
  // Calls visit(item, place) for each item of an array.
  template <class Visit>
  void items(const JsonNode* node, const std::string& place, Visit&& visit) {
    if (node == nullptr) return;
    const JsonArray* array = node->as<JsonArray>();
    if (array == nullptr) return wrong_kind(*node, place, "an array");
    for (std::size_t i = 0; i < array->size(); ++i) visit((*array)[i], place + "[" + std::to_string(i) + "]");
  }

  void top(const JsonNode& root, Registry& registry) {
    check_members(root, "the file", {"mlgc-registry", "target", "rules"});
    if (const JsonNode* version = require(root, "the file", "mlgc-registry")) {
      const auto found = integer(version, "mlgc-registry", "the number of a version");
      if (found && *found != kRegistryVersionKnown)
        return report<kRegistryVersion>(*version, *found, kRegistryVersionKnown);
    }
    if (const JsonNode* target = require(root, "the file", "target")) {
      registry.target = text(target, "target");
      if (target->as<std::string>() != nullptr && registry.target.empty())
        report<kRegistryValue>(*target, "target", "empty", "the name of a target");
    }
    items(require(root, "the file", "rules"), "rules", [&](const JsonNode& node, const std::string& place) {
      if (is_object(node, place)) rule(node, place, registry.rules.emplace_back());
      places_.push_back(&node);
    });
  }

  void rule(const JsonNode& node, const std::string& place, RegistryRule& out) {
    check_members(
        node, place,
        {"name", "ops", "dtypes", "operands", "attributes", "rank", "static-shapes", "supported", "reason", "cost"});
    out.name = text(node.find("name"), place + ".name");
    if (out.name.empty()) out.name = place;
    const JsonNode* ops = require(node, place, "ops");
    if (ops != nullptr && ops->as<JsonArray>() != nullptr && ops->as<JsonArray>()->empty())
      report<kRegistryValue>(*ops, place + ".ops", "empty", "an array of names of ops");
    Names named;  // ops that stand there by their own name
    items(ops, place + ".ops", [&](const JsonNode& item, const std::string& at) { op_name(item, at, out, named); });
    std::sort(out.ops.begin(), out.ops.end());
    out.ops.erase(std::unique(out.ops.begin(), out.ops.end()), out.ops.end());
    out.dtypes = dtypes(node.find("dtypes"), place + ".dtypes");
    if (const JsonNode* conditions = node.find("operands"); conditions && is_object(*conditions, place + ".operands"))
      for (const JsonMember& member : *conditions->as<JsonObject>()) operand(member, place + ".operands", out, named);
    if (const JsonNode* conditions = node.find("attributes");
        conditions && is_object(*conditions, place + ".attributes"))
      for (const JsonMember& member : *conditions->as<JsonObject>())
        attribute(member, place + ".attributes", out, named);
    rank(node.find("rank"), place + ".rank", out);
    out.static_shapes = flag(node.find("static-shapes"), place + ".static-shapes", false);
    out.supported = flag(node.find("supported"), place + ".supported", true);
    out.reason = text(node.find("reason"), place + ".reason");
    out.cost = number(node.find("cost"), place + ".cost");
  }

  void op_name(const JsonNode& node, const std::string& place, RegistryRule& out, Names& named) {
    const std::string name = text(&node, place);
    if (node.as<std::string>() == nullptr) return;
    const auto take_all = [&](auto&& test) {
      for (std::size_t i = 0; i < context_.ops().size(); ++i)
        if (never_in_segment(*context_.ops()[i]).empty() && test(*context_.ops()[i]))
          out.ops.push_back(static_cast<Opcode>(i));
    };
    if (name == "*") {
      out.every_op = true;
      return take_all([](const OpDef&) { return true; });
    }
    for (const Traits trait : kClasses)
      if (trait_name(trait) == name) return take_all([&](const OpDef& def) { return has(def.traits, trait); });
    const Opcode opcode = context_.find_op(name);
    if (opcode == Opcode::Invalid) {
      Names known;
      std::vector<std::string> classes;
      for (const OpDef* def : context_.ops())
        if (never_in_segment(*def).empty()) known.push_back(def->name);
      for (const Traits trait : kClasses) {
        known.push_back(trait_name(trait));
        classes.emplace_back(trait_name(trait));
      }
      return suggest(located<kRegistryUnknownOp>(node.begin, node.end, place, name, classes), name, known);
    }
    const OpDef& def = context_.def(opcode);
    if (const std::string_view reason = never_in_segment(def); !reason.empty())
      return report<kRegistryOpNotAllowed>(node, place, name, reason);
    out.ops.push_back(opcode);
    named.push_back(def.name);
  }

  std::optional<DtypeSet> dtypes(const JsonNode* node, const std::string& place) {
    if (node == nullptr) return std::nullopt;
    DtypeSet set = 0;
    items(node, place, [&](const JsonNode& item, const std::string& at) {
      const std::string name = text(&item, at);
      const auto dtype = parse_dtype(name);
      if (dtype)
        set = static_cast<DtypeSet>(set | 1U << static_cast<unsigned>(*dtype));
      else if (item.as<std::string>() != nullptr)
        report<kRegistryValue>(item, at, "`" + name + "`", "one of i1, i8, ui8, i16, i32, i64, f16, bf16, f32, f64");
    });
    return set;
  }

  // A row lacks what a condition speaks of: each op that stands in the rule by its name must have it; of a class one
  // op.
  template <const DiagKind& K, class Has>
  bool all_have(const JsonMember& member, const std::string& place, const RegistryRule& rule, const Names& named,
                Has&& has_it, auto&& names_of) {
    for (const std::string_view name : named) {
      const OpDef& def = context_.def(context_.find_op(name));
      if (has_it(def)) continue;
      suggest(located<K>(member.begin, member.end, place, name, member.name), member.name, names_of(def));
      return false;
    }
    if (rule.ops.empty()) return false;  // reported before
    if (std::any_of(rule.ops.begin(), rule.ops.end(), [&](Opcode op) { return has_it(context_.def(op)); })) return true;
    diagnostics_.emit(located<K>(member.begin, member.end, place, "any op of the rule", member.name));
    return false;
  }

  void operand(const JsonMember& member, const std::string& place, RegistryRule& out, const Names& named) {
    const auto names_of = [](const OpDef& def) {
      Names names;
      for (const OperandDef& o : def.operands) names.push_back(o.name);
      return names;
    };
    const auto has_it = [&](const OpDef& def) {
      const Names names = names_of(def);
      return std::find(names.begin(), names.end(), member.name) != names.end();
    };
    if (!all_have<kRegistryUnknownOperand>(member, place, out, named, has_it, names_of)) return;
    const std::string at = place + "." + member.name;
    if (!is_object(member.node, at)) return;
    check_members(member.node, at, {"dtypes", "constant"});
    out.operands.push_back({member.name, dtypes(member.node.find("dtypes"), at + ".dtypes"),
                            flag(member.node.find("constant"), at + ".constant", false)});
  }

  void attribute(const JsonMember& member, const std::string& place, RegistryRule& out, const Names& named) {
    const auto names_of = [](const OpDef& def) {
      Names names;
      for (const AttrDef& a : def.attrs) names.push_back(a.name);
      return names;
    };
    const auto has_it = [&](const OpDef& def) { return find_attribute(def, member.name) != nullptr; };
    if (!all_have<kRegistryUnknownAttribute>(member, place, out, named, has_it, names_of)) return;
    const std::string at = place + "." + member.name;
    RegistryRule::Attribute condition{.name = member.name, .values = {}, .min = {}, .max = {}, .text = {}};
    const auto value = [&](const JsonNode& node, const std::string& where) {
      for (const Opcode op : out.ops) {
        const AttrDef* row = find_attribute(context_.def(op), member.name);
        if (row == nullptr || fits(node, row->kind)) continue;
        const std::string_view expected = expected_value(row->kind);
        return wrong_kind(node, where, expected.empty() ? "left out: such attributes are not compared" : expected);
      }
      condition.values.push_back(node);
    };
    const std::string_view written = file_.text();
    const auto source = [&](const JsonNode& node) {
      return std::string(written.substr(node.begin, node.end - node.begin));
    };
    if (member.node.as<JsonObject>() == nullptr) {
      value(member.node, at);
      condition.text = source(member.node);
    } else {
      check_members(member.node, at, {"equals", "in", "min", "max"});
      if (member.node.as<JsonObject>()->empty())
        report<kRegistryValue>(member.node, at, "empty", "a value, or an object with `equals`, `in`, `min` or `max`");
      const JsonNode* equals = member.node.find("equals");
      if (equals != nullptr) value(*equals, at + ".equals");
      if (const JsonNode* in = member.node.find("in")) {
        if (equals != nullptr) report<kRegistryValue>(*in, at + ".in", "beside `equals`", "alone");
        items(in, at + ".in", value);
      }
      condition.min = number(member.node.find("min"), at + ".min");
      condition.max = number(member.node.find("max"), at + ".max");
      for (const JsonMember& part : *member.node.as<JsonObject>()) {
        if (!condition.text.empty()) condition.text += " and ";
        condition.text += part.name == "in"    ? "one of " + source(part.node)
                          : part.name == "min" ? "at least " + source(part.node)
                          : part.name == "max" ? "at most " + source(part.node)
                                               : source(part.node);
      }
    }
    out.attributes.push_back(std::move(condition));
  }

  void rank(const JsonNode* node, const std::string& place, RegistryRule& out) {
    if (node == nullptr) return;
    if (node->as<JsonObject>() == nullptr) {
      out.min_rank = out.max_rank = integer(node, place, "a rank, or an object with `min` or `max`");
      return;
    }
    check_members(*node, place, {"min", "max"});
    out.min_rank = integer(node->find("min"), place + ".min", "a rank");
    out.max_rank = integer(node->find("max"), place + ".max", "a rank");
  }

  void warn_unreached(const Registry& registry) {
    for (std::size_t i = 1; i < registry.rules.size(); ++i)
      for (std::size_t earlier = 0; earlier < i; ++earlier) {
        const RegistryRule &first = registry.rules[earlier], &rule = registry.rules[i];
        if (first.conditional() || !std::includes(first.ops.begin(), first.ops.end(), rule.ops.begin(), rule.ops.end()))
          continue;
        report<kRegistryUnreached>(*places_[i], "rules[" + std::to_string(i) + "]",
                                   "rules[" + std::to_string(earlier) + "]");
        break;
      }
  }

  Context& context_;
  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  std::vector<const JsonNode*> places_;  // of the rules
};

}  // namespace

std::shared_ptr<const Registry> parse_registry(Context& context, const SourceFile& file,
                                               DiagnosticEngine& diagnostics) {
  return Reader(context, file, diagnostics).run();
}

std::shared_ptr<const Registry> read_registry(Context& context, const std::string& path,
                                              DiagnosticEngine& diagnostics) {
  if (path == kEverythingName)
    return parse_registry(context, context.locations().add_source(path, std::string(kEverything)), diagnostics);
  Result<std::string> text = read_file(path);
  if (!text) {
    diagnostics.emit(diagnose<kCannotRead>({}, text.error()));
    return nullptr;
  }
  return parse_registry(context, context.locations().add_source(path, std::move(*text)), diagnostics);
}

}  // namespace mlgc
