// See expr_parser.h.
#include "text/expr_parser.h"

#include <charconv>

#include "text/size_name.h"

namespace mlgc::text {

namespace {

constexpr std::size_t kMaxOperators = 128;
constexpr std::size_t kMaxTerms = 256;
constexpr std::uint32_t kMaxOperandNumber = 1U << 16;

}  // namespace

bool ExprParser::count_operator(const Token& token, State& state) {
  if (++state.operators <= kMaxOperators) return true;
  return in_.error<kExpressionTooLarge>(token, "operators", kMaxOperators);
}

bool ExprParser::checked(const Token& token, IndexExpr value, IndexExpr& out) {
  if (value == context_.index().overflow()) return in_.error<kIndexOverflow>(token);
  if (context_.index().term_count(value) > kMaxTerms) return in_.error<kExpressionTooLarge>(token, "terms", kMaxTerms);
  out = value;
  return true;
}

bool ExprParser::parse_sum(IndexExpr& out, State& state) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (!parse_product(out, state)) return false;
  while (in_.at(Tok::Plus) || in_.at(Tok::Minus)) {
    const Token op = in_.token();
    in_.advance();
    IndexExpr right;
    if (!count_operator(op, state) || !parse_product(right, state)) return false;
    IndexPool& pool = context_.index();
    if (!checked(op, op.kind == Tok::Plus ? pool.add(out, right) : pool.sub(out, right), out)) return false;
  }
  return true;
}

bool ExprParser::parse_product(IndexExpr& out, State& state) {
  if (!parse_factor(out, state)) return false;
  while (in_.at(Tok::Star) || in_.at_word("floordiv") || in_.at_word("ceildiv") || in_.at_word("mod")) {
    const Token op = in_.token();
    const std::string_view word = in_.text();
    in_.advance();
    IndexExpr right;
    const Token divisor = in_.token();
    if (!count_operator(op, state) || !parse_factor(right, state)) return false;
    IndexPool& pool = context_.index();
    if (word == "*") {
      if (pool.term_count(out) * pool.term_count(right) > kMaxTerms)
        return in_.error<kExpressionTooLarge>(op, "terms", kMaxTerms);
      if (!checked(op, pool.mul(out, right), out)) return false;
      continue;
    }
    if (const auto value = pool.as_constant(right); value && *value <= 0)
      return in_.error<kBadDivisor>(divisor, *value);
    const IndexExpr result = word == "floordiv"  ? pool.floordiv(out, right)
                             : word == "ceildiv" ? pool.ceildiv(out, right)
                                                 : pool.mod(out, right);
    if (!checked(op, result, out)) return false;
  }
  return true;
}

bool ExprParser::parse_factor(IndexExpr& out, State& state) {
  if (!in_.at(Tok::Minus)) return parse_primary(out, state);
  const Token minus = in_.token();
  in_.advance();
  if (!count_operator(minus, state)) return false;
  if (in_.at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!in_.parse_int64(in_.token(), true, value)) return false;
    in_.advance();
    out = context_.index().constant(value);
    return true;
  }
  IndexExpr inner;
  if (!parse_primary(inner, state)) return false;
  return checked(minus, context_.index().sub(context_.index().constant(0), inner), out);
}

bool ExprParser::parse_primary(IndexExpr& out, State& state) {
  IndexPool& pool = context_.index();
  if (in_.at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!in_.parse_int64(in_.token(), false, value)) return false;
    out = pool.constant(value);
    in_.advance();
    return true;
  }
  if (in_.at(Tok::LParen)) {
    in_.advance();
    return parse_sum(out, state) && in_.expect(Tok::RParen, "in an expression");
  }
  if (in_.at_word("min") || in_.at_word("max")) {
    const Token word = in_.token();
    const bool is_min = in_.text() == "min";
    in_.advance();
    if (!in_.expect(Tok::LParen, "after `min` or `max`") || !parse_sum(out, state)) return false;
    if (!in_.at(Tok::Comma)) return in_.unexpected("`,` between the arguments of `min` or `max`");
    while (in_.take(Tok::Comma)) {
      IndexExpr right;
      if (!count_operator(word, state) || !parse_sum(right, state)) return false;
      if (!checked(word, is_min ? pool.min(out, right) : pool.max(out, right), out)) return false;
    }
    return in_.expect(Tok::RParen, "in an expression");
  }
  if (in_.at(Tok::Name)) {
    if (is_reserved_for_sizes(in_.text())) return in_.error<kReservedWord>(in_.token(), in_.text(), "a size");
    out = pool.symbol(in_.text());
    in_.advance();
    return true;
  }
  if (in_.at(Tok::Value) && state.values != nullptr) return parse_value(out, *state.values);
  if (in_.at(Tok::Value) && state.operand_numbers) {
    const std::string_view digits = in_.text().substr(1);
    std::uint32_t number = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (status != std::errc() || end != digits.data() + digits.size() || number >= kMaxOperandNumber)
      return in_.unexpected("the number of an operand");
    out = pool.opaque(number);
    in_.advance();
    return true;
  }
  return in_.unexpected(state.values != nullptr ? "a size, a value or a number" : "a size or a number");
}

bool ExprParser::parse_value(IndexExpr& out, Subscripts& values) {
  Value value;
  if (!values.resolve(in_.token(), value)) return false;
  in_.advance();
  if (!value.valid()) {
    values.poisoned = true;
    out = IndexExpr();
    return true;
  }
  std::size_t number = values.first;
  while (number < values.operands.size() && values.operands[number] != value) ++number;
  if (number == values.operands.size()) values.operands.push_back(value);
  out = context_.index().opaque(static_cast<std::uint32_t>(number));
  return true;
}

bool ExprParser::parse_constraint(Constraint& out) {
  IndexExpr term;
  if (!parse_expr(term)) return false;
  out.terms.push_back(term);
  while (in_.at(Tok::EqualEqual) || in_.at(Tok::NotEqual) || in_.at(Tok::Less) || in_.at(Tok::LessEqual) ||
         in_.at(Tok::Greater) || in_.at(Tok::GreaterEqual)) {
    if (out.relations.size() >= kMaxOperators)
      return in_.error<kExpressionTooLarge>(in_.token(), "comparisons", kMaxOperators);
    out.relations.push_back(*parse_relation(in_.text()));
    in_.advance();
    if (!parse_expr(term)) return false;
    out.terms.push_back(term);
  }
  return !out.relations.empty() || in_.unexpected("a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`)");
}

bool ExprParser::parse_constraints(Attribute& out) {
  Constraints constraints;
  do {
    constraints.emplace_back();
    if (!parse_constraint(constraints.back())) return false;
  } while (in_.take(Tok::Comma));
  out = to_attribute(constraints, context_);
  return true;
}

}  // namespace mlgc::text
