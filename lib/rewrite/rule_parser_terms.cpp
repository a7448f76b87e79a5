// Expressions of conditions and attributes. Every expression has one kind, known when it is read.
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "rewrite/rule_parser_impl.h"

namespace mlgc {

using Form = RuleTerm::Form;

bool RuleParser::wants(const RuleTerm& term, TermKind kind, std::string_view what) {
  if (term.kind == kind) return true;
  diagnostics_.emit(diagnose<kRuleKindClash>(term.at, what, term_kind_text(term.kind), term_kind_text(kind)));
  return false;
}

namespace {

void combine(RuleTerm& left, Form form, TermKind kind, RuleTerm right) {
  RuleTerm out;
  out.form = form;
  out.kind = kind;
  out.at = left.at;
  out.operands.push_back(std::move(left));
  out.operands.push_back(std::move(right));
  left = std::move(out);
}

}  // namespace

bool RuleParser::parse_term(RuleTerm& out) {
  const Nesting nesting(*this);
  if (!nesting.ok() || !parse_and(out)) return false;
  while (take_word("or")) {
    RuleTerm right;
    if (!parse_and(right) || !wants(out, TermKind::Bool, "what stands before `or`") ||
        !wants(right, TermKind::Bool, "what stands behind `or`"))
      return false;
    combine(out, Form::Or, TermKind::Bool, std::move(right));
  }
  return true;
}

bool RuleParser::parse_and(RuleTerm& out) {
  if (!parse_not(out)) return false;
  while (take_word("and")) {
    RuleTerm right;
    if (!parse_not(right) || !wants(out, TermKind::Bool, "what stands before `and`") ||
        !wants(right, TermKind::Bool, "what stands behind `and`"))
      return false;
    combine(out, Form::And, TermKind::Bool, std::move(right));
  }
  return true;
}

bool RuleParser::parse_not(RuleTerm& out) {
  const Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (!at_word("not")) return parse_comparison(out);
  out.at = location(tok_);
  advance();
  RuleTerm inner;
  if (!parse_not(inner) || !wants(inner, TermKind::Bool, "what stands behind `not`")) return false;
  out.form = Form::Not;
  out.kind = TermKind::Bool;
  out.operands.push_back(std::move(inner));
  return true;
}

bool RuleParser::parse_comparison(RuleTerm& out) {
  if (!parse_sum(out)) return false;
  Form form = Form::Equal;
  switch (tok_.kind) {
    case Tok::EqualEqual: form = Form::Equal; break;
    case Tok::NotEqual: form = Form::NotEqual; break;
    case Tok::Less: form = Form::Less; break;
    case Tok::LessEqual: form = Form::LessEqual; break;
    case Tok::Greater: form = Form::Greater; break;
    case Tok::GreaterEqual: form = Form::GreaterEqual; break;
    default: return true;
  }
  const bool order = form != Form::Equal && form != Form::NotEqual;
  advance();
  RuleTerm right;
  if (!parse_sum(right)) return false;
  if (order && !wants(out, TermKind::Number, "the left side of the comparison")) return false;
  if (out.kind == TermKind::Value && !wants(out, TermKind::Number, "the left side of the comparison")) return false;
  if (!wants(right, out.kind, "the right side of the comparison")) return false;
  combine(out, form, TermKind::Bool, std::move(right));
  return true;
}

bool RuleParser::parse_sum(RuleTerm& out) {
  if (!parse_product(out)) return false;
  while (at(Tok::Plus) || at(Tok::Minus)) {
    const Form form = at(Tok::Plus) ? Form::Add : Form::Subtract;
    advance();
    RuleTerm right;
    if (!parse_product(right) || !wants(out, TermKind::Number, "a term of the sum") ||
        !wants(right, TermKind::Number, "a term of the sum"))
      return false;
    combine(out, form, TermKind::Number, std::move(right));
  }
  return true;
}

// `/` begins comments, so the quotient is spelled `div`.
bool RuleParser::parse_product(RuleTerm& out) {
  if (!parse_unary(out)) return false;
  while (at(Tok::Star) || at_word("div")) {
    const Form form = at(Tok::Star) ? Form::Multiply : Form::Divide;
    advance();
    RuleTerm right;
    if (!parse_unary(right) || !wants(out, TermKind::Number, "a factor") || !wants(right, TermKind::Number, "a factor"))
      return false;
    combine(out, form, TermKind::Number, std::move(right));
  }
  return true;
}

bool RuleParser::parse_unary(RuleTerm& out) {
  const Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (!at(Tok::Minus)) return parse_primary(out);
  out.at = location(tok_);
  advance();
  if (at(Tok::Integer) || at(Tok::Float) || at_word("inf")) {
    out.kind = TermKind::Number;
    return parse_number(true, out.literal);
  }
  RuleTerm inner;
  if (!parse_unary(inner) || !wants(inner, TermKind::Number, "what is negated")) return false;
  out.form = Form::Negate;
  out.kind = TermKind::Number;
  out.operands.push_back(std::move(inner));
  return true;
}

std::optional<AttrValue> RuleParser::literal_word(std::string_view word) {
  if (word == "true" || word == "false") return AttrValue(word == "true");
  if (word == "inf") return AttrValue(std::numeric_limits<double>::infinity());
  if (const auto dtype = parse_dtype(word)) return AttrValue(*dtype);
  return std::nullopt;
}

// `-0` is a real number, whose sign counts; other whole numbers stay whole.
bool RuleParser::parse_number(bool negative, AttrValue& out) {
  if (at_word("inf")) {
    out = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    advance();
    return true;
  }
  const std::string_view digits = text();
  if (at(Tok::Integer)) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc() || end != digits.data() + digits.size())
      return unexpected("a decimal number below 2^63");
    if (negative && value == 0)
      out = -0.0;
    else
      out = context_.index().constant(negative ? -value : value);
    advance();
    return true;
  }
  if (!at(Tok::Float)) return unexpected("a number");
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  out = negative ? -value : value;
  advance();
  return true;
}

