// Derivatives where a formula branches: at 0, at 1 and -1, and at the numbers of the row's example.
//
// A row may be continuous there with all its derivatives and still be written with a function that has a kink
// (`log(cosh(x))` by `abs`). Rules of derivatives are then applied at the kink itself, and the row and a reference that
// is written in the same way agree on what is wrong. So the first and the second derivative are compared with one-sided
// differences, which need no reference: where those of both sides agree, the function has that derivative.
#include <cmath>
#include <string>
#include <vector>

#include "derivative_checks.h"
#include "row_samples.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

constexpr double kStep = 1e-5;
constexpr double kPoints[] = {0.0, 1.0, -1.0, 0.5, -0.5, 2.0};

Tensor ones_like(const Tensor& like) {
  Tensor out = Tensor::zeros(Dtype::F64, like.shape());
  for (std::int64_t i = 0; i < out.size(); ++i) out.set_double(i, 1.0);
  return out;
}

std::vector<Tensor> moved(std::vector<Tensor> in, std::size_t operand, double by) {
  for (std::int64_t i = 0; i < in[operand].size(); ++i) in[operand].set_double(i, in[operand].get_double(i) + by);
  return in;
}

double total(const std::vector<Tensor>& results) {
  double sum = 0;
  for (const Tensor& t : results)
    for (std::int64_t i = 0; is_float(t.dtype()) && i < t.size(); ++i) sum += t.get_double(i);
  return sum;
}

// The derivative of the sum of f's results by all elements of one operand together, against differences; empty when
// they agree, or when there is no derivative.
std::string fault(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in, std::size_t operand) {
  std::vector<TensorId> wanted;
  for (const TensorId id : differentiable_operands(pool, f))
    if (id.index() == operand) wanted.push_back(id);
  const std::vector<Tensor> here = evaluate_in_f64(pool, f, in);
  double computed = 0;
  if (!wanted.empty()) {
    std::vector<Tensor> with_cotangents = in;
    for (const Tensor& result : here)
      if (is_float(result.dtype())) with_cotangents.push_back(ones_like(result));
    computed = total(evaluate_in_f64(pool, gradient(pool, f, wanted), with_cotangents));
  }
  const double middle = total(here);
  const auto slope = [&](double step) {
    return (total(evaluate_in_f64(pool, f, moved(in, operand, step))) - middle) / step;
  };
  // A step of the function (`sign`) has a slope that grows as the difference narrows.
  const double right = slope(kStep), left = slope(-kStep), wide = slope(2 * kStep);
  const double allowed = 1e-3 * (1 + std::fabs(right));
  const bool differentiable = std::isfinite(right) && std::isfinite(left) && std::fabs(right - left) <= allowed &&
                              std::fabs(right - wide) <= allowed;
  if (!differentiable) return "";
  if (std::fabs(computed - (right + left) / 2) <= allowed) return "";
  return std::to_string(computed) + " where differences give " + std::to_string((right + left) / 2) + " in\n" +
         print_formula(pool, f);
}

// Of the first and the second derivative, at each of the points.
std::vector<std::string> faults(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& inputs,
                                TensorId operand) {
  std::vector<std::string> found;
  for (const double point : kPoints) {
    std::vector<Tensor> in = inputs;
    for (std::int64_t i = 0; i < in[operand.index()].size(); ++i) in[operand.index()].set_double(i, point);
    const std::string at = " at " + std::to_string(point) + ": ";
    if (const std::string wrong = fault(pool, f, in, operand.index()); !wrong.empty())
      found.push_back("first derivative" + at + wrong);
    const TensorId wanted[] = {operand};
    const Formula slope = gradient(pool, f, {wanted, wanted + 1});
    for (const Tensor& result : evaluate_in_f64(pool, f, in))
      if (is_float(result.dtype())) in.push_back(ones_like(result));
    if (const std::string wrong = fault(pool, slope, in, operand.index()); !wrong.empty())
      found.push_back("second derivative" + at + wrong);
  }
  return found;
}

}  // namespace

TEST_CASE("first and second derivatives of elementwise rows agree with differences where formulas branch") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  std::size_t rows = 0;
  for (const auto& [def, text, example, direction] : rows_with_floats(*context).rows) {
    if (!has(def->traits, Traits::Elementwise)) continue;
    const Sample sample = sample_of(*context, *def, example, Dtype::F64, direction);
    ++rows;
    for (const TensorId operand : differentiable_operands(pool, sample.formula))
      for (const std::string& wrong : faults(pool, sample.formula, sample.inputs, operand)) {
        INFO(def->name << ", operand " << operand.index() << ": " << wrong);
        CHECK(wrong.empty());
      }
  }
  CHECK(rows >= 60);
}

TEST_CASE("a derivative that a kink in the formula hides is found") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  const auto of = [&](const std::string& text) {
    const IndexExpr four[] = {context->index().constant(4)};
    const std::vector<FormulaOperand> operands{{"x", true, Dtype::F64, {four, four + 1}}};
    const auto made = instantiate_text(pool, text, operands, {}, {});
    if (!made) FAIL(made.error().message());
    const std::vector<Tensor> in{Tensor::zeros(Dtype::F64, {4})};
    return faults(pool, *made, in, differentiable_operands(pool, *made).at(0));
  };
  // log(cosh(x)): smooth, and its second derivative at 0 is 1.
  const std::vector<std::string> by_abs = of("abs(x) + log1p(exp(-2*abs(x))) - 0.6931471805599453");
  REQUIRE(by_abs.size() == 1);
  CHECK(by_abs[0].starts_with("second derivative at 0.000000: "));
  CHECK(of("x + log1p(exp(-2*x)) - 0.6931471805599453").empty());
  CHECK(of("abs(x)").empty());
}
