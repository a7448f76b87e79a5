// See check_gradients.h.
#include "execution/check_gradients.h"

#include <algorithm>
#include <utility>

#include "autodiff/request.h"
#include "check/compare_runs.h"
#include "check/draw_inputs.h"
#include "diag/kinds_check.h"
#include "interp/function_results.h"
#include "support/activity.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

class GradientCheck {
 public:
  GradientCheck(Module module, NamedTensors weights, const GradientCheckRequest& request, DiagnosticEngine& diagnostics)
      : module_(std::move(module)), weights_(std::move(weights)), request_(request), diagnostics_(diagnostics) {}

  std::optional<CheckedGradients> run() {
    const FuncRef function = choose_function(module_, request_.function, diagnostics_);
    if (!function.valid()) return std::nullopt;
    checked_.function = function.name();
    Module straight = module_, derived = module_;
    if (!run_pipeline(straight, request_.straighten, diagnostics_) ||
        !run_pipeline(derived, request_.pipeline(function), diagnostics_))
      return std::nullopt;
    GradientQuestion question;
    const auto targets =
        resolve_request(find_function(straight, function.name()), {request_.of, request_.wrt, request_.seed, ""},
                        ResultDefault::OnlyFloat, diagnostics_);
    if (!targets) return std::nullopt;
    question.of = targets->of;
    question.wrt = names_of(*targets);
    if (!find_inputs(function, question)) return std::nullopt;
    const Activity checking("checking the gradients of", "@" + checked_.function);
    const GradientCheckOptions options{.seed = request_.arguments.random_seed.value_or(0)};
    auto ops = check_op_gradients(straight, function.name(), question, options, diagnostics_);
    if (!ops) return std::nullopt;
    checked_.ops = *std::move(ops);
    const DerivedFunction made{&derived, made_function(straight, derived), request_.seed};
    auto values =
        check_function_gradient(module_, function.name(), made, question, checked_.ops, options, diagnostics_);
    if (values) checked_.values = *std::move(values);
    return std::move(checked_);
  }

 private:
  // The function that the pass has added.
  static std::string made_function(const Module& straight, const Module& derived) {
    for (const FuncRef& function : functions(derived))
      if (!find_function(straight, function.name()).valid()) return std::string(function.name());
    throw InternalError("`grad` has made no function");
  }

  bool find_inputs(const FuncRef& function, GradientQuestion& question) {
    const ArgumentOptions& given = request_.arguments;
    const bool bound = given.given() || !given.dims.empty();
    const DataOptions& from = request_.data;
    const bool has_data =
        bound || request_.has_data || !from.weights.empty() || from.random_seed || !from.states.empty();
    std::optional<SymbolValues> sizes;
    if (bound) {
      auto values = bind_arguments(function, given, diagnostics_);
      if (!values) return false;
      question.inputs = std::move(values->tensors);
      sizes = std::move(values->sizes);
      checked_.inputs = "the inputs that were given";
    }
    std::optional<ModuleData> data;
    if (has_data) {
      const FunctionRanges ranges = sizes && from.random_seed ? value_ranges(function, *sizes) : FunctionRanges();
      data = load_data(module_, from, weights_, ranges, diagnostics_);
      if (!data) return false;
    }
    if (bound) {
      question.data = *std::move(data);
      return true;
    }
    return draw(function, data, question);
  }

  // The largest sizes that are generated, with plain values. Integers that nothing is asked of may be positions all the
  // same, so smaller ones are tried where the run fails.
  bool draw(const FuncRef& function, const std::optional<ModuleData>& data, GradientQuestion& question) {
    std::string refused;
    for (const std::int64_t largest : {9, 1, 0}) {
      auto draws = draw_inputs(function, {.non_finite = false, .largest_integer = largest});
      if (!draws) {
        refused = draws.error();
        break;
      }
      std::reverse(draws->begin(), draws->end());
      for (Draw& draw : *draws) {
        if (draw.kind != DrawKind::Plain) continue;
        if (data) draw.data = *data;
        auto outputs = run_draw(module_, function.name(), draw, {.precision = Precision::F64});
        if (!outputs && outputs.error().kind->exit == ExitCode::Limit) {  // other inputs would meet it too
          diagnostics_.emit(std::move(outputs).error());
          return false;
        }
        if (!outputs) {
          refused = outputs.error().message();
          continue;
        }
        checked_.inputs = draw.text();
        question.inputs = std::move(draw.inputs);
        question.data = std::move(draw.data);
        return true;
      }
    }
    diagnostics_.emit(diagnose<kNoInputsToCheck>(function.op().location(), std::string(function.name()), refused));
    return false;
  }

  Module module_;
  NamedTensors weights_;
  const GradientCheckRequest& request_;
  DiagnosticEngine& diagnostics_;
  CheckedGradients checked_;
};

}  // namespace

std::optional<CheckedGradients> check_gradients(Module module, NamedTensors weights,
                                                const GradientCheckRequest& request, DiagnosticEngine& diagnostics) {
  return GradientCheck(std::move(module), std::move(weights), request, diagnostics).run();
}

}  // namespace mlgc
