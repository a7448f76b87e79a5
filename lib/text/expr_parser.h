// Reads index expressions and `where` constraints. The size of an expression is bounded: canonical forms of products
// can be far longer than their text.
#pragma once

#include <functional>
#include <vector>

#include "ir/constraint.h"
#include "ir/context.h"
#include "ir/module.h"
#include "text/cursor.h"

namespace mlgc::text {

class ExprParser {
 public:
  ExprParser(Cursor& in, Context& context) : in_(in), context_(context) {}

  // Where values are subscripts: `%i` becomes an operand, if it is none yet.
  struct Subscripts {
    std::vector<Value>& operands;
    std::size_t first;  // operands before it are not subscripts
    // False: it reported an error. An invalid value: its definition failed.
    std::function<bool(const Token&, Value&)> resolve;
    bool poisoned = false;  // one had no value
  };
  bool parse_expr(IndexExpr& out) { return parse_in(out, {}); }
  bool parse_subscript(IndexExpr& out, Subscripts& values) { return parse_in(out, {.values = &values}); }
  // `%1` is operand 1 of the op that holds the attribute.
  bool parse_of_operands(IndexExpr& out) { return parse_in(out, {.operand_numbers = true}); }
  bool parse_constraints(Attribute& out);

 private:
  struct State {
    Subscripts* values = nullptr;  // where `%i` is allowed
    std::size_t operators = 0;
    bool operand_numbers = false;
  };
  bool parse_in(IndexExpr& out, State state) { return parse_sum(out, state); }
  bool parse_sum(IndexExpr& out, State& state);
  bool parse_product(IndexExpr& out, State& state);
  bool parse_factor(IndexExpr& out, State& state);
  bool parse_primary(IndexExpr& out, State& state);
  bool parse_value(IndexExpr& out, Subscripts& values);
  bool count_operator(const Token& token, State& state);
  bool checked(const Token& token, IndexExpr value, IndexExpr& out);
  bool parse_constraint(Constraint& out);

  Cursor& in_;
  Context& context_;
};

}  // namespace mlgc::text
