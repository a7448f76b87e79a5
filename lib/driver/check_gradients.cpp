// See check_gradients.h.
#include "driver/check_gradients.h"

#include <algorithm>
#include <set>
#include <utility>

#include "autodiff/request.h"
#include "check/compare_runs.h"
#include "check/draw_inputs.h"
#include "check/gradient_check.h"
#include "diag/kinds_check.h"
#include "diag/kinds_driver.h"
#include "driver/pass_flags.h"
#include "import/import_model.h"
#include "interp/function_results.h"
#include "reports/gradient_report.h"
#include "support/activity.h"

namespace mlgc {
namespace {

class GradientCheck {
 public:
  GradientCheck(const Console& console, LoadedModel model, const GradientCheckRequest& request,
                const GradientCheckFlags& flags, DiagnosticEngine& diagnostics)
      : console_(console), model_(std::move(model)), request_(request), flags_(flags), diagnostics_(diagnostics) {}

  ExitCode run() {
    const FuncRef function = choose_function(model_.module, request_.function, diagnostics_);
    if (!function.valid()) return console_.report(diagnostics_);
    report_.function = function.name();
    Module straight = model_.module, derived = model_.module;
    if (!run_pipeline(straight, request_.straighten, diagnostics_) ||
        !run_pipeline(derived, request_.pipeline(function), diagnostics_))
      return console_.report(diagnostics_);
    GradientQuestion question;
    const auto targets =
        resolve_request(find_function(straight, function.name()), {request_.of, request_.wrt, request_.seed, ""},
                        ResultDefault::OnlyFloat, diagnostics_);
    if (!targets) return console_.report(diagnostics_);
    question.of = targets->of;
    question.wrt = names_of(*targets);
    if (!find_inputs(function, question)) return console_.report(diagnostics_);
    const Activity checking("checking the gradients of", "@" + report_.function);
    const GradientCheckOptions options{.seed = flags_.arguments.random_seed.value_or(0)};
    auto ops = check_op_gradients(straight, function.name(), question, options, diagnostics_);
    if (!ops) return console_.report(diagnostics_);
    report_.ops = *std::move(ops);
    const DerivedFunction made{&derived, made_function(straight, derived), request_.seed};
    auto values =
        check_function_gradient(model_.module, function.name(), made, question, report_.ops, options, diagnostics_);
    if (values) report_.values = *std::move(values);
    const LocationTable& locations = model_.module.context().locations();
    const Status<> written = write_product(
        "-", flags_.format == ReportFormat::Json ? render_json(report_, locations) : render_text(report_, locations));
    if (!written) diagnostics_.emit(diagnose<kCannotWrite>({}, written.error()));
    return console_.report(diagnostics_);
  }

 private:
  // The function that the pass has added.
  static std::string made_function(const Module& straight, const Module& derived) {
    for (const FuncRef& function : functions(derived))
      if (!find_function(straight, function.name()).valid()) return std::string(function.name());
    throw InternalError("`grad` has made no function");
  }

  bool find_inputs(const FuncRef& function, GradientQuestion& question) {
    const ArgumentFlags& given = flags_.arguments;
    const bool bound = !given.inputs.empty() || !given.dims.empty() || given.random_seed;
    const bool has_data = bound || !flags_.data.weights.empty() || flags_.data.random_seed ||
                          !flags_.data.states.empty() || is_model_file(request_.input);
    std::optional<SymbolValues> sizes;
    if (bound) {
      auto values = bind_arguments(function, given, diagnostics_);
      if (!values) return false;
      question.inputs = std::move(values->tensors);
      sizes = std::move(values->sizes);
      report_.inputs = "the inputs that were given";
    }
    std::optional<ModuleData> data;
    if (has_data) {
      const FunctionRanges ranges =
          sizes && flags_.data.random_seed ? value_ranges(function, *sizes) : FunctionRanges();
      data = load_data(model_.module, flags_.data, model_.weights, ranges, diagnostics_);
      if (!data) return false;
    }
    if (bound) {
      question.data = *std::move(data);
      return true;
    }
    return draw(function, data, question);
  }

  // The largest sizes that are drawn, with plain values. Integers that nothing is asked of may be positions all the
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
        auto outputs = run_draw(model_.module, function.name(), draw, {.precision = Precision::Judge});
        if (!outputs && outputs.error().kind->exit == ExitCode::Limit) {  // other inputs would meet it too
          diagnostics_.emit(std::move(outputs).error());
          return false;
        }
        if (!outputs) {
          refused = outputs.error().message();
          continue;
        }
        report_.inputs = draw.text();
        question.inputs = std::move(draw.inputs);
        question.data = std::move(draw.data);
        return true;
      }
    }
    diagnostics_.emit(diagnose<kNoInputsToCheck>(function.op().location(), std::string(function.name()), refused));
    return false;
  }

  const Console& console_;
  LoadedModel model_;
  const GradientCheckRequest& request_;
  const GradientCheckFlags& flags_;
  DiagnosticEngine& diagnostics_;
  GradientReport report_;
};

}  // namespace

void add_gradient_check_flags(Arguments& arguments, GradientCheckFlags& flags) {
  arguments.add_flag("--check", flags.check,
                     "Check: print no module; hold every adjoint and gradient against differences in f64, on one run");
  arguments.add_list("--input", flags.arguments.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, with --check, as `mlgc eval` takes them; repeatable");
  arguments.add_value("--random-inputs", flags.arguments.random_seed, "SEED",
                      "Random values for arguments without --input, with --check");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE",
                     "The size of a symbol, with --check, --memory-limit and --explain; repeatable");
  arguments.add_value("--weights", flags.data.weights, "FILE",
                      "The weights, with --check, instead of the file that the module names");
  arguments.add_value("--random-weights", flags.data.random_seed, "SEED", "Made-up weights, with --check");
  arguments.add_format_flag(flags.format, "--format", "How the report is written: that of --check and --explain");
  for (const char* const flag : {"--input", "--random-inputs", "--weights", "--random-weights"})
    arguments.needs(flag, "--check");
}

std::optional<Diagnostic> read_gradient_check_flags(const std::string& input, GradientCheckFlags& flags) {
  if (auto wrong = read_dim_flags(flags.dims, "grad", flags.arguments.dims)) return wrong;
  if (flags.data.random_seed && !flags.data.weights.empty())
    return diagnose<kFlagConflict>({}, "--weights", "--random-weights");
  const std::size_t slash = input.rfind('/');
  flags.data.folder = slash == std::string::npos ? "" : input.substr(0, slash);
  return std::nullopt;
}

ExitCode check_gradients(const Console& console, LoadedModel model, const GradientCheckRequest& request,
                         const GradientCheckFlags& flags, DiagnosticEngine& diagnostics) {
  return GradientCheck(console, std::move(model), request, flags, diagnostics).run();
}

}  // namespace mlgc
