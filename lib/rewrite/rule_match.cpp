// Matching.
#include "rewrite/rule_match.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ops/attribute_value.h"
#include "rewrite/match.h"

namespace mlgc {

namespace {

std::string opcode_list(const Context& context, const std::vector<Opcode>& opcodes) {
  if (opcodes.size() > 4) return "one of " + std::to_string(opcodes.size()) + " ops";
  std::string text;
  for (std::size_t i = 0; i < opcodes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == opcodes.size() ? " or " : ", ") + std::string(context.def(opcodes[i]).name);
  return text;
}

// Numbers are equal as numbers, 2 and 2.0 too; zeros of floats have a sign.
bool equal_data(const IndexPool& index, const AttrValue& a, const AttrValue& b) {
  if (a == b) {
    const auto* real = std::get_if<double>(&a);
    return real == nullptr || std::signbit(*real) == std::signbit(std::get<double>(b));
  }
  const auto x = as_double(index, a), y = as_double(index, b);
  return x && y && *x == *y && *x != 0;
}

bool is_literal(const IndexPool& index, const AttrValue& number, double literal) {
  const auto value = as_double(index, number);
  if (!value || *value != literal) return false;
  // Of integers every zero will do.
  return literal != 0 || !std::holds_alternative<double>(number) || std::signbit(*value) == std::signbit(literal);
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

}  // namespace

std::string rule_subject(OpRef op) {
  if (op.result_count() > 0 && !op.result().name().empty()) return "%" + std::string(op.result().name());
  return "`" + std::string(op.name()) + "`";
}

template <class Text>
bool RuleMatcher::fail(OpRef at, const Text& text) {
  if (miss_ != nullptr && (!miss_->found() || progress_ > miss_->progress)) *miss_ = NearMiss{progress_, text(), at};
  return false;
}

bool RuleMatcher::match(const RulePattern& form, OpRef root, RuleMatch& out) {
  out.bindings.assign(rule_->names.size(), {});
  out.chain.clear();
  progress_ = 0;
  if (!match_op(form, root, out)) return false;
  for (std::size_t i = 1; i < root.result_count(); ++i)
    if (root.result(i).has_uses())
      return fail(root, [&] { return "result " + std::to_string(i) + " of " + rule_subject(root) + " is read"; });
  return true;
}

bool RuleMatcher::match_operand(const RulePattern& pattern, OpRef owner, std::size_t operand, RuleMatch& out) {
  const auto subject = [&] { return "operand " + std::to_string(operand) + " of " + rule_subject(owner); };
  const Value value = operand < owner.operand_count() ? owner.operand(operand) : Value();
  for (const RuleAbsence& absence : pattern.absences) {
    RuleMatch::Binding& binding = out.bindings[absence.slot];
    binding.bound = true;
    if (absence.number)
      binding.data = *absence.number;
    else
      binding.value = value;
  }
  switch (pattern.form) {
    case RulePattern::Form::Literal:
    case RulePattern::Form::Number: {
      const auto number = operand_number(*context_, owner, operand);
      if (!number) return fail(owner, [&] { return subject() + " is not a number known here"; });
      if (pattern.form == RulePattern::Form::Literal) {
        if (!is_literal(context_->index(), *number, pattern.literal))
          return fail(owner, [&] { return subject() + " is not " + number_text(pattern.literal); });
        break;
      }
      RuleMatch::Binding& binding = out.bindings[pattern.slot];
      if (binding.bound && !equal_data(context_->index(), binding.data, *number))
        return fail(owner, [&] {
          return subject() + " is another number than `" + rule_->names[pattern.slot].name + "` before";
        });
      binding.data = *number;
      binding.bound = true;
      break;
    }
    case RulePattern::Form::Optional:
      out.bindings[pattern.slot].value = value;
      out.bindings[pattern.slot].bound = true;
      break;
    case RulePattern::Form::Value: {
      if (!value.valid()) return fail(owner, [&] { return subject() + " is not there"; });
      RuleMatch::Binding& binding = out.bindings[pattern.slot];
      if (binding.bound && binding.value != value)
        return fail(owner, [&] {
          return subject() + " is another value than `" + rule_->names[pattern.slot].name + "` before";
        });
      binding.value = value;
      binding.bound = true;
      break;
    }
    case RulePattern::Form::Op: {
      if (!value.valid()) return fail(owner, [&] { return subject() + " is not there"; });
      const OpRef definer = value.definer();
      if (!definer.valid())
        return fail(owner, [&] {
          return subject() + " is an argument, not defined by " + opcode_list(*context_, pattern.opcodes);
        });
      if (value.number() != 0) return fail(owner, [&] { return subject() + " is not the first result of its op"; });
      return match_op(pattern, definer, out);
    }
  }
  ++progress_;
  return true;
}

bool RuleMatcher::match_op(const RulePattern& pattern, OpRef op, RuleMatch& out) {
  if (pattern.same_as != kNoSlot) {
    const OpRef model = out.bindings[pattern.same_as].op;
    if (op.opcode() != model.opcode() || op.attrs() != model.attrs())
      return fail(op, [&] {
        return rule_subject(op) + " is not the same op as " + rule_subject(model) + ", attributes included";
      });
  } else if (std::find(pattern.opcodes.begin(), pattern.opcodes.end(), op.opcode()) == pattern.opcodes.end()) {
    return fail(op, [&] {
      return rule_subject(op) + " is defined by " + std::string(op.name()) + ", not by " +
             opcode_list(*context_, pattern.opcodes);
    });
  }
  RuleMatch::Binding& binding = out.bindings[pattern.slot];
  binding.op = op;
  binding.value = op.result();
  binding.bound = true;
  ++progress_;
  if (pattern.chain) return match_chain(pattern, op, out);
  if (op.operand_count() > pattern.operands.size())
    return fail(op, [&] {
      return rule_subject(op) + " has " + std::to_string(op.operand_count()) + " operands, not " +
             std::to_string(pattern.operands.size());
    });
  if (pattern.same_as == kNoSlot && !match_attributes(pattern, op, out)) return false;
  for (std::size_t i = 0; i < pattern.operands.size(); ++i)
    if (!match_operand(pattern.operands[i], op, i, out)) return false;
  return true;
}

bool RuleMatcher::match_attributes(const RulePattern& pattern, OpRef op, RuleMatch& out) {
  const OpDef& def = op.def();
  for (const RuleAttribute& attribute : pattern.attributes) {
    const auto value = effective_attribute(*context_, def, op.attrs(), attribute.name);
    const auto subject = [&] { return "attribute `" + attribute.name + "` of " + rule_subject(op); };
    if (!value) return fail(op, [&] { return subject() + " is not there"; });
    if (attribute.slot == kNoSlot) {
      if (!equal_data(context_->index(), *value, attribute.literal))
        return fail(op, [&] { return subject() + " has another value"; });
    } else {
      RuleMatch::Binding& binding = out.bindings[attribute.slot];
      if (binding.bound && !equal_data(context_->index(), binding.data, *value))
        return fail(op, [&] { return subject() + " is not `" + rule_->names[attribute.slot].name + "` as before"; });
      binding.data = *value;
      binding.bound = true;
    }
    ++progress_;
  }
  if (pattern.rest) return true;
  for (const NamedAttribute& entry : context_->attributes().entries(op.attrs())) {
    const std::string_view name = context_->strings().text(entry.name);
    if (name.find('.') != std::string_view::npos) continue;  // a note of a pass
    if (std::any_of(pattern.attributes.begin(), pattern.attributes.end(),
                    [&](const RuleAttribute& a) { return a.name == name; }))
      continue;
    const AttrDef* row = find_attribute(def, name);
    const auto stated = row != nullptr ? attribute_value(*context_, entry.value, row->kind) : std::nullopt;
    if (row != nullptr && !row->instead_of.empty()) {
      // Read by the pattern as the operand for which it stands.
      const auto position = std::find_if(def.operands.begin(), def.operands.end(),
                                         [&](const OperandDef& o) { return o.name == row->instead_of; });
      const auto i = static_cast<std::size_t>(position - def.operands.begin());
      if (i < pattern.operands.size() && (pattern.operands[i].form == RulePattern::Form::Literal ||
                                          pattern.operands[i].form == RulePattern::Form::Number))
        continue;
    }
    const auto fallback = row != nullptr ? fallback_attribute(*context_, def, name) : std::nullopt;
    if (stated && fallback && equal_data(context_->index(), *stated, *fallback)) continue;
    return fail(op, [&] {
      return "attribute `" + std::string(name) + "` of " + rule_subject(op) + " is set, and the rule does not name it";
    });
  }
  return true;
}

// The op and those above it, as long as they are of the class, stand in the same region and are read inside the chain
// only. What the pattern asks for below a chain must define one of the chain's operands.
bool RuleMatcher::match_chain(const RulePattern& pattern, OpRef root, RuleMatch& out) {
  std::vector<OpRef> members{root};
  std::unordered_set<OpId> inside{root.id()};
  const auto read_inside = [&](OpRef op) {
    for (const Value result : op.results())
      for (const Use use : result.uses())
        if (!inside.contains(use.owner().id())) return false;
    return true;
  };
  const auto belongs = [&](OpRef op) {
    return op.valid() && op.parent() == root.parent() && op.region_count() == 0 &&
           std::find(pattern.opcodes.begin(), pattern.opcodes.end(), op.opcode()) != pattern.opcodes.end();
  };
  for (std::size_t next = 0; next < members.size() && members.size() < kMaxChain; ++next)
    for (const Value operand : members[next].operands()) {
      const OpRef definer = operand.valid() ? operand.definer() : OpRef();
      if (!belongs(definer) || inside.contains(definer.id()) || !read_inside(definer)) continue;
      inside.insert(definer.id());
      members.push_back(definer);
    }
  progress_ += members.size();
  if (pattern.operands.size() == 1) {
    const std::vector<RuleMatch::Binding> before = out.bindings;
    bool found = false;
    for (std::size_t m = 0; m < members.size() && !found; ++m)
      for (std::size_t i = 0; i < members[m].operand_count() && !found; ++i) {
        const Value operand = members[m].operand(i);
        const OpRef definer = operand.valid() ? operand.definer() : OpRef();
        if (definer.valid() && inside.contains(definer.id())) continue;
        if (pattern.operands[0].form == RulePattern::Form::Op &&
            (!definer.valid() || definer.parent() != root.parent() || !read_inside(definer)))
          continue;
        found = match_operand(pattern.operands[0], members[m], i, out);
        if (!found) out.bindings = before;
      }
    if (!found)
      return fail(root, [&] {
        return "no operand of the chain that ends in " + rule_subject(root) + " is what the rule asks for";
      });
  }
  out.chain.insert(out.chain.end(), members.begin() + 1, members.end());
  return true;
}

bool RuleMatcher::holds(const RuleMatch& match, OpRef root, const Facts& facts) {
  const RuleFunctionContext context(*context_, facts);
  for (std::size_t i = 0; i < rule_->conditions.size(); ++i) {
    const auto answer = evaluate_term(rule_->conditions[i], context, match);
    const bool* truth = answer ? std::get_if<bool>(&*answer) : nullptr;
    if (truth == nullptr || !*truth)
      return fail(root, [&] {
        const auto place = context_->locations().primary_position(rule_->conditions[i].at);
        return "condition " + std::to_string(i + 1) + " of the rule" +
               (place ? " (" + std::string(place->file) + ":" + std::to_string(place->line) + ":" +
                            std::to_string(place->column) + ")"
                      : "") +
               (truth == nullptr ? " has no answer" : " does not hold");
      });
    ++progress_;
  }
  return true;
}

namespace {

using Answer = std::optional<AttrValue>;

Answer from_truth(Truth truth, bool wanted) {
  if (truth == Truth::Unknown) return std::nullopt;
  return AttrValue((truth == Truth::Yes) == wanted);
}

Answer compare(RuleTerm::Form form, const AttrValue& a, const AttrValue& b, const RuleFunctionContext& context) {
  using Form = RuleTerm::Form;
  IndexPool& index = context.index();
  const auto* x = std::get_if<IndexExpr>(&a);
  const auto* y = std::get_if<IndexExpr>(&b);
  if (x != nullptr && y != nullptr) {
    switch (form) {
      case Form::Equal: return from_truth(index.equal(*x, *y, context.facts()), true);
      case Form::NotEqual: return from_truth(index.equal(*x, *y, context.facts()), false);
      case Form::Less: return from_truth(index.less(*x, *y, context.facts()), true);
      case Form::GreaterEqual: return from_truth(index.less(*x, *y, context.facts()), false);
      case Form::Greater: return from_truth(index.less(*y, *x, context.facts()), true);
      default: return from_truth(index.less(*y, *x, context.facts()), false);
    }
  }
  const auto p = as_double(index, a), q = as_double(index, b);
  if (p && q && !std::holds_alternative<bool>(a)) {
    switch (form) {
      case Form::Equal: return AttrValue(*p == *q);
      case Form::NotEqual: return AttrValue(*p != *q);
      case Form::Less: return AttrValue(*p < *q);
      case Form::LessEqual: return AttrValue(*p <= *q);
      case Form::Greater: return AttrValue(*p > *q);
      default: return AttrValue(*p >= *q);
    }
  }
  if (const auto* list = std::get_if<std::vector<IndexExpr>>(&a)) {
    const auto* other = std::get_if<std::vector<IndexExpr>>(&b);
    if (other == nullptr) return std::nullopt;
    Truth all = list->size() == other->size() ? Truth::Yes : Truth::No;
    for (std::size_t i = 0; all != Truth::No && i < list->size(); ++i) {
      const Truth one = index.equal((*list)[i], (*other)[i], context.facts());
      if (one != Truth::Yes) all = one;
    }
    return from_truth(all, form == Form::Equal);
  }
  if (x != nullptr || y != nullptr || a.index() != b.index()) return std::nullopt;  // a symbolic size and a real
  return AttrValue((a == b) == (form == Form::Equal));
}

Answer arithmetic(RuleTerm::Form form, const AttrValue& a, const AttrValue& b, const RuleFunctionContext& context) {
  using Form = RuleTerm::Form;
  const auto* x = std::get_if<IndexExpr>(&a);
  const auto* y = std::get_if<IndexExpr>(&b);
  if (x != nullptr && y != nullptr && form != Form::Divide) {
    IndexPool& index = context.index();
    const IndexExpr result = form == Form::Add        ? index.add(*x, *y)
                             : form == Form::Subtract ? index.sub(*x, *y)
                                                      : index.mul(*x, *y);
    if (result == index.overflow()) return std::nullopt;
    return AttrValue(result);
  }
  const auto p = as_double(context.index(), a), q = as_double(context.index(), b);
  if (!p || !q) return std::nullopt;
  switch (form) {
    case Form::Add: return AttrValue(*p + *q);
    case Form::Subtract: return AttrValue(*p - *q);
    case Form::Multiply: return AttrValue(*p * *q);
    default: return AttrValue(*p / *q);
  }
}

}  // namespace

std::optional<AttrValue> evaluate_term(const RuleTerm& term, const RuleFunctionContext& context,
                                       const RuleMatch& match) {
  using Form = RuleTerm::Form;
  const auto operand = [&](std::size_t i) { return evaluate_term(term.operands[i], context, match); };
  switch (term.form) {
    case Form::Literal: return term.literal;
    case Form::Name: return match.bindings[term.slot].bound ? Answer(match.bindings[term.slot].data) : std::nullopt;
    case Form::List: {
      std::vector<IndexExpr> items;
      for (std::size_t i = 0; i < term.operands.size(); ++i) {
        const auto item = operand(i);
        const auto* whole = item ? std::get_if<IndexExpr>(&*item) : nullptr;
        if (whole == nullptr) return std::nullopt;
        items.push_back(*whole);
      }
      return AttrValue(std::move(items));
    }
    case Form::Index: {
      const auto list = operand(0), number = operand(1);
      if (!list || !number) return std::nullopt;
      const auto* whole = std::get_if<IndexExpr>(&*number);
      const auto i = whole != nullptr ? context.index().as_constant(*whole) : std::nullopt;
      const auto pick = [&](const auto& items) -> Answer {
        if (!i) return std::nullopt;
        const auto size = static_cast<std::int64_t>(items.size());
        const std::int64_t at = *i < 0 ? *i + size : *i;
        if (at < 0 || at >= size) return std::nullopt;
        return AttrValue(items[static_cast<std::size_t>(at)]);
      };
      if (const auto* items = std::get_if<std::vector<IndexExpr>>(&*list)) return pick(*items);
      if (const auto* items = std::get_if<std::vector<double>>(&*list)) return pick(*items);
      return std::nullopt;
    }
    case Form::Call: {
      std::vector<TermValue> arguments;
      for (const RuleTerm& argument : term.operands) {
        if (argument.kind == TermKind::Value) {
          arguments.push_back({false, match.bindings[argument.slot].value});
          continue;
        }
        auto value = evaluate_term(argument, context, match);
        if (!value) return std::nullopt;
        arguments.push_back({std::move(*value), Value()});
      }
      return term.function->call(context, arguments);
    }
    case Form::Not: {
      const auto inner = operand(0);
      return inner ? Answer(!std::get<bool>(*inner)) : std::nullopt;
    }
    case Form::And:
    case Form::Or: {
      const bool decisive = term.form == Form::Or;
      auto a = operand(0);
      if (a && std::get<bool>(*a) == decisive) return a;
      auto b = operand(1);
      if (b && std::get<bool>(*b) == decisive) return b;
      return a && b ? Answer(!decisive) : std::nullopt;
    }
    case Form::Negate: {
      const auto inner = operand(0);
      if (!inner) return std::nullopt;
      if (const auto* whole = std::get_if<IndexExpr>(&*inner)) return AttrValue(context.index().scale(*whole, -1));
      const auto real = as_double(context.index(), *inner);
      return real ? Answer(-*real) : std::nullopt;
    }
    case Form::Equal:
    case Form::NotEqual:
    case Form::Less:
    case Form::LessEqual:
    case Form::Greater:
    case Form::GreaterEqual:
    case Form::Add:
    case Form::Subtract:
    case Form::Multiply:
    case Form::Divide: {
      const auto a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      return term.form >= Form::Add ? arithmetic(term.form, *a, *b, context) : compare(term.form, *a, *b, context);
    }
  }
  throw InternalError("unknown form of a term");
}

}  // namespace mlgc
