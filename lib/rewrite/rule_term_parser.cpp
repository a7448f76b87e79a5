// See rule_term_parser.h.
#include "rewrite/rule_term_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rewrite/rule_functions.h"
#include "support/result.h"

namespace mlgc {

using Form = RuleTerm::Form;

std::string_view term_kind_text(TermKind kind) {
  switch (kind) {
    case TermKind::Bool: return "a truth value";
    case TermKind::Number: return "a number";
    case TermKind::List: return "a list";
    case TermKind::Text: return "a text";
    case TermKind::Dtype: return "a dtype";
    case TermKind::Value: return "a value";
  }
  throw InternalError("unknown kind of term");
}

std::optional<TermKind> term_kind(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Bool: return TermKind::Bool;
    case AttributeKind::None:
    case AttributeKind::Int:
    case AttributeKind::Float: return TermKind::Number;
    case AttributeKind::IntList:
    case AttributeKind::FloatList: return TermKind::List;
    case AttributeKind::String: return TermKind::Text;
    case AttributeKind::Dtype: return TermKind::Dtype;
    default: return std::nullopt;
  }
}

bool RuleTermParser::wants(const RuleTerm& term, TermKind kind, std::string_view what) {
  if (term.kind == kind) return true;
  return in_.report(diagnose<kRuleKindClash>(term.at, what, term_kind_text(term.kind), term_kind_text(kind)));
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

bool RuleTermParser::parse_term(RuleTerm& out) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok() || !parse_and(out)) return false;
  while (in_.take_word("or")) {
    RuleTerm right;
    if (!parse_and(right) || !wants(out, TermKind::Bool, "what stands before `or`") ||
        !wants(right, TermKind::Bool, "what stands after `or`"))
      return false;
    combine(out, Form::Or, TermKind::Bool, std::move(right));
  }
  return true;
}

bool RuleTermParser::parse_and(RuleTerm& out) {
  if (!parse_not(out)) return false;
  while (in_.take_word("and")) {
    RuleTerm right;
    if (!parse_not(right) || !wants(out, TermKind::Bool, "what stands before `and`") ||
        !wants(right, TermKind::Bool, "what stands after `and`"))
      return false;
    combine(out, Form::And, TermKind::Bool, std::move(right));
  }
  return true;
}

bool RuleTermParser::parse_not(RuleTerm& out) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (!in_.at_word("not")) return parse_comparison(out);
  out.at = in_.location(in_.token());
  in_.advance();
  RuleTerm inner;
  if (!parse_not(inner) || !wants(inner, TermKind::Bool, "what stands after `not`")) return false;
  out.form = Form::Not;
  out.kind = TermKind::Bool;
  out.operands.push_back(std::move(inner));
  return true;
}

bool RuleTermParser::parse_comparison(RuleTerm& out) {
  if (!parse_sum(out)) return false;
  Form form = Form::Equal;
  switch (in_.token().kind) {
    case Tok::EqualEqual: form = Form::Equal; break;
    case Tok::NotEqual: form = Form::NotEqual; break;
    case Tok::Less: form = Form::Less; break;
    case Tok::LessEqual: form = Form::LessEqual; break;
    case Tok::Greater: form = Form::Greater; break;
    case Tok::GreaterEqual: form = Form::GreaterEqual; break;
    default: return true;
  }
  const bool order = form != Form::Equal && form != Form::NotEqual;
  in_.advance();
  RuleTerm right;
  if (!parse_sum(right)) return false;
  if (order && !wants(out, TermKind::Number, "the left side of the comparison")) return false;
  if (out.kind == TermKind::Value && !wants(out, TermKind::Number, "the left side of the comparison")) return false;
  if (!wants(right, out.kind, "the right side of the comparison")) return false;
  combine(out, form, TermKind::Bool, std::move(right));
  return true;
}

bool RuleTermParser::parse_sum(RuleTerm& out) {
  if (!parse_product(out)) return false;
  while (in_.at(Tok::Plus) || in_.at(Tok::Minus)) {
    const Form form = in_.at(Tok::Plus) ? Form::Add : Form::Subtract;
    in_.advance();
    RuleTerm right;
    if (!parse_product(right) || !wants(out, TermKind::Number, "a term of the sum") ||
        !wants(right, TermKind::Number, "a term of the sum"))
      return false;
    combine(out, form, TermKind::Number, std::move(right));
  }
  return true;
}

// `/` begins comments, so the quotient is written `div`.
bool RuleTermParser::parse_product(RuleTerm& out) {
  if (!parse_unary(out)) return false;
  while (in_.at(Tok::Star) || in_.at_word("div")) {
    const Form form = in_.at(Tok::Star) ? Form::Multiply : Form::Divide;
    in_.advance();
    RuleTerm right;
    if (!parse_unary(right) || !wants(out, TermKind::Number, "a factor") || !wants(right, TermKind::Number, "a factor"))
      return false;
    combine(out, form, TermKind::Number, std::move(right));
  }
  return true;
}

