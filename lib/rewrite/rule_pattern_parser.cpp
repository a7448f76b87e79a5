// See rule_pattern_parser.h.
#include "rewrite/rule_pattern_parser.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ops/attribute_value.h"
#include "ops/trait_names.h"
#include "rewrite/operand_range.h"

namespace mlgc {

namespace {

// Classes of ops that a pattern may name instead of an op, by their traits.
constexpr std::array kOpClasses{Traits::Elementwise, Traits::Movement,   Traits::Commutative,
                                Traits::Associative, Traits::Involution, Traits::Idempotent};

std::string_view why_not_in_patterns(const OpDef& def) {
  if (!def.regions.empty()) return "it has regions";
  if (has(def.traits, Traits::Terminator)) return "it ends a region";
  if (has(def.traits, Traits::Symbol) || has(def.traits, Traits::TopLevelOnly)) return "it is an item of the module";
  if (def.result_count < 1) return "it has no fixed result";
  return "";
}

}  // namespace

bool RulePatternParser::parse_pattern(RulePattern& out, bool root) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  out.at = in_.location(in_.token());
  if (in_.at(Tok::Integer) || in_.at(Tok::Float) || in_.at(Tok::Minus) || in_.at_word("inf")) {
    const bool negative = in_.take(Tok::Minus);
    AttrValue number;
    if (!terms_.parse_number(negative, number)) return false;
    out.form = RulePattern::Form::Literal;
    const auto real = as_double(context_.index(), number);
    // `-0` is a number of its own.
    out.literal = negative && *real == 0 ? -0.0 : *real;
    return true;
  }
  if (in_.take(Tok::Hash)) return parse_number_pattern(out);
  if (!in_.at(Tok::Name)) return in_.unexpected("a pattern");
  const Token name = in_.token();
  in_.advance();
  if (in_.at(Tok::Symbol) && in_.adjacent()) return parse_op_pattern(out, name, true);
  const bool op =
      in_.at(Tok::LParen) || in_.at(Tok::LBracket) || in_.at(Tok::Star) || in_.at(Tok::Bang) || in_.at(Tok::Bar);
  if (op || in_.at_optional_op()) return parse_op_pattern(out, name, false);
  if (root) return true;
  const std::string_view word = in_.text(name);
  out.slot = names_.find(word);
  if (in_.take(Tok::Question)) out.form = RulePattern::Form::Optional;
  if (out.slot == kNoSlot) {
    out.slot = names_.bind(word, RuleName::Role::Value, TermKind::Value);
    return true;
  }
  if (names_[out.slot].role == RuleName::Role::Value && out.form == RulePattern::Form::Value) return true;
  return in_.error<kRuleKindClash>(name, "`" + std::string(word) + "`", "in use already", "a value in this place");
}

// After `#`: a name, and in an optional op what it is where the op is not there.
bool RulePatternParser::parse_number_pattern(RulePattern& out) {
  if (!in_.at(Tok::Name)) return in_.unexpected("the name of a number");
  out.form = RulePattern::Form::Number;
  out.slot = names_.find(in_.text());
  if (out.slot == kNoSlot)
    out.slot = names_.bind(in_.text(), RuleName::Role::Number, TermKind::Number);
  else if (names_[out.slot].kind != TermKind::Number)
    return in_.error<kRuleKindClash>(in_.token(), "`" + std::string(in_.text()) + "`",
                                     term_kind_text(names_[out.slot].kind), "a number");
  in_.advance();
  if (!in_.take(Tok::Equal)) return true;
  const bool negative = in_.take(Tok::Minus);
  return terms_.parse_number(negative, out.otherwise.emplace(false));
}

