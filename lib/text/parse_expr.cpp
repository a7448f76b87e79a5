// Index expressions and `where` constraints. The size of an expression is bounded: canonical forms of products can be
// far longer than their text.
#include <charconv>

#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

constexpr std::size_t kMaxOperators = 128;
constexpr std::size_t kMaxTerms = 256;
constexpr std::uint32_t kMaxOperandNumber = 1U << 16;

bool is_reserved(std::string_view word) {
  static constexpr std::string_view kWords[] = {"floordiv", "ceildiv",    "mod",     "min",    "max",   "true",
                                                "false",    "tensor",     "buffer",  "vector", "index", "none",
                                                "dense",    "array",      "complex", "memref", "where", "loc",
                                                "updates",  "attributes", "weights", "inf",    "nan"};
  for (const std::string_view reserved : kWords)
    if (word == reserved) return true;
  return parse_dtype(word).has_value();
}

}  // namespace

bool Parser::parse_magnitude(const Token& token, std::uint64_t& out) {
  std::string_view digits = lexer_.text(token);
  int base = 10;
  if (digits.starts_with("0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  if (std::from_chars(digits.data(), digits.data() + digits.size(), out, base).ec == std::errc()) return true;
  return error<kNumberTooLarge>(token, lexer_.text(token).substr(0, 60), "64 bits");
}

bool Parser::parse_int64(const Token& token, bool negative, std::int64_t& out) {
  std::uint64_t magnitude = 0;
  if (!parse_magnitude(token, magnitude)) return false;
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (magnitude > limit || (magnitude == limit && !negative))
    return error<kNumberTooLarge>(token, lexer_.text(token), "64 bits");
  out = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  return true;
}

bool Parser::count_operator(const Token& token, ExprState& state) {
  if (++state.operators <= kMaxOperators) return true;
  return error<kExpressionTooLarge>(token, "operators", kMaxOperators);
}

bool Parser::checked(const Token& token, IndexExpr value, IndexExpr& out) {
  if (value == context_.index().overflow()) return error<kIndexOverflow>(token);
  if (context_.index().term_count(value) > kMaxTerms) return error<kExpressionTooLarge>(token, "terms", kMaxTerms);
  out = value;
  return true;
}

bool Parser::parse_expr(IndexExpr& out, SubscriptOperands* values) {
  ExprState state{values};
  return parse_sum(out, state);
}

bool Parser::parse_sum(IndexExpr& out, ExprState& state) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (!parse_product(out, state)) return false;
  while (at(Tok::Plus) || at(Tok::Minus)) {
    const Token op = tok_;
    advance();
    IndexExpr right;
    if (!count_operator(op, state) || !parse_product(right, state)) return false;
    IndexPool& pool = context_.index();
    if (!checked(op, op.kind == Tok::Plus ? pool.add(out, right) : pool.sub(out, right), out)) return false;
  }
  return true;
}

bool Parser::parse_product(IndexExpr& out, ExprState& state) {
  if (!parse_factor(out, state)) return false;
  while (at(Tok::Star) || at_word("floordiv") || at_word("ceildiv") || at_word("mod")) {
    const Token op = tok_;
    const std::string_view word = text();
    advance();
    IndexExpr right;
    const Token divisor = tok_;
    if (!count_operator(op, state) || !parse_factor(right, state)) return false;
    IndexPool& pool = context_.index();
    if (word == "*") {
      if (pool.term_count(out) * pool.term_count(right) > kMaxTerms)
        return error<kExpressionTooLarge>(op, "terms", kMaxTerms);
      if (!checked(op, pool.mul(out, right), out)) return false;
      continue;
    }
    if (const auto value = pool.as_constant(right); value && *value <= 0) return error<kBadDivisor>(divisor, *value);
    const IndexExpr result = word == "floordiv"  ? pool.floordiv(out, right)
                             : word == "ceildiv" ? pool.ceildiv(out, right)
                                                 : pool.mod(out, right);
    if (!checked(op, result, out)) return false;
  }
  return true;
}

bool Parser::parse_factor(IndexExpr& out, ExprState& state) {
  if (!at(Tok::Minus)) return parse_primary(out, state);
  const Token minus = tok_;
  advance();
  if (!count_operator(minus, state)) return false;
  if (at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!parse_int64(tok_, true, value)) return false;
    advance();
    out = context_.index().constant(value);
    return true;
  }
  IndexExpr inner;
  if (!parse_primary(inner, state)) return false;
  return checked(minus, context_.index().sub(context_.index().constant(0), inner), out);
}

