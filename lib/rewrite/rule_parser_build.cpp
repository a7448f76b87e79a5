// What rules make: the right side and what `where` names.
#include <algorithm>
#include <string>
#include <utility>

#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"
#include "rewrite/rule_parser_impl.h"

namespace mlgc {

bool RuleParser::parse_build(RuleBuild& out, bool root) {
  const Nesting nesting(*this);
  if (!nesting.ok()) return false;
  out.at = location(tok_);
  if (at(Tok::Integer) || at(Tok::Float) || at(Tok::Minus) || at_word("inf")) {
    out.form = root ? RuleBuild::Form::Splat : RuleBuild::Form::Number;
    return parse_unary(out.term);
  }
  if (take(Tok::Hash)) {
    out.form = root ? RuleBuild::Form::Splat : RuleBuild::Form::Number;
    const Token term = tok_;
    if (!parse_primary(out.term)) return false;
    return out.term.kind == TermKind::Number ||
           error<kRuleKindClash>(term, "what stands behind `#`", term_kind_text(out.term.kind), "a number");
  }
  if (!at(Tok::Name)) return unexpected("a value, a number or an op");
  const Token name = tok_;
  advance();
  if (at(Tok::LParen) || at(Tok::LBracket))
    return lexer_.text(name) == "splat" ? parse_splat(out) : parse_op_build(out, name);
  const std::string_view word = lexer_.text(name);
  out.slot = find(word);
  if (out.slot == kNoSlot) return error<kRuleUnbound>(name, word);
  if (names_[out.slot].kind == TermKind::Value) return true;
  return error<kRuleKindClash>(name, "`" + std::string(word) + "`", term_kind_text(names_[out.slot].kind),
                               "a value; write `#` before a number");
}

// `splat(term)` of the root's type, `splat(term, value)` of the value's.
bool RuleParser::parse_splat(RuleBuild& out) {
  out.form = RuleBuild::Form::Splat;
  if (!expect(Tok::LParen)) return false;
  if (!parse_sum(out.term) || !wants(out.term, TermKind::Number, "the first argument of `splat`")) return false;
  if (take(Tok::Comma) && !parse_build(out.operands.emplace_back(), false)) return false;
  return expect(Tok::RParen);
}

bool RuleParser::parse_op_build(RuleBuild& out, const Token& name) {
  out.form = RuleBuild::Form::Op;
  const std::string_view word = lexer_.text(name);
  const OpDef* def = nullptr;
  if (const std::uint16_t slot = find(word); slot != kNoSlot && names_[slot].role == RuleName::Role::Op) {
    if (!surely_there(slot, name)) return false;
    out.same_as = slot;
    def = &context_.def(opcodes_of(slot)->front());
  } else {
    out.opcode = context_.find_op(word);
    if (out.opcode == Opcode::Invalid) return unknown_op(name, word);
    def = &context_.def(out.opcode);
    if (!has_formula(*def)) return error<kRuleOpNotAllowed>(name, word, "it computes nothing from its operands alone");
  }
  if (take(Tok::LBracket) && !parse_build_attributes(out, *def)) return false;
  if (!expect(Tok::LParen)) return false;
  if (!at(Tok::RParen)) {
    do {
      if (!parse_build(out.operands.emplace_back(), false)) return false;
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RParen)) return false;
  return check_build_operands(out, *def, name);
}

bool RuleParser::parse_build_attributes(RuleBuild& out, const OpDef& def) {
  do {
    if (at(Tok::Star)) {
      const Token star = tok_;
      advance();
      if (at(Tok::Name)) {
        out.carry = find(text());
        if (out.carry == kNoSlot) return error<kRuleUnbound>(tok_, text());
        if (names_[out.carry].role != RuleName::Role::Op)
          return error<kRuleKindClash>(tok_, "`" + std::string(text()) + "`", "no op",
                                       "an op whose attributes are carried over");
        if (!surely_there(out.carry, tok_)) return false;
        advance();
      } else if (rest_slot_ == kNoSlot) {
        return error<kRuleUnbound>(star, "*");
      } else if (several_rests_) {
        return unexpected("the label of an op: several on the left side have `*`");
      } else {
        out.carry = rest_slot_;
      }
      continue;
    }
    if (!at(Tok::Name)) return unexpected("the name of an attribute or `*`");
    const Token name = tok_;
    const std::string attribute(text());
    const AttrDef* row = find_attribute(def, attribute);
    if (row == nullptr) return unknown_attribute(name, def, attribute);
    advance();
    RuleTerm term;
    Token at_term = tok_;
    if (take(Tok::Equal)) {
      at_term = tok_;
      if (!parse_term(term)) return false;
    } else {
      const std::uint16_t slot = find(attribute);
      if (slot == kNoSlot) return error<kRuleUnbound>(name, attribute);
      at_term = name;
      term.form = RuleTerm::Form::Name;
      term.slot = slot;
      term.kind = names_[slot].kind;
    }
    const auto kind = term_kind(row->kind);
    // A single number is a list of one.
    const bool single = kind == TermKind::List && term.kind == TermKind::Number;
    const bool flag = row->kind == AttributeKind::None && term.kind == TermKind::Bool;
    if (!kind || (term.kind != *kind && !single && !flag))
      return error<kRuleKindClash>(at_term, "attribute `" + attribute + "`", term_kind_text(term.kind),
                                   kind ? term_kind_text(*kind) : "of a kind that rules can compute");
    out.attributes.emplace_back(attribute, std::move(term));
  } while (take(Tok::Comma));
  return expect(Tok::RBracket);
}

bool RuleParser::check_build_operands(RuleBuild& out, const OpDef& def, const Token& name) {
  const OperandRange range(def);
  if (!range.holds(out.operands.size()))
    return error<kRuleOperandCount>(name, def.name, range.text(), out.operands.size());
  for (std::size_t i = 0; i < out.operands.size(); ++i) {
    if (out.operands[i].form != RuleBuild::Form::Number) continue;
    const std::string_view operand = i < def.operands.size() ? def.operands[i].name : std::string_view();
    const bool stands = std::any_of(def.attrs.begin(), def.attrs.end(),
                                    [&](const AttrDef& a) { return !operand.empty() && a.instead_of == operand; });
    if (!stands) {
      diagnostics_.emit(diagnose<kRuleKindClash>(out.operands[i].at,
                                                 "operand " + std::to_string(i) + " of `" + std::string(def.name) + "`",
                                                 "a number", "a value: `splat(number, like)` makes one"));
      return false;
    }
  }
  return true;
}

}  // namespace mlgc
