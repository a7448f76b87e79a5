// What a derived formula must be, whatever it is derived from: a text that reads back, a tangent that agrees with
// central differences, and a gradient that is its transpose.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "formula/differentiate.h"
#include "formula/instantiate.h"
#include "formula/tangent.h"
#include "interp/evaluate_formula.h"
#include "support_catch.h"

namespace mlgc::test {

inline std::vector<Tensor> evaluate_in_f64(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in) {
  auto results = evaluate(pool, f, in, {Precision::F64});
  if (!results) FAIL(results.error().message() << "\n" << print_formula(pool, f));
  return *results;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// Numbers from -1 to 1 that no symmetry of a formula meets.
inline Tensor weights_like(const Tensor& like, std::size_t turn) {
  Tensor out = Tensor::zeros(Dtype::F64, like.shape());
  for (std::int64_t i = 0; i < out.size(); ++i)
    out.set_double(i, std::cos(1.0 + 2.0 * static_cast<double>(i) + 5.0 * static_cast<double>(turn)));
  return out;
}

// The text, if there is one, gives the same bits and the same text. `results` are those of the formula for `in`. With
// `settles` the text may change once: a condition that solves for a label reads back as a comparison of scalars.
inline void check_reads_back(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in,
                             const std::vector<Tensor>& results, bool settles = false) {
  if (f.statements.empty()) return;
  std::vector<FormulaOperand> operands;
  for (const FormulaTensor& t : f.tensors)
    if (t.role == TensorRole::Operand) operands.push_back({t.name, true, t.dtype, t.shape});
  std::vector<std::string> names;
  for (TensorId r : f.results()) names.push_back(f.tensor(r).name);
  std::string printed = print_formula(pool, f);
  auto again = instantiate_text(pool, printed, operands, {}, names);
  if (!again) FAIL(again.error().message() << "\n" << printed);
  if (settles) {
    printed = print_formula(pool, *again);
    again = instantiate_text(pool, printed, operands, {}, names);
    if (!again) FAIL(again.error().message() << "\n" << printed);
  }
  CHECK(print_formula(pool, *again) == printed);
  const std::vector<Tensor> reread = evaluate_in_f64(pool, *again, in);
  REQUIRE(reread.size() == results.size());
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(same_bits(reread[i], results[i]));
}

// (f(in + h*v) - f(in - h*v)) / 2h of the float results; `along` names the operands that v moves.
inline std::vector<Tensor> central_differences(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in,
                                               const std::vector<TensorId>& along, const std::vector<Tensor>& v) {
  constexpr double kStep = 1e-6;
  const auto at = [&](double by) {
    std::vector<Tensor> moved = in;
    for (std::size_t w = 0; w < along.size(); ++w)
      for (std::int64_t i = 0; i < v[w].size(); ++i)
        moved[along[w].index()].set_double(i, in[along[w].index()].get_double(i) + by * v[w].get_double(i));
    return evaluate_in_f64(pool, f, moved);
  };
  const std::vector<Tensor> above = at(kStep), below = at(-kStep);
  std::vector<Tensor> out;
  for (std::size_t k = 0; k < above.size(); ++k) {
    if (!is_float(above[k].dtype())) continue;
    Tensor t = Tensor::zeros(Dtype::F64, above[k].shape());
    for (std::int64_t i = 0; i < t.size(); ++i)
      t.set_double(i, (above[k].get_double(i) - below[k].get_double(i)) / (2 * kStep));
    out.push_back(std::move(t));
  }
  return out;
}

// Differences in f64 with a step of 1e-6 are this good. Results that are not finite (a fill of -inf) have none.
inline bool is_close_to_difference(const Tensor& got, const Tensor& difference) {
  REQUIRE(got.shape() == difference.shape());
  bool close = true;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double expected = difference.get_double(i);
    if (!std::isfinite(expected) || got.get_double(i) == Approx(expected).epsilon(2e-6).margin(2e-7)) continue;
    UNSCOPED_INFO("element " << i << ": " << got.get_double(i) << ", by differences " << expected);
    close = false;
  }
  return close;
}

// A sum of products, and the sum of their magnitudes, which is what rounding is relative to; what cancels inside the
// factors is of order 1.
struct Inner {
  double value = 0, magnitude = 0;
  void add(const Tensor& a, const Tensor& b) {
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (b.get_double(i) == 0) continue;
      value += a.get_double(i) * b.get_double(i);
      magnitude += std::fabs(a.get_double(i) * b.get_double(i));
    }
  }
};
inline constexpr double kTransposeTolerance = 1e-12;

struct Direction {
  std::vector<TensorId> wanted;
  std::vector<Tensor> v;  // for each of wanted
};

inline Direction direction_of(const std::vector<Tensor>& in, const std::vector<TensorId>& wanted, std::size_t turn) {
  Direction out{wanted, {}};
  for (TensorId w : wanted) out.v.push_back(weights_like(in[w.index()], turn + w.index()));
  return out;
}

