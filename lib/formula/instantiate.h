// From formula text, operand types and attributes to a ground formula. This is the verifier and the shape and dtype
// inference of every formula row: nothing else checks shapes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "formula/formula_syntax.h"

namespace mlgc {

// An operand as the formula sees it. An absent optional operand vanishes from sums and products that read it.
struct FormulaOperand {
  std::string name;
  bool present = true;
  Dtype dtype = Dtype::F32;
  std::vector<IndexExpr> shape;
};

using AttrValue =
    std::variant<bool, IndexExpr, double, std::string, Dtype, std::vector<IndexExpr>, std::vector<double>>;

// Attributes by name; one that is not there and is asked for as axes means every axis.
struct AttrValues {
  std::vector<std::pair<std::string, AttrValue>> values;
  [[nodiscard]] const AttrValue* find(std::string_view name) const;
};

// `results`: names of the statements that are results of the op, in order; empty: the last statement. Facts are those
// of the enclosing function. The diagnostic has no location: the caller knows it.
[[nodiscard]] Result<Formula, Diagnostic> instantiate(FormulaPool& pool, const FormulaSyntax& syntax,
                                                      const std::vector<FormulaOperand>& operands,
                                                      const AttrValues& attributes,
                                                      const std::vector<std::string>& results = {},
                                                      const Facts& facts = {});

// Parses and instantiates; a syntax error becomes a diagnostic too. Also reads what print_formula wrote.
[[nodiscard]] Result<Formula, Diagnostic> instantiate_text(FormulaPool& pool, std::string_view text,
                                                           const std::vector<FormulaOperand>& operands,
                                                           const AttrValues& attributes = {},
                                                           const std::vector<std::string>& results = {},
                                                           const Facts& facts = {});

// A scalar expression of named scalars, e.g. a partial derivative over `a`, `b`, `y`.
[[nodiscard]] ExprId instantiate_scalar(FormulaPool& pool, const FormulaSyntax& syntax,
                                        const std::vector<std::pair<std::string_view, ExprId>>& names);

// The ground form as text, statements separated by `;\n`. instantiate_text on it with the same operands gives the
// formula back.
[[nodiscard]] std::string print_formula(FormulaPool& pool, const Formula& formula);
[[nodiscard]] std::string print_statement(FormulaPool& pool, const Formula& formula, const Statement& statement);
[[nodiscard]] std::string print_expression(FormulaPool& pool, const Formula& formula, ExprId e);

}  // namespace mlgc