bool Parser::parse_primary(IndexExpr& out, ExprState& state) {
  IndexPool& pool = context_.index();
  if (at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!parse_int64(tok_, false, value)) return false;
    out = pool.constant(value);
    advance();
    return true;
  }
  if (at(Tok::LParen)) {
    advance();
    return parse_sum(out, state) && expect(Tok::RParen, "in an expression");
  }
  if (at_word("min") || at_word("max")) {
    const Token word = tok_;
    const bool is_min = text() == "min";
    advance();
    if (!expect(Tok::LParen, "after `min` or `max`") || !parse_sum(out, state)) return false;
    if (!at(Tok::Comma)) return unexpected("`,` between the arguments of `min` or `max`");
    while (take(Tok::Comma)) {
      IndexExpr right;
      if (!count_operator(word, state) || !parse_sum(right, state)) return false;
      if (!checked(word, is_min ? pool.min(out, right) : pool.max(out, right), out)) return false;
    }
    return expect(Tok::RParen, "in an expression");
  }
  if (at(Tok::Name)) {
    if (is_reserved(text())) return error<kReservedWord>(tok_, text(), "a size");
    out = pool.symbol(text());
    advance();
    return true;
  }
  if (at(Tok::Value) && state.values != nullptr) {
    Value value;
    if (!resolve(tok_, value)) return false;
    advance();
    if (!value.valid()) {
      state.values->poisoned = true;
      out = IndexExpr();
      return true;
    }
    std::vector<Value>& operands = *state.values->operands;
    std::size_t number = state.values->first;
    while (number < operands.size() && operands[number] != value) ++number;
    if (number == operands.size()) operands.push_back(value);
    out = pool.opaque(static_cast<std::uint32_t>(number));
    return true;
  }
  if (at(Tok::Value) && state.operand_numbers) {
    const std::string_view digits = text().substr(1);
    std::uint32_t number = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (status != std::errc() || end != digits.data() + digits.size() || number >= kMaxOperandNumber)
      return unexpected("the number of an operand");
    out = pool.opaque(number);
    advance();
    return true;
  }
  return unexpected(state.values != nullptr ? "a size, a value or a number" : "a size or a number");
}

bool Parser::parse_constraint(Constraint& out) {
  IndexExpr term;
  if (!parse_expr(term, nullptr)) return false;
  out.terms.push_back(term);
  while (at(Tok::EqualEqual) || at(Tok::NotEqual) || at(Tok::Less) || at(Tok::LessEqual) || at(Tok::Greater) ||
         at(Tok::GreaterEqual)) {
    if (out.relations.size() >= kMaxOperators) return error<kExpressionTooLarge>(tok_, "comparisons", kMaxOperators);
    out.relations.push_back(*parse_relation(text()));
    advance();
    if (!parse_expr(term, nullptr)) return false;
    out.terms.push_back(term);
  }
  return !out.relations.empty() || unexpected("a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`)");
}

bool Parser::parse_constraints(Attribute& out) {
  Constraints constraints;
  do {
    constraints.emplace_back();
    if (!parse_constraint(constraints.back())) return false;
  } while (take(Tok::Comma));
  out = to_attribute(constraints, context_);
  return true;
}

}  // namespace mlgc::text