bool RulePatternParser::parse_op_choice(RulePattern& out, const Token& place, std::string_view word) {
  if (const std::uint16_t slot = names_.find(word); slot != kNoSlot && names_[slot].role == RuleName::Role::Op) {
    if (!surely_there(in_, names_, slot, place)) return false;
    out.same_as = slot;
    out.opcodes = names_.opcodes_of(slot);
    return true;
  }
  for (const Traits trait : kOpClasses) {
    if (trait_name(trait) != word) continue;
    for (std::size_t i = 0; i < context_.ops().size(); ++i) {
      const OpDef& def = *context_.ops()[i];
      if (has(def.traits, trait) && why_not_in_patterns(def).empty()) out.opcodes.push_back(static_cast<Opcode>(i));
    }
    return !out.opcodes.empty() || in_.unknown_op(place, word);
  }
  const Opcode opcode = context_.find_op(word);
  if (opcode == Opcode::Invalid) return in_.unknown_op(place, word);
  if (const std::string_view reason = why_not_in_patterns(context_.def(opcode)); !reason.empty())
    return in_.error<kRuleOpNotAllowed>(place, word, reason);
  if (std::find(out.opcodes.begin(), out.opcodes.end(), opcode) == out.opcodes.end()) out.opcodes.push_back(opcode);
  return true;
}

// At the symbol when there is a label, else after the name.
bool RulePatternParser::parse_op_pattern(RulePattern& out, const Token& name, bool labelled) {
  out.form = RulePattern::Form::Op;
  const std::string_view label = labelled ? in_.text(name) : std::string_view();
  Token op = name;
  std::string_view word = in_.text(name);
  if (labelled) {
    op = in_.token();
    word = in_.text().substr(1);
    if (names_.find(label) != kNoSlot)
      return in_.error<kRuleKindClash>(name, "`" + std::string(label) + "`", "in use already", "a new label");
    in_.advance();
  }
  if (!parse_op_choice(out, op, word)) return false;
  while (in_.take(Tok::Bar)) {
    if (!in_.at(Tok::Name)) return in_.unexpected("the name of an op");
    if (!parse_op_choice(out, in_.token(), in_.text())) return false;
    in_.advance();
  }
  out.slot = names_.bind_op(label, out.opcodes);
  if (in_.at(Tok::Star)) {
    if (phase_ != RulePhase::Grow) return in_.error<kRulePhase>(in_.token(), "a chain");
    out.chain = true;
    in_.advance();
  }
  out.as_written = in_.take(Tok::Bang);
  const Token question = in_.token();
  out.optional = in_.take(Tok::Question);
  if (out.optional) names_.set_optional(out.slot);
  if (in_.take(Tok::LBracket) && !parse_pattern_attributes(out, word)) return false;
  if (!in_.expect(Tok::LParen)) return false;
  if (!in_.at(Tok::RParen)) {
    do {
      if (!parse_pattern(out.operands.emplace_back(), false)) return false;
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RParen)) return false;
  return check_pattern_operands(out, op) && check_optional(out, out.optional ? question : op);
}

// Whatever an optional op binds must stand for something where the op is not there.
bool RulePatternParser::check_optional(const RulePattern& out, const Token& place) {
  using Form = RulePattern::Form;
  for (std::size_t i = 0; i < out.operands.size(); ++i) {
    const RulePattern& operand = out.operands[i];
    if (operand.otherwise.has_value() && (!out.optional || i == 0))
      return in_.error<kRuleKindClash>(place, "`#" + names_[operand.slot].name + " = …`",
                                       "an operand of an op that is always there", "one of an optional op");
    if (!out.optional) continue;
    if (i == 0 && operand.form != Form::Op && operand.form != Form::Value)
      return in_.error<kRuleOptional>(place, "its first operand, which then stands in its place, must be a value");
    const bool unnamed = operand.form == Form::Literal || operand.form == Form::Optional;
    if (i > 0 && !unnamed && !operand.otherwise)
      return in_.error<kRuleOptional>(place, "its other operands must be `#name = number`, `name?` or numbers");
  }
  if (!out.optional) return true;
  if (out.chain) return in_.error<kRuleOptional>(place, "a chain has one op at least");
  if (out.slot == 0) return in_.error<kRuleOptional>(place, "a rule rewrites its root");
  for (const RuleAttribute& attribute : out.attributes)
    if (attribute.slot != kNoSlot)
      return in_.error<kRuleOptional>(place, "its attribute `" + attribute.name + "` would have no value");
  return true;
}

