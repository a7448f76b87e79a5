// The derived gradient of every formula row, over f64 and bf16, at the operands of its example, against central
// differences in f64.
//
// Rows come from op_table(), so a new row is checked, or must be listed in row_samples.h with the reason why it is
// constant. Only rows that take no floats at all (integers, truth values, positions, no operands) are passed by.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "row_samples.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// The gradient that reads the forward results has them as operands, computes none of them, and gives the same bits.
void check_results_at_hand(FormulaPool& pool, const Sample& sample, const std::vector<TensorId>& wanted,
                           const std::vector<Tensor>& cotangents, const std::vector<Tensor>& gradients) {
  const Formula& f = sample.formula;
  const Formula g = gradient(pool, f, wanted, {.results_at_hand = true});
  INFO("with results at hand:\n" << print_formula(pool, g));
  if (const auto problem = check_formula(pool, g)) FAIL(*problem);
  std::vector<Tensor> inputs = sample.inputs;
  REQUIRE(g.operand_count() == f.operand_count() + f.results().size() + cotangents.size());
  const std::vector<Tensor> results = evaluate_all(pool, f, sample.inputs);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const FormulaTensor& result = f.tensor(f.results()[k]);
    CHECK(g.tensors[f.operand_count() + k].name == result.name);
    CHECK(g.tensors[f.operand_count() + k].dtype == result.dtype);
    inputs.push_back(results[k]);
  }
  inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
  const std::vector<Tensor> again = evaluate_all(pool, g, inputs);
  REQUIRE(again.size() == gradients.size());
  for (std::size_t i = 0; i < again.size(); ++i)
    CHECK(std::equal(again[i].bytes().begin(), again[i].bytes().end(), gradients[i].bytes().begin(),
                     gradients[i].bytes().end()));
}

// Checks every element of every gradient; returns how many there are.
std::size_t check_gradients(FormulaPool& pool, const Sample& sample, const std::vector<TensorId>& wanted, bool pulls) {
  const Formula g = gradient(pool, sample.formula, wanted, {pulls});
  INFO("formula:\n" << print_formula(pool, sample.formula) << "\ngradient:\n" << print_formula(pool, g));
  if (const auto problem = check_formula(pool, g)) FAIL(*problem);

  std::vector<Tensor> with_cotangents = sample.inputs;
  std::vector<Tensor> cotangents;
  for (const Tensor& result : evaluate_all(pool, sample.formula, sample.inputs)) {
    if (!is_float(result.dtype())) continue;
    Tensor c = Tensor::zeros(Dtype::F64, result.shape());
    // Results that are not finite (a fill of -inf) have no difference to compare with.
    for (std::int64_t i = 0; i < c.size(); ++i)
      if (std::isfinite(result.get_double(i)))
        c.mutable_data<double>()[static_cast<std::size_t>(i)] =
            std::cos(1.0 + 2.0 * static_cast<double>(i) + static_cast<double>(cotangents.size()));
    cotangents.push_back(c);
    with_cotangents.push_back(c);
  }
  const std::vector<Tensor> gradients = evaluate_all(pool, g, with_cotangents);
  REQUIRE(gradients.size() == wanted.size());
  if (pulls) check_results_at_hand(pool, sample, wanted, cotangents, gradients);

  std::size_t elements = 0;
  const double step = 1e-6;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const std::size_t operand = wanted[w].index();
    REQUIRE(gradients[w].shape() == sample.inputs[operand].shape());
    for (std::int64_t e = 0; e < gradients[w].size(); ++e, ++elements) {
      const auto weighted = [&](double by) {
        std::vector<Tensor> shifted = sample.inputs;
        shifted[operand].mutable_data<double>()[static_cast<std::size_t>(e)] += by;
        double total = 0;
        std::size_t k = 0;
        for (const Tensor& result : evaluate_all(pool, sample.formula, shifted)) {
          if (!is_float(result.dtype())) continue;
          for (std::int64_t i = 0; i < result.size(); ++i)
            if (cotangents[k].get_double(i) != 0) total += result.get_double(i) * cotangents[k].get_double(i);
          ++k;
        }
        return total;
      };
      const double expected = (weighted(step) - weighted(-step)) / (2 * step);
      INFO("operand " << operand << ", element " << e << (pulls ? ", pulled" : ", pushed"));
      CHECK(gradients[w].get_double(e) == Approx(expected).epsilon(2e-6).margin(2e-7));
    }
  }
  return elements;
}

}  // namespace

TEST_CASE("the derived gradient of every formula row agrees with central differences") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  std::size_t rows = 0, elements = 0, constant = 0;
  const Rows all = rows_with_floats(*context);
  for (const auto& [def, text, example, direction] : all.rows) {
    INFO(def->name << ": " << text);
    const Sample sample = sample_of(*context, *def, example, Dtype::F64, direction);
    const auto wanted = differentiable_operands(pool, sample.formula);
    CHECK(wanted.empty() == (find(kConstantRows, def->name) != nullptr));
    if (wanted.empty()) {
      ++constant;
      continue;
    }
    ++rows;
    for (bool pulls : {true, false}) elements += check_gradients(pool, sample, wanted, pulls);
    // The reference interpreter computes this in f64 as well: what may differ are the conversions that the row makes
    // for 16 bits.
    const Sample narrow = sample_of(*context, *def, example, Dtype::BF16, direction);
    CHECK(differentiable_operands(pool, narrow.formula) == wanted);
    elements += check_gradients(pool, narrow, wanted, true);
  }
  CHECK(constant == std::size(kConstantRows));
  // What there was when this was written; each element counts as pulled, as pushed and of bf16.
  CHECK(rows >= 142);
  CHECK(elements >= 1344);
  CHECK(all.without_floats <= rows / 8);
}
