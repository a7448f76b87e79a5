// See compare_runs.h.
#include "check/compare_runs.h"

#include <algorithm>
#include <cmath>

#include "tensor/neighbour.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

std::string place_text(const Difference& difference) {
  if (difference.worst_position.empty()) return "";
  std::string text;
  for (const std::int64_t i : difference.worst_position) text += (text.empty() ? " [" : ", ") + std::to_string(i);
  return text + "]";
}

// Both without the elements where the run before is not finite.
void drop_non_finite(Tensor& before, Tensor& after) {
  if (before.shape() != after.shape() || before.dtype() != after.dtype() || !is_float(before.dtype())) return;
  for (std::int64_t i = 0; i < before.size(); ++i) {
    if (std::isfinite(before.get_double(i))) continue;
    before.set_double(i, 0);
    after.set_double(i, 0);
  }
}

// The reference's integers, except where `after` has those of `before`: positions of values that are equal after
// rounding may differ in f64.
Tensor reference_of_integers(const Tensor& before, const Tensor& reference, const Tensor& after) {
  Tensor out = reference;
  if (reference.shape() != after.shape() || before.shape() != after.shape() || reference.dtype() != after.dtype())
    return out;
  for (std::int64_t i = 0; i < before.size(); ++i)
    if (before.get_int(i) == after.get_int(i)) out.set_int(i, before.get_int(i));
  return out;
}

Difference difference_of(const Tensor& before, const Tensor* reference, const Tensor& after, NumericsClass widest,
                         double nearby_error) {
  if (needs_reference(widest) && reference != nullptr && !is_inexact(before.dtype()))
    return agrees(after, reference_of_integers(before, *reference, after), nullptr, {.subject = ""});
  if (needs_reference(widest) && reference != nullptr)
    return agrees(after, *reference, &before,
                  {.nearby_error = nearby_error, .subject = before.dtype() == Dtype::F64 ? "rewrites in f64" : ""});
  const CompareOptions bits{.zero_signs = widest == NumericsClass::Exact, .subject = "exact rewrites"};
  Tensor wanted = before, given = after;
  if (widest == NumericsClass::NanOrInf) drop_non_finite(wanted, given);
  return agrees(given, wanted.to_reference(), nullptr, bits);
}

}  // namespace

Result<Outputs, Diagnostic> run_draw(Module& module, std::string_view function, const Draw& draw,
                                     const InterpretOptions& options) {
  return interpret(module, function, draw.inputs, draw.data, options);
}

std::vector<double> nearby_errors(Module& module, std::string_view function, const Draw& draw,
                                  const InterpretOptions& options) {
  std::vector<double> errors;
  InterpretOptions in_f64 = options;
  in_f64.precision = Precision::F64;
  for (std::uint64_t number = 1; number <= kNeighbours; ++number) {
    Draw near = draw;
    for (Tensor& tensor : near.inputs) tensor = neighbour(tensor, number);
    for (auto& [name, tensor] : near.data) tensor = neighbour(tensor, number);
    const auto native = run_draw(module, function, near, options), reference = run_draw(module, function, near, in_f64);
    if (!native || !reference) break;
    const std::size_t results = native->results.size();
    errors.resize(results + native->updates.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const Tensor& computed = i < results ? native->results[i] : native->updates[i - results].second;
      const Tensor& exact = i < results ? reference->results[i] : reference->updates[i - results].second;
      if (computed.shape() == exact.shape()) errors[i] = std::max(errors[i], agrees(computed, exact).absolute.max);
    }
  }
  return errors;
}

std::optional<Misfit> compare_tensors(const Tensor& before, const Tensor* reference, const Tensor& after,
                                      NumericsClass widest, double nearby_error) {
  const Difference difference = difference_of(before, reference, after, widest, nearby_error);
  if (difference.agrees) return std::nullopt;
  Misfit misfit;
  misfit.elements = difference.elements;
  misfit.differing = difference.exceeding + difference.nan_mismatches + difference.inf_mismatches;
  if (widest == NumericsClass::Exact) misfit.differing += difference.zero_sign_mismatches;
  if (difference.worst < 0) {
    misfit.before = before.type_string();
    misfit.after = after.type_string();
    return misfit;
  }
  misfit.value = place_text(difference);
  misfit.before = print_element(before, difference.worst);
  misfit.after = print_element(after, difference.worst);
  return misfit;
}

std::optional<Misfit> compare_runs(const ReferenceRun& before, const Outputs& after, NumericsClass widest,
                                   std::span<const double> nearby) {
  const auto error = [&](std::size_t output) { return output < nearby.size() ? nearby[output] : 0; };
  const auto count = [](std::size_t n) { return std::to_string(n) + " results"; };
  if (before.native.results.size() != after.results.size())
    return Misfit{"their number", count(before.native.results.size()), count(after.results.size()), 0, 0};
  if (before.native.updates.size() != after.updates.size())
    return Misfit{"the number of new states", std::to_string(before.native.updates.size()),
                  std::to_string(after.updates.size()), 0, 0};
  for (std::size_t i = 0; i < after.results.size(); ++i) {
    const Tensor* reference = before.reference ? &before.reference->results[i] : nullptr;
    if (auto misfit = compare_tensors(before.native.results[i], reference, after.results[i], widest, error(i))) {
      misfit->value = "result " + std::to_string(i) + misfit->value;
      return misfit;
    }
  }
  for (std::size_t i = 0; i < after.updates.size(); ++i) {
    const auto& [target, tensor] = before.native.updates[i];
    if (target != after.updates[i].first)
      return Misfit{"what new state " + std::to_string(i) + " replaces", target, after.updates[i].first, 0, 0};
    const Tensor* reference = before.reference ? &before.reference->updates[i].second : nullptr;
    if (auto misfit =
            compare_tensors(tensor, reference, after.updates[i].second, widest, error(after.results.size() + i))) {
      misfit->value = "the new " + target + misfit->value;
      return misfit;
    }
  }
  return std::nullopt;
}

}  // namespace mlgc
