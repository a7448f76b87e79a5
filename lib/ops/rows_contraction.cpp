// Rows that sum products: matrix products, linear layers, einsum. Sums of integers are taken in i64 and keep the dtype
// of the operands, as in PyTorch.
#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// Vectors take part as PyTorch's matmul says: a row on the left, a column on the right.
Text matmul_text(const OpTypes& types, const Attrs&) {
  for (std::size_t i = 0; i < 2; ++i)
    if (types.rank(i) == 0) return Failure{diagnose<kRankMismatch>({}, types.name(i), 0, "at least 1")};
  const bool row = types.rank(0) == 1, column = types.rank(1) == 1;
  const std::string a = row ? "a[k]" : "a[B.., m, k]", b = column ? "b[k]" : "b[B.., k, n]";
  const std::string out = joined({row && column ? "" : "B..", row ? "" : "m", column ? "" : "n"});
  return "y[" + out + "] = like(sum[k](" + a + "*" + b + "), a)";
}

// The equation is the formula: its labels are index labels, `...` is a pack.
Text einsum_text(const OpTypes& types, const Attrs& attrs) {
  std::string equation = attrs.text("equation");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  const auto wrong = [](std::string_view reason) {
    return Failure{diagnose<kAttributeValue>({}, "equation", "einsum", reason)};
  };
  if (arrow == std::string::npos) return wrong("it must state the result after `->`");
  const auto subscripts = [](std::string_view term) {
    std::string out;
    for (std::size_t i = 0; i < term.size(); ++i) {
      const bool dots = term.substr(i, 3) == "...";
      const std::string item = dots ? "E.." : term[i] >= 'a' ? std::string(1, term[i]) : "u" + std::string(1, term[i]);
      out += (out.empty() ? "" : ", ") + item;
      if (dots) i += 2;
    }
    return out;
  };
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char c = equation[i];
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != ',' && c != '.' && i != arrow && i != arrow + 1)
      return wrong("`" + std::string(1, c) + "` is neither a letter nor a comma");
  }
  const std::string result = equation.substr(arrow + 2);
  std::string body, summed, rest = equation.substr(0, arrow) + ",";
  std::size_t operand = 0;
  for (std::size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1), ++operand) {
    if (operand >= types.size()) return wrong("it has more terms than there are operands");
    const std::string term = rest.substr(0, comma);
    body += (body.empty() ? "" : "*") + types.name(operand) + "[" + subscripts(term) + "]";
    for (char c : term)
      if (c != '.' && result.find(c) == std::string::npos && summed.find(c) == std::string::npos) summed += c;
  }
  if (operand != types.size()) return wrong("it has fewer terms than there are operands");
  if (!summed.empty()) body = "sum[" + subscripts(summed) + "](" + body + ")";
  if (operand > 1) body = "like(" + body + ", " + types.name(0) + ")";  // the sum of one operand is that of `sum`
  return "y[" + subscripts(result) + "] = " + body;
}

constexpr OpDef kContractionRows[] = {
    {.name = "matmul",
     .summary = "The matrix product, over leading axes that broadcast.",
     .tier = Tier::Formula,
     .operands = {{.name = "a", .elements = ElementClass::Number}, {.name = "b", .elements = ElementClass::Number}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = matmul_text},
     .example = "matmul([[1, 2], [3, 4]], [[1], [10]]) == [[21], [43]]",
     .aten = {"aten.mm.default", "aten.bmm.default", "aten.matmul.default", "aten.mv.default", "aten.dot.default",
              "aten.linalg_matmul.default"}},
    {.name = "linear",
     .summary = "The product with the rows of a weight, plus a bias.",
     .tier = Tier::Formula,
     .formula = "y[B.., n] = like(sum[k](x[B.., k]*weight[n, k]), x) + bias[n]",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "weight", .elements = ElementClass::Number},
                  {.name = "bias", .elements = ElementClass::Number, .optional = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "linear([1, 2], [[3, 4], [5, 6]], [10, 20]) == [21, 37]",
     .aten = {"aten.linear.default"}},
    {.name = "addmm",
     .summary =
         "beta*x plus alpha times the matrix product; with beta 0 the first operand is not read. Of integers, both "
         "factors are cut off to such.",
     .tier = Tier::Composite,
     .formula = "p[m, n] = like(sum[k](a[m, k]*b[k, n]), a); "
                "y[B..] = when(isfloat(a), when(beta == 0, alpha*p[B..], beta*x[B..] + alpha*p[B..]), "
                "like(beta, a)*x[B..] + like(alpha, a)*p[B..])",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "a", .elements = ElementClass::Number},
                  {.name = "b", .elements = ElementClass::Number}},
     .attrs = {{.name = "beta", .fallback = "1"}, {.name = "alpha", .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "addmm([10, 20], [[1, 2]], [[1, 0], [0, 1]]) {alpha = 2} == [[12, 24]]",
     .aten = {"aten.addmm.default"}},
    {.name = "baddbmm",
     .summary = "addmm over a batch.",
     .tier = Tier::Composite,
     .formula = "p[b, m, n] = like(sum[k](a[b, m, k]*c[b, k, n]), a); "
                "y[B..] = when(isfloat(a), when(beta == 0, alpha*p[B..], beta*x[B..] + alpha*p[B..]), "
                "like(beta, a)*x[B..] + like(alpha, a)*p[B..])",
     .operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "a", .elements = ElementClass::Number},
                  {.name = "c", .elements = ElementClass::Number}},
     .attrs = {{.name = "beta", .fallback = "1"}, {.name = "alpha", .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "baddbmm([[[1]]], [[[2]]], [[[3]]]) == [[[7]]]",
     .aten = {"aten.baddbmm.default"}},
    {.name = "einsum",
     .summary = "A contraction, given by index labels.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Number, .variadic = true}},
     .attrs = {{.name = "equation", .kind = AttributeKind::String, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = einsum_text},
     .example = "einsum([[1, 2], [3, 4]], [1, 10]) {equation = \"ij,j->i\"} == [21, 43]",
     .aten = {"aten.einsum.default"}},
    {.name = "outer",
     .summary = "All products of the elements of two vectors.",
     .tier = Tier::Formula,
     .formula = "y[i, j] = a[i]*b[j]",
     .operands = {{.name = "a", .elements = ElementClass::Number}, {.name = "b", .elements = ElementClass::Number}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "outer([1, 2], [3]) == [[3], [6]]",
     .aten = {"aten.outer.default"}},
};

constexpr auto kContractionFamily = family<kContractionRows>();

}  // namespace

std::span<const OpDef* const> contraction_rows() { return kContractionFamily; }

}  // namespace mlgc
