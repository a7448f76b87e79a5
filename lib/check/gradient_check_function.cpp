// The derived function as a whole. See gradient_check.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "check/gradient_check.h"
#include "check/held_runs.h"
#include "diag/kinds_check.h"

namespace mlgc {
namespace {

constexpr std::int64_t kUsualRuns = 8;  // of a function, to check one value

bool all_finite(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    if (!std::isfinite(tensor.get_double(i))) return false;
  return true;
}

class FunctionChecker {
 public:
  FunctionChecker(const Module& module, std::string_view function, const DerivedFunction& derived,
                  const GradientQuestion& question, const GradientCheckOptions& options, DiagnosticEngine& diagnostics)
      : module_(module),
        function_(find_function(module_, function)),
        derived_(derived),
        question_(question),
        options_(options),
        diagnostics_(diagnostics),
        runs_(module, function, options.max_trips) {}

  std::optional<std::vector<ValueCheck>> run(const OpGradients& ops) {
    surrogates_ = ops.surrogates;
    has_corners_ =
        std::any_of(ops.rows.begin(), ops.rows.end(), [](const RowCheck& row) { return row.not_differentiable > 0; });
    auto outputs = runs_.first(question_.inputs, question_.data);
    if (!outputs) {
      diagnostics_.emit(std::move(outputs).error());
      return std::nullopt;
    }
    for (const std::size_t i : question_.of) {
      const Tensor& result = outputs->results[i];
      weights_.push_back(derived_.seed ? draw_cotangent(result, options_.seed * 1'000'003 + i)
                                       : Tensor::splat(Dtype::F64, result.shape(), 1));
      if (!derived_.seed && !all_finite(result)) infinite_ = result_name(function_, i);
    }
    if (!run_derived()) return std::nullopt;
    std::vector<ValueCheck> checks;
    std::vector<std::size_t> values;
    for (std::size_t k = 0; k < question_.wrt.size(); ++k)
      if (const std::string reason = why_left_out(question_.wrt[k]); !reason.empty())
        checks.push_back({question_.wrt[k], reason, {}});
      else
        values.push_back(k);
    const auto count = static_cast<std::int64_t>(values.size());
    if (count > 1 && ops.work > options_.max_work / (kUsualRuns * count)) {
      checks.push_back(check("", values));
    } else {
      for (const std::size_t k : values) checks.push_back(check(question_.wrt[k], std::span(&k, 1)));
    }
    return checks;
  }

 private:
  bool run_derived() {
    std::vector<Tensor> inputs = question_.inputs;
    if (derived_.seed) inputs.insert(inputs.end(), weights_.begin(), weights_.end());
    auto outputs = interpret(*derived_.module, derived_.function, inputs, question_.data,
                             {.precision = Precision::F64, .max_trips = options_.max_trips});
    if (!outputs) {
      diagnostics_.emit(diagnose<kGradientFails>(function_.op().location(), "@" + std::string(function_.name()),
                                                 outputs.error().message()));
      return false;
    }
    const auto first = static_cast<std::ptrdiff_t>(function_.result_count());
    gradients_.assign(outputs->results.begin() + first, outputs->results.end());
    MLGC_ASSERT(gradients_.size() == question_.wrt.size(), "a derived function has a gradient for each value");
    return true;
  }

  // Empty: the value can be moved.
  [[nodiscard]] std::string why_left_out(const std::string& name) const {
    if (!infinite_.empty()) return "the result `" + infinite_ + "` is not finite there";
    if (const auto surrogate = surrogates_.find(name); surrogate != surrogates_.end())
      return "it goes through `@" + surrogate->second + "`, which states a surrogate gradient";
    if (!runs_.colliding().empty())
      return "of colliding writes of `" + runs_.colliding() + "` one wins, and which one is not specified";
    if (!name.starts_with('@')) return "";
    const OpRef op = module_.lookup(name.substr(1));
    if (op.valid() && op.region_count() != 0 && !op.region(0).empty()) return "it is computed from other weights";
    return question_.data.contains(name.substr(1)) ? "" : "the function does not read it";
  }

  // Where the value stands among inputs or data.
  Tensor& place_of(const std::string& name, std::vector<Tensor>& inputs, ModuleData& data) const {
    if (name.starts_with('@')) return data[name.substr(1)];
    std::size_t i = 0;
    while (argument_name(function_, i) != name) ++i;
    return inputs[i];
  }

  ValueCheck check(const std::string& name, std::span<const std::size_t> values) {
    std::vector<Tensor> gradients, inputs = question_.inputs;
    ModuleData data = question_.data;
    DifferencePoint point{{}, {}, weights_};
    for (const std::size_t k : values) {
      point.at.push_back(place_of(question_.wrt[k], inputs, data).to_f64());
      gradients.push_back(gradients_[k].to_f64());
    }
    point.f = [&](std::span<const Tensor> moved) -> std::optional<std::vector<Tensor>> {
      for (std::size_t i = 0; i < values.size(); ++i) place_of(question_.wrt[values[i]], inputs, data) = moved[i];
      auto outputs = runs_.again(inputs, data);
      if (!outputs) return std::nullopt;
      std::vector<Tensor> results;
      for (const std::size_t i : question_.of) results.push_back(outputs->results[i].to_f64());
      return results;
    };
    ValueCheck found{name, "", check_slope(point, gradients, options_.seed * 1'000'003 + 7919 * values[0])};
    if (has_corners_ && !std::isfinite(found.slope.computed)) found.slope.verdict = SlopeVerdict::NotDifferentiable;
    if (found.slope.verdict == SlopeVerdict::Wrong)
      diagnostics_.emit(diagnose<kWrongGradient>(
          function_.op().location(), std::string(function_.name()), name.empty() ? "all values together" : name,
          slope_text(found.slope.computed), slope_text(found.slope.difference), slope_text(found.slope.error)));
    return found;
  }

  Module module_;
  FuncRef function_;
  const DerivedFunction& derived_;
  const GradientQuestion& question_;
  const GradientCheckOptions& options_;
  DiagnosticEngine& diagnostics_;
  HeldRuns runs_;
  bool has_corners_ = false;
  std::string infinite_;  // a result that is to be differentiated as it is
  std::map<std::string, std::string> surrogates_;
  std::vector<Tensor> weights_, gradients_;
};

}  // namespace

std::optional<std::vector<ValueCheck>> check_function_gradient(const Module& module, std::string_view function,
                                                               const DerivedFunction& derived,
                                                               const GradientQuestion& question, const OpGradients& ops,
                                                               const GradientCheckOptions& options,
                                                               DiagnosticEngine& diagnostics) {
  return FunctionChecker(module, function, derived, question, options, diagnostics).run(ops);
}

}  // namespace mlgc