bool RulePatternParser::parse_pattern_attributes(RulePattern& out, std::string_view op) {
  do {
    if (in_.at(Tok::Star)) {
      in_.advance();
      out.rest = true;
      if (out.optional) continue;
      names_.set_rest(out.slot);
      continue;
    }
    if (!in_.at(Tok::Name)) return in_.unexpected("the name of an attribute or `*`");
    if (out.same_as != kNoSlot)
      return in_.error<kRuleKindClash>(in_.token(), "`" + std::string(op) + "`", "an op with the attributes of another",
                                       "an op of its own to have attributes");
    if (!parse_pattern_attribute(out)) return false;
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RBracket);
}

bool RulePatternParser::parse_pattern_attribute(RulePattern& out) {
  RuleAttribute attribute{std::string(in_.text()), kNoSlot, false};
  const Token name = in_.token();
  std::optional<TermKind> kind;
  AttributeKind row_kind = AttributeKind::None;
  for (const Opcode opcode : out.opcodes) {
    const OpDef& def = context_.def(opcode);
    const AttrDef* row = find_attribute(def, attribute.name);
    if (row == nullptr) return in_.unknown_attribute(name, def, attribute.name);
    kind = term_kind(row->kind);
    row_kind = row->kind;
    if (!kind)
      return in_.error<kRuleKindClash>(name, "attribute `" + attribute.name + "`",
                                       "of a kind that rules do not compute with",
                                       "one of truth values, numbers, lists, texts or dtypes");
  }
  in_.advance();
  std::string_view variable = attribute.name;
  Token variable_token = name;
  if (in_.take(Tok::Equal)) {
    const bool word = in_.at(Tok::Name) && !rule_literal_word(in_.text());
    if (!word) {
      RuleTerm term;
      const Token at_term = in_.token();
      if (!terms_.parse_unary(term)) return false;
      // A list of numbers is a literal too.
      if (term.form == RuleTerm::Form::List) {
        std::vector<IndexExpr> items;
        for (const RuleTerm& item : term.operands) {
          const auto* whole = std::get_if<IndexExpr>(&item.literal);
          if (item.form != RuleTerm::Form::Literal || whole == nullptr)
            return in_.error<kRuleKindClash>(at_term, "an item of the list", "an expression", "a whole number");
          items.push_back(*whole);
        }
        term.literal = std::move(items);
      } else if (term.form != RuleTerm::Form::Literal) {
        return in_.error<kRuleKindClash>(at_term, "the attribute's value", "an expression", "a name or a literal");
      }
      const auto value = convert_attribute(context_, term.literal, row_kind);
      if (!value)
        return in_.error<kRuleKindClash>(at_term, "attribute `" + attribute.name + "`", term_kind_text(*kind),
                                         "compared with one");
      attribute.literal = *value;
      out.attributes.push_back(std::move(attribute));
      return true;
    }
    variable = in_.text();
    variable_token = in_.token();
    in_.advance();
  }
  attribute.slot = names_.find(variable);
  if (attribute.slot == kNoSlot)
    attribute.slot = names_.bind(variable, RuleName::Role::Attribute, *kind);
  else if (names_[attribute.slot].kind != *kind)
    return in_.error<kRuleKindClash>(variable_token, "`" + std::string(variable) + "`",
                                     term_kind_text(names_[attribute.slot].kind), term_kind_text(*kind));
  out.attributes.push_back(std::move(attribute));
  return true;
}

// Of several ops one must take that many; the others never match.
bool RulePatternParser::check_pattern_operands(const RulePattern& out, const Token& name) {
  if (out.chain) return true;
  for (const Opcode opcode : out.opcodes)
    if (OperandRange(context_.def(opcode)).holds(out.operands.size())) return true;
  const OpDef& last = context_.def(out.opcodes.back());
  return in_.error<kRuleOperandCount>(name, last.name, OperandRange(last).text(), out.operands.size());
}

}  // namespace mlgc