inline std::vector<Tensor> joined(std::vector<Tensor> a, const std::vector<Tensor>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// What a formula's tangent says along a direction, by the result of the formula; nothing for a tangent that is zero.
inline std::vector<std::optional<Tensor>> tangents_by_result(FormulaPool& pool, const Formula& f,
                                                             const std::vector<Tensor>& in, const Direction& along,
                                                             bool settles = false) {
  const Formula t = tangent(pool, f, along.wanted);
  INFO("tangent:\n" << print_formula(pool, t));
  if (const auto problem = check_formula(pool, t)) FAIL(*problem);
  const std::vector<Tensor> operands = joined(in, along.v);
  REQUIRE(t.operand_count() == operands.size());
  const std::vector<Tensor> found = evaluate_in_f64(pool, t, operands);
  check_reads_back(pool, t, operands, found, settles);

  // The results at hand make no difference, and are not computed.
  const Formula reading = tangent(pool, f, along.wanted, {.results_at_hand = true});
  if (const auto problem = check_formula(pool, reading)) FAIL(*problem);
  const std::vector<Tensor> given = joined(joined(in, evaluate_in_f64(pool, f, in)), along.v);
  REQUIRE(reading.operand_count() == given.size());
  const std::vector<Tensor> again = evaluate_in_f64(pool, reading, given);

  const std::vector<TensorId> results = f.results(), dependent = dependent_results(pool, f, along.wanted);
  REQUIRE(found.size() == dependent.size());
  REQUIRE(again.size() == dependent.size());
  std::vector<std::optional<Tensor>> out(results.size());
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    CHECK(same_bits(found[k], again[k]));
    CHECK(t.tensor(t.results()[k]).name.starts_with("t_" + f.tensor(dependent[k]).name));
    const auto at = std::find(results.begin(), results.end(), dependent[k]);
    out[static_cast<std::size_t>(at - results.begin())] = found[k];
  }
  return out;
}

// The tangent along one direction agrees with central differences, and <w, J v> is <J^T w, v>. Returns the number of
// elements of tangents.
inline std::size_t check_tangent(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in,
                                 const std::vector<TensorId>& wanted, bool settles = false) {
  INFO("formula:\n" << print_formula(pool, f));
  const Direction along = direction_of(in, wanted, 1);
  const std::vector<std::optional<Tensor>> tangents = tangents_by_result(pool, f, in, along, settles);
  const std::vector<Tensor> base = evaluate_in_f64(pool, f, in);
  const std::vector<Tensor> differences = central_differences(pool, f, in, wanted, along.v);
  std::vector<Tensor> cotangents;
  Inner forward, backward;
  std::size_t elements = 0;
  for (std::size_t r = 0; r < base.size(); ++r) {
    if (!is_float(base[r].dtype())) continue;
    const std::size_t k = cotangents.size();
    INFO("result " << r);
    const Tensor found = tangents[r] ? *tangents[r] : Tensor::zeros(Dtype::F64, base[r].shape());
    elements += static_cast<std::size_t>(found.size());
    CHECK(is_close_to_difference(found, differences[k]));
    Tensor c = weights_like(base[r], 7 + k);
    for (std::int64_t i = 0; i < c.size(); ++i)
      if (!std::isfinite(base[r].get_double(i))) c.set_double(i, 0);
    cotangents.push_back(c);
    forward.add(found, c);
  }
  const Formula g = gradient(pool, f, wanted);
  const std::vector<Tensor> gradients = evaluate_in_f64(pool, g, joined(in, cotangents));
  check_reads_back(pool, g, joined(in, cotangents), gradients, true);
  for (std::size_t w = 0; w < wanted.size(); ++w) backward.add(gradients[w], along.v[w]);
  INFO("gradient:\n" << print_formula(pool, g));
  CHECK(std::fabs(forward.value - backward.value) <=
        kTransposeTolerance * std::max({1.0, forward.magnitude, backward.magnitude}));
  return elements;
}

struct SecondOrder {
  std::size_t elements = 0;
  bool right = true;      // the tangent of the gradient agrees with central differences of the gradient
  bool symmetric = true;  // and with the gradient of the gradient
};

// The Hessian of <w, f> times a direction, in both ways.
inline SecondOrder second_order(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in,
                                const std::vector<TensorId>& wanted) {
  const Formula g = gradient(pool, f, wanted);
  INFO("formula:\n" << print_formula(pool, f) << "\ngradient:\n" << print_formula(pool, g));
  std::vector<Tensor> at = in;
  for (const Tensor& result : evaluate_in_f64(pool, f, in))
    if (is_float(result.dtype())) at.push_back(weights_like(result, at.size()));
  const Direction along = direction_of(in, wanted, 3);
  const auto forward = tangents_by_result(pool, g, at, along, true);
  const std::vector<Tensor> differences = central_differences(pool, g, at, wanted, along.v);

  const Formula twice = gradient(pool, g, wanted);
  INFO("gradient of the gradient:\n" << print_formula(pool, twice));
  if (const auto problem = check_formula(pool, twice)) FAIL(*problem);
  const std::vector<Tensor> operands = joined(at, along.v);
  const std::vector<Tensor> backward = evaluate_in_f64(pool, twice, operands);
  check_reads_back(pool, twice, operands, backward, true);
  REQUIRE(backward.size() == wanted.size());
  double magnitude = 1;
  for (const Tensor& t : backward)
    for (std::int64_t i = 0; i < t.size(); ++i) magnitude = std::max(magnitude, std::fabs(t.get_double(i)));
  SecondOrder out;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const Tensor found = forward[w] ? *forward[w] : Tensor::zeros(Dtype::F64, backward[w].shape());
    out.right = is_close_to_difference(found, differences[w]) && out.right;
    REQUIRE(found.shape() == backward[w].shape());
    for (std::int64_t i = 0; i < found.size(); ++i, ++out.elements)
      if (!(std::fabs(found.get_double(i) - backward[w].get_double(i)) <= kTransposeTolerance * magnitude))
        out.symmetric = false;
  }
  return out;
}

}  // namespace mlgc::test
