// What a registry says of an op; see registry.h.
#include "partition/registry.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/function.h"
#include "ops/attribute_value.h"

namespace mlgc {

namespace {

std::string dtype_names(DtypeSet set) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kDtypeCount; ++i)
    if ((set >> i & 1U) != 0) names.push_back(kDtypes[i].name);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return out.empty() ? "any of none" : out;
}

bool holds(DtypeSet set, Dtype dtype) { return (set >> static_cast<unsigned>(dtype) & 1U) != 0; }

// The number of the operand's row.
std::size_t row_of_operand(const OpDef& def, std::size_t operand, std::size_t operands) {
  const std::size_t rows = def.operands.size();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!def.operands[row].variadic) {
      if (operand == row) return row;
      continue;
    }
    const std::size_t behind = rows - row - 1;
    return operand + behind < operands ? row : rows - (operands - operand);
  }
  return rows;
}
std::string_view operand_name(const OpDef& def, std::size_t operand, std::size_t operands) {
  const std::size_t row = row_of_operand(def, operand, operands);
  return row < def.operands.size() ? def.operands[row].name : "operand";
}

std::optional<double> number_of(const Context& context, const AttrValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const double* real = std::get_if<double>(&value)) return *real;
  if (const IndexExpr* whole = std::get_if<IndexExpr>(&value)) {
    const auto constant = context.index().as_constant(*whole);
    if (constant) return static_cast<double>(*constant);
  }
  return std::nullopt;
}
std::optional<double> number_of(const JsonNode& node) {
  if (const bool* flag = node.as<bool>()) return *flag ? 1 : 0;
  if (const auto* whole = node.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* real = node.as<double>()) return *real;
  return std::nullopt;
}

// The elements of a list, or the value alone.
std::vector<AttrValue> elements_of(const AttrValue& value) {
  std::vector<AttrValue> out;
  if (const auto* whole = std::get_if<std::vector<IndexExpr>>(&value))
    out.assign(whole->begin(), whole->end());
  else if (const auto* reals = std::get_if<std::vector<double>>(&value))
    out.assign(reals->begin(), reals->end());
  else
    out.push_back(value);
  return out;
}

bool equals(const Context& context, const AttrValue& value, const JsonNode& wanted) {
  if (const auto* text = wanted.as<std::string>()) {
    if (const auto* found = std::get_if<std::string>(&value)) return *found == *text;
    const auto* dtype = std::get_if<Dtype>(&value);
    return dtype != nullptr && dtype_info(*dtype).name == *text;
  }
  const std::vector<AttrValue> elements = elements_of(value);
  const JsonArray* items = wanted.as<JsonArray>();
  if (items != nullptr && items->size() != elements.size()) return false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    // One number stands for a list of it.
    const auto number = number_of(items != nullptr ? (*items)[i] : wanted);
    if (!number || number_of(context, elements[i]) != number) return false;
  }
  return true;
}

std::string value_text(const Context& context, const AttrValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return "\"" + *text + "\"";
  if (const auto* dtype = std::get_if<Dtype>(&value)) return "\"" + std::string(dtype_info(*dtype).name) + "\"";
  if (const auto* whole = std::get_if<IndexExpr>(&value)) return context.index().print(*whole);
  if (const double* real = std::get_if<double>(&value)) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.17g", *real);
    for (int digits = 1; digits < 17; ++digits) {
      std::array<char, 40> shorter{};
      std::snprintf(shorter.data(), shorter.size(), "%.*g", digits, *real);
      if (std::strtod(shorter.data(), nullptr) == *real) return shorter.data();
    }
    return buffer.data();
  }
  std::string out = "[";
  for (const AttrValue& element : elements_of(value))
    out += (out.size() > 1 ? ", " : "") + value_text(context, element);
  return out + "]";
}

// Whether the conditions of a rule hold of an op; else why not, the text only when asked for.
class Conditions {
 public:
  Conditions(const RegistryRule& rule, OpRef op, const UpdatedSymbols& updated, bool explain)
      : rule_(rule), op_(op), context_(op.module().context()), updated_(updated), explain_(explain) {}