bool RuleTermParser::parse_unary(RuleTerm& out) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (!in_.at(Tok::Minus)) return parse_primary(out);
  out.at = in_.location(in_.token());
  in_.advance();
  if (in_.at(Tok::Integer) || in_.at(Tok::Float) || in_.at_word("inf")) {
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

std::optional<AttrValue> rule_literal_word(std::string_view word) {
  if (word == "true" || word == "false") return AttrValue(word == "true");
  if (word == "inf") return AttrValue(std::numeric_limits<double>::infinity());
  if (const auto dtype = parse_dtype(word)) return AttrValue(*dtype);
  return std::nullopt;
}

// `-0` is a real number, whose sign counts; other whole numbers stay whole.
bool RuleTermParser::parse_number(bool negative, AttrValue& out) {
  if (in_.at_word("inf")) {
    out = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    in_.advance();
    return true;
  }
  const std::string_view digits = in_.text();
  if (in_.at(Tok::Integer)) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc() || end != digits.data() + digits.size())
      return in_.unexpected("a decimal number below 2^63");
    if (negative && value == 0)
      out = -0.0;
    else
      out = index_.constant(negative ? -value : value);
    in_.advance();
    return true;
  }
  if (!in_.at(Tok::Float)) return in_.unexpected("a number");
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  out = negative ? -value : value;
  in_.advance();
  return true;
}

bool RuleTermParser::parse_list(RuleTerm& out) {
  out.form = Form::List;
  out.kind = TermKind::List;
  if (!in_.take(Tok::RBracket)) {
    do {
      RuleTerm item;
      if (!parse_sum(item) || !wants(item, TermKind::Number, "an item of the list")) return false;
      out.operands.push_back(std::move(item));
    } while (in_.take(Tok::Comma));
    if (!in_.expect(Tok::RBracket)) return false;
  }
  return true;
}

bool RuleTermParser::parse_primary(RuleTerm& out) {
  const RuleCursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  out.at = in_.location(in_.token());
  if (in_.at(Tok::Integer) || in_.at(Tok::Float)) {
    out.kind = TermKind::Number;
    if (!parse_number(false, out.literal)) return false;
  } else if (in_.at(Tok::String)) {
    std::string value;
    out.kind = TermKind::Text;
    if (!in_.parse_string(value)) return false;
    out.literal = std::move(value);
  } else if (in_.take(Tok::LBracket)) {
    if (!parse_list(out)) return false;
  } else if (in_.take(Tok::LParen)) {
    const Location at_bracket = out.at;
    if (!parse_term(out) || !in_.expect(Tok::RParen)) return false;
    out.at = at_bracket;
  } else if (in_.at(Tok::Name)) {
    if (!parse_name_term(out)) return false;
  } else {
    return in_.unexpected("a term");
  }
  while (in_.at(Tok::LBracket)) {
    if (out.kind != TermKind::List) return in_.unexpected("an operator: only lists have items");
    in_.advance();
    RuleTerm item;
    if (!parse_sum(item) || !wants(item, TermKind::Number, "the number of an item") || !in_.expect(Tok::RBracket))
      return false;
    combine(out, Form::Index, TermKind::Number, std::move(item));
  }
  return true;
}

bool RuleTermParser::parse_name_term(RuleTerm& out) {
  const Token name = in_.token();
  const std::string_view word = in_.text();
  in_.advance();
  if (in_.at(Tok::LParen)) return parse_call(out, name);
  if (const std::uint16_t slot = names_.find(word); slot != kNoSlot) {
    out.form = Form::Name;
    out.slot = slot;
    out.kind = names_[slot].kind;
    return true;
  }
  const auto literal = rule_literal_word(word);
  if (!literal) return in_.error<kRuleUnbound>(name, word);
  out.literal = *literal;
  out.kind = std::holds_alternative<bool>(*literal)    ? TermKind::Bool
             : std::holds_alternative<Dtype>(*literal) ? TermKind::Dtype
                                                       : TermKind::Number;
  return true;
}

bool RuleTermParser::parse_call(RuleTerm& out, const Token& name) {
  const std::string_view word = in_.text(name);
  const RuleFunction* function = find_rule_function(word);
  if (function == nullptr) {
    std::vector<std::string_view> names;
    for (const RuleFunction& row : rule_functions()) names.push_back(row.name);
    return in_.misspelled(diagnose<kRuleUnknownFunction>(in_.location(name), word), word, names);
  }
  out.form = Form::Call;
  out.function = function;
  out.kind = function->result;
  in_.advance();
  if (!in_.at(Tok::RParen)) {
    do {
      RuleTerm argument;
      if (!parse_term(argument)) return false;
      const std::size_t i = std::min(out.operands.size(), function->parameter_count - 1);
      if (!wants(argument, function->parameters[i],
                 "argument " + std::to_string(out.operands.size() + 1) + " of `" + std::string(word) + "`"))
        return false;
      out.operands.push_back(std::move(argument));
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RParen)) return false;
  const std::size_t count = out.operands.size();
  if (count == function->parameter_count || (function->variadic && count >= function->parameter_count)) return true;
  return in_.error<kRuleOperandCount>(
      name, word, (function->variadic ? "at least " : "") + std::to_string(function->parameter_count), count);
}

}  // namespace mlgc