bool RuleParser::parse_list(RuleTerm& out) {
  out.form = Form::List;
  out.kind = TermKind::List;
  if (!take(Tok::RBracket)) {
    do {
      RuleTerm item;
      if (!parse_sum(item) || !wants(item, TermKind::Number, "an item of the list")) return false;
      out.operands.push_back(std::move(item));
    } while (take(Tok::Comma));
    if (!expect(Tok::RBracket)) return false;
  }
  return true;
}

bool RuleParser::parse_primary(RuleTerm& out) {
  const Nesting nesting(*this);
  if (!nesting.ok()) return false;
  out.at = location(tok_);
  if (at(Tok::Integer) || at(Tok::Float)) {
    out.kind = TermKind::Number;
    if (!parse_number(false, out.literal)) return false;
  } else if (at(Tok::String)) {
    std::string value;
    out.kind = TermKind::Text;
    if (!parse_string(value)) return false;
    out.literal = std::move(value);
  } else if (take(Tok::LBracket)) {
    if (!parse_list(out)) return false;
  } else if (take(Tok::LParen)) {
    const Location at_bracket = out.at;
    if (!parse_term(out) || !expect(Tok::RParen)) return false;
    out.at = at_bracket;
  } else if (at(Tok::Name)) {
    if (!parse_name_term(out)) return false;
  } else {
    return unexpected("a term");
  }
  while (at(Tok::LBracket)) {
    if (out.kind != TermKind::List) return unexpected("an operator: only lists have items");
    advance();
    RuleTerm item;
    if (!parse_sum(item) || !wants(item, TermKind::Number, "the number of an item") || !expect(Tok::RBracket))
      return false;
    combine(out, Form::Index, TermKind::Number, std::move(item));
  }
  return true;
}

bool RuleParser::parse_name_term(RuleTerm& out) {
  const Token name = tok_;
  const std::string_view word = text();
  advance();
  if (at(Tok::LParen)) return parse_call(out, name);
  if (const std::uint16_t slot = find(word); slot != kNoSlot) {
    out.form = Form::Name;
    out.slot = slot;
    out.kind = names_[slot].kind;
    return true;
  }
  const auto literal = literal_word(word);
  if (!literal) return error<kRuleUnbound>(name, word);
  out.literal = *literal;
  out.kind = std::holds_alternative<bool>(*literal)    ? TermKind::Bool
             : std::holds_alternative<Dtype>(*literal) ? TermKind::Dtype
                                                       : TermKind::Number;
  return true;
}

bool RuleParser::parse_call(RuleTerm& out, const Token& name) {
  const std::string_view word = lexer_.text(name);
  const RuleFunction* function = find_rule_function(word);
  if (function == nullptr) {
    std::vector<std::string_view> names;
    for (const RuleFunction& row : rule_functions()) names.push_back(row.name);
    return misspelled(diagnose<kRuleUnknownFunction>(location(name), word), word, names);
  }
  out.form = Form::Call;
  out.function = function;
  out.kind = function->result;
  advance();
  if (!at(Tok::RParen)) {
    do {
      RuleTerm argument;
      if (!parse_term(argument)) return false;
      const std::size_t i = std::min(out.operands.size(), function->parameter_count - 1);
      if (!wants(argument, function->parameters[i],
                 "argument " + std::to_string(out.operands.size() + 1) + " of `" + std::string(word) + "`"))
        return false;
      out.operands.push_back(std::move(argument));
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RParen)) return false;
  const std::size_t count = out.operands.size();
  if (count == function->parameter_count || (function->variadic && count >= function->parameter_count)) return true;
  return error<kRuleOperandCount>(
      name, word, (function->variadic ? "at least " : "") + std::to_string(function->parameter_count), count);
}

}  // namespace mlgc