  bool hold() { return dtypes() && operands() && attributes() && shapes(); }
  Reason reason() && { return std::move(reason_); }

 private:
  template <class Text>
  bool no(ReasonCode code, Text&& text) {
    reason_ = {code, explain_ ? text() : std::string()};
    return false;
  }
  const TypePool& types() const { return context_.types(); }
  std::string called(std::size_t operand) const {
    return "`" + std::string(operand_name(op_.def(), operand, op_.operand_count())) + "`";
  }

  // Calls visit(type, name of the value) for operands, then results, until it says no.
  template <class Visit>
  bool for_each_type(Visit&& visit) {
    for (std::size_t i = 0; i < op_.operand_count(); ++i)
      if (types().is_shaped(op_.operand(i).type()) && !visit(op_.operand(i).type(), i, true)) return false;
    for (std::size_t i = 0; i < op_.result_count(); ++i)
      if (types().is_shaped(op_.result(i).type()) && !visit(op_.result(i).type(), i, false)) return false;
    return true;
  }
  std::string subject(std::size_t i, bool operand) const {
    if (operand) return called(i);
    return op_.result_count() == 1 ? "the result" : "result " + std::to_string(i);
  }

  const RegistryRule::Operand* condition_on(std::size_t operand) const {
    const std::string_view name = operand_name(op_.def(), operand, op_.operand_count());
    for (const RegistryRule::Operand& condition : rule_.operands)
      if (condition.name == name) return &condition;
    return nullptr;
  }

  bool dtypes() {
    return for_each_type([&](Type type, std::size_t i, bool operand) {
      const RegistryRule::Operand* own = operand ? condition_on(i) : nullptr;
      const auto& wanted = own != nullptr && own->dtypes ? own->dtypes : rule_.dtypes;
      if (!wanted || holds(*wanted, types().dtype(type))) return true;
      return no(ReasonCode::Dtype, [&] {
        return "the element type of " + subject(i, operand) + " is " +
               std::string(dtype_info(types().dtype(type)).name) + ", not " + dtype_names(*wanted);
      });
    });
  }

  bool operands() {
    for (std::size_t i = 0; i < op_.operand_count(); ++i) {
      const RegistryRule::Operand* own = condition_on(i);
      if (own != nullptr && own->constant && !is_constant_value(op_.operand(i), updated_))
        return no(ReasonCode::Operand, [&] { return called(i) + " is neither a weight nor a constant"; });
    }
    return true;
  }

  bool attributes() {
    for (const RegistryRule::Attribute& condition : rule_.attributes) {
      const auto value = find_attribute(op_.def(), condition.name) == nullptr
                             ? std::nullopt
                             : effective_attribute(context_, op_.def(), op_.attrs(), condition.name);
      if (!meets(condition, value))
        return no(ReasonCode::Attribute, [&] {
          return "`" + condition.name + "` is " + (value ? value_text(context_, *value) : "not there") + ", not " +
                 condition.text;
        });
    }
    return true;
  }

  bool meets(const RegistryRule::Attribute& condition, const std::optional<AttrValue>& value) const {
    const auto is = [&](const JsonNode& wanted) {
      if (wanted.as<std::monostate>() != nullptr) return !value.has_value();
      return value.has_value() && equals(context_, *value, wanted);
    };
    if (!condition.values.empty() && std::none_of(condition.values.begin(), condition.values.end(), is)) return false;
    if (!condition.min && !condition.max) return !condition.values.empty();
    if (!value) return false;
    for (const AttrValue& element : elements_of(*value)) {
      const auto number = number_of(context_, element);
      if (!number || (condition.min && *number < *condition.min) || (condition.max && *number > *condition.max))
        return false;
    }
    return true;
  }

