// See rule_build_parser.h.
#include "rewrite/rule_build_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"
#include "rewrite/operand_range.h"

namespace mlgc {

bool RuleBuildParser::parse_build(RuleBuild& out, bool root) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  out.at = in_.location(in_.token());
  if (in_.at(Tok::Integer) || in_.at(Tok::Float) || in_.at(Tok::Minus) || in_.at_word("inf")) {
    out.form = root ? RuleBuild::Form::Splat : RuleBuild::Form::Number;
    return terms_.parse_unary(out.term);
  }
  if (in_.take(Tok::Hash)) {
    out.form = root ? RuleBuild::Form::Splat : RuleBuild::Form::Number;
    const Token term = in_.token();
    if (!terms_.parse_primary(out.term)) return false;
    return out.term.kind == TermKind::Number ||
           in_.error<kRuleKindClash>(term, "what stands after `#`", term_kind_text(out.term.kind), "a number");
  }
  if (!in_.at(Tok::Name)) return in_.unexpected("a value, a number or an op");
  const Token name = in_.token();
  in_.advance();
  if (in_.at(Tok::LParen) || in_.at(Tok::LBracket))
    return in_.text(name) == "splat" ? parse_splat(out) : parse_op_build(out, name);
  const std::string_view word = in_.text(name);
  out.slot = names_.find(word);
  if (out.slot == kNoSlot) return in_.error<kRuleUnbound>(name, word);
  if (names_[out.slot].kind == TermKind::Value) return true;
  return in_.error<kRuleKindClash>(name, "`" + std::string(word) + "`", term_kind_text(names_[out.slot].kind),
                                   "a value; write `#` before a number");
}

// `splat(term)` of the root's type, `splat(term, value)` of the value's.
bool RuleBuildParser::parse_splat(RuleBuild& out) {
  out.form = RuleBuild::Form::Splat;
  if (!in_.expect(Tok::LParen)) return false;
  if (!terms_.parse_sum(out.term) || !terms_.wants(out.term, TermKind::Number, "the first argument of `splat`"))
    return false;
  if (in_.take(Tok::Comma) && !parse_build(out.operands.emplace_back(), false)) return false;
  return in_.expect(Tok::RParen);
}

bool RuleBuildParser::parse_op_build(RuleBuild& out, const Token& name) {
  out.form = RuleBuild::Form::Op;
  const std::string_view word = in_.text(name);
  const OpDef* def = nullptr;
  if (const std::uint16_t slot = names_.find(word); slot != kNoSlot && names_[slot].role == RuleName::Role::Op) {
    if (!surely_there(in_, names_, slot, name)) return false;
    out.same_as = slot;
    def = &context_.def(names_.opcodes_of(slot).front());
  } else {
    out.opcode = context_.find_op(word);
    if (out.opcode == Opcode::Invalid) return in_.unknown_op(name, word);
    def = &context_.def(out.opcode);
    if (!has_formula(*def))
      return in_.error<kRuleOpNotAllowed>(name, word, "it computes nothing from its operands alone");
  }
  if (in_.take(Tok::LBracket) && !parse_build_attributes(out, *def)) return false;
  if (!in_.expect(Tok::LParen)) return false;
  if (!in_.at(Tok::RParen)) {
    do {
      if (!parse_build(out.operands.emplace_back(), false)) return false;
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RParen)) return false;
  return check_build_operands(out, *def, name);
}

bool RuleBuildParser::parse_build_attributes(RuleBuild& out, const OpDef& def) {
  do {
    if (in_.at(Tok::Star)) {
      const Token star = in_.token();
      in_.advance();
      if (in_.at(Tok::Name)) {
        out.carry = names_.find(in_.text());
        if (out.carry == kNoSlot) return in_.error<kRuleUnbound>(in_.token(), in_.text());
        if (names_[out.carry].role != RuleName::Role::Op)
          return in_.error<kRuleKindClash>(in_.token(), "`" + std::string(in_.text()) + "`", "no op",
                                           "an op whose attributes are carried over");
        if (!surely_there(in_, names_, out.carry, in_.token())) return false;
        in_.advance();
      } else if (names_.rest() == kNoSlot) {
        return in_.error<kRuleUnbound>(star, "*");
      } else if (names_.several_rests()) {
        return in_.unexpected("the label of an op: several on the left side have `*`");
      } else {
        out.carry = names_.rest();
      }
      continue;
    }
    if (!in_.at(Tok::Name)) return in_.unexpected("the name of an attribute or `*`");
    const Token name = in_.token();
    const std::string attribute(in_.text());
    const AttrDef* row = find_attribute(def, attribute);
    if (row == nullptr) return in_.unknown_attribute(name, def, attribute);
    in_.advance();
    RuleTerm term;
    Token at_term = in_.token();
    if (in_.take(Tok::Equal)) {
      at_term = in_.token();
      if (!terms_.parse_term(term)) return false;
    } else {
      const std::uint16_t slot = names_.find(attribute);
      if (slot == kNoSlot) return in_.error<kRuleUnbound>(name, attribute);
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
      return in_.error<kRuleKindClash>(at_term, "attribute `" + attribute + "`", term_kind_text(term.kind),
                                       kind ? term_kind_text(*kind) : "of a kind that rules can compute");
    out.attributes.emplace_back(attribute, std::move(term));
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RBracket);
}

bool RuleBuildParser::check_build_operands(RuleBuild& out, const OpDef& def, const Token& name) {
  const OperandRange range(def);
  if (!range.holds(out.operands.size()))
    return in_.error<kRuleOperandCount>(name, def.name, range.text(), out.operands.size());
  for (std::size_t i = 0; i < out.operands.size(); ++i) {
    if (out.operands[i].form != RuleBuild::Form::Number) continue;
    const std::string_view operand = i < def.operands.size() ? def.operands[i].name : std::string_view();
    const bool stands = std::any_of(def.attrs.begin(), def.attrs.end(),
                                    [&](const AttrDef& a) { return !operand.empty() && a.instead_of == operand; });
    if (!stands) {
      return in_.report(diagnose<kRuleKindClash>(out.operands[i].at,
                                                 "operand " + std::to_string(i) + " of `" + std::string(def.name) + "`",
                                                 "a number", "a value: `splat(number, like)` makes one"));
    }
  }
  return true;
}

}  // namespace mlgc