  bool shapes() {
    return for_each_type([&](Type type, std::size_t i, bool operand) {
      const auto rank = static_cast<std::int64_t>(types().rank(type));
      if ((rule_.min_rank && rank < *rule_.min_rank) || (rule_.max_rank && rank > *rule_.max_rank))
        return no(ReasonCode::Rank, [&] {
          std::string wanted = "not ";
          if (rule_.min_rank == rule_.max_rank)
            wanted += std::to_string(*rule_.min_rank);
          else if (rule_.min_rank)
            wanted += std::to_string(*rule_.min_rank) + (rule_.max_rank ? " to " : " or more");
          if (rule_.max_rank && rule_.min_rank != rule_.max_rank)
            wanted += std::string(rule_.min_rank ? "" : "at most ") + std::to_string(*rule_.max_rank);
          return "the rank of " + subject(i, operand) + " is " + std::to_string(rank) + ", " + wanted;
        });
      if (rule_.static_shapes && !types().is_static(type))
        return no(ReasonCode::Shape,
                  [&] { return "the shape of " + subject(i, operand) + " is not static: " + types().print(type); });
      return true;
    });
  }

  const RegistryRule& rule_;
  OpRef op_;
  Context& context_;
  const UpdatedSymbols& updated_;
  bool explain_;
  Reason reason_;
};

}  // namespace

std::string_view reason_code_name(ReasonCode code) {
  constexpr std::array<std::string_view, 11> kNames{"none",  "no-rule", "refused", "dtype",  "attribute", "rank",
                                                    "shape", "operand", "never",   "inside", "min-ops"};
  return kNames[static_cast<std::size_t>(code)];
}

std::string_view never_in_segment(const OpDef& def) {
  if (has(def.traits, Traits::Symbol) || has(def.traits, Traits::TopLevelOnly) || def.name == "module")
    return "it is an item of the module";
  if (has(def.traits, Traits::Terminator)) return "it ends a region";
  if (def.name == "segment") return "it is a segment already";
  if (def.name == "call") return "a function is partitioned by itself; `inline` puts it here";
  if (has(def.traits, Traits::BindsSize)) return "the size of its result is known only when it has run";
  if ((def.effects & (Effects::Reads | Effects::Writes | Effects::Allocates)) != Effects::None)
    return "it touches memory";
  if (def.result_count == 0) return "it has no results";
  if (def.tier == Tier::Structural && def.operands.empty()) return "it is copied to whoever reads it";
  return "";
}

UpdatedSymbols updated_symbols(const Module& module) {
  UpdatedSymbols out;
  for (const FuncRef function : functions(module))
    for (const UpdateTarget& target : function.updates())
      if (!target.argument) out.insert(target.symbol);
  return out;
}

bool is_constant_value(Value value, const UpdatedSymbols& updated) {
  if (!value.is_result()) return false;
  const OpRef op = value.definer();
  if (op.has_trait(Traits::Constant)) return true;
  if (!op.is(GraphOp::Read)) return false;
  const Context& context = op.module().context();
  const auto symbol = context.attributes().as_symbol(op.attr("symbol"));
  const OpRef item = symbol ? op.module().lookup(*symbol) : OpRef();
  return item.valid() && item.is(GraphOp::Weight) && !updated.contains(context.strings().find(*symbol));
}

void Registry::index(std::size_t opcodes) {
  rules_of_.assign(opcodes, {});
  for (std::size_t i = 0; i < rules.size(); ++i)
    for (const Opcode op : rules[i].ops)
      rules_of_[static_cast<std::size_t>(op)].push_back(static_cast<std::uint32_t>(i));
}

Registry::Decision Registry::decide(OpRef op, const UpdatedSymbols& updated, bool explain) const {
  Decision closest;
  for (const std::uint32_t i : rules_of_[static_cast<std::size_t>(op.opcode())]) {
    const RegistryRule& rule = rules[i];
    Conditions conditions(rule, op, updated, explain);
    if (conditions.hold()) {
      if (rule.supported) return {&rule, true, {}};
      return {&rule, false, {ReasonCode::Refused, rule.reason.empty() ? "the rule says so" : rule.reason}};
    }
    // The first rule that would have admitted the op and speaks of it by more than `*`.
    if (rule.supported && (closest.rule == nullptr || (closest.rule->every_op && !rule.every_op)))
      closest = {&rule, false, std::move(conditions).reason()};
  }
  if (closest.rule == nullptr)
    closest.reason = {ReasonCode::NoRule, explain ? "no rule lists `" + std::string(op.name()) + "`" : std::string()};
  return closest;
}

}  // namespace mlgc
