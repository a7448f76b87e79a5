// mlgc grad: a function with its gradients, as text.
#include <array>

#include "autodiff/loss.h"
#include "autodiff/named_results.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_training.h"
#include "driver/arguments.h"
#include "driver/check_gradients.h"
#include "driver/fallback_flag.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/recompute_flags.h"
#include "import/import_model.h"
#include "interp/function_results.h"
#include "ops/op_table.h"
#include "pass/option_text.h"
#include "support/activity.h"
#include "text/printer.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

constexpr std::string_view kGradExamples =
    "  mlgc grad mlp.mlir --of=loss --wrt=@fc0.weight,@fc0.bias,x -o mlp.grad.mlir\n"
    "  mlgc grad f.mlir                          the only float result, by all float arguments and weights\n"
    "  mlgc grad f.mlir --seed                   the cotangent of the result is an argument\n"
    "  mlgc grad f.mlir --mode=split             forward and backward, with what is saved between them\n"
    "  mlgc grad f.mlir --mode=jvp               derivatives of all results along a direction\n"
    "  mlgc grad f.mlir --wrt=x | mlgc grad - --of=d_x --seed --wrt=x     a Hessian times a vector\n"
    "  mlgc grad model.pt2 -o model.grad.mlir    of a model, with its weights beside the text\n"
    "  mlgc grad model.pt2 --loss=cross_entropy --step=adam --lr=1e-3 -o step.mlir && mlgc compile step.mlir -o "
    "step.mlgcx\n"
    "  mlgc grad model.pt2 --loss=cross_entropy --memory-limit=64MiB --dim=B=32 --explain\n"
    "                                            what is saved, what is recomputed, and why, in bytes\n"
    "  mlgc grad mlp.mlir --check --dim=B=4 --random-inputs=1 --random-weights=1     is every adjoint right?\n"
    "  mlgc eval mlp.grad.mlir --input=x=rand --compare=torch             runs it\n"
    "The module that is printed holds the new function in the place of the old one: the same arguments, the same\n"
    "results, then one gradient for each name of --wrt, called `d_<name>`. With --loss there is an argument `target`, "
    "and\n"
    "a result `loss` in front. With --step there are no gradients among the results: the function, `step`, makes new\n"
    "weights of them, which are states, by torch.optim's optimiser of that name with its defaults.\n";

// A flag of an optimiser, which is an option of the pass `training-step` of the same name.
struct StepSetting {
  std::string_view name;
  const char* value_name;
  std::string_view help;
};
constexpr std::array kStepSettings{
    StepSetting{"lr", "RATE", "Learning rate; without it 1e-3; `argument`: the step's last argument, a f64"},
    StepSetting{"momentum", "M", "Of sgd; without it 0"},
    StepSetting{"weight-decay", "D", "Without it 1e-2 for adamw, else 0"},
    StepSetting{"beta1", "B", "Of adam and adamw; without it 0.9"},
    StepSetting{"beta2", "B", "Of adam and adamw; without it 0.999"},
    StepSetting{"eps", "E", "Of adam and adamw; without it 1e-8"},
};

enum class GradMode : std::uint8_t { Joint, Split, Jvp };

struct GradFlags {
  std::string input = "-", output, function, name, loss, step;
  std::array<std::string, kStepSettings.size()> settings;
  std::vector<std::string> of, wrt;
  GradMode mode = GradMode::Joint;
  bool seed = false, keep = false, raw = false;
  TextForm form = TextForm::Pretty;
  FallbackFlags fallback;
  GradientCheckFlags check;
  RecomputeFlags recompute;
  // With --explain alone the report is all there is to print.
  [[nodiscard]] bool prints_module() const { return !recompute.explain || !output.empty(); }
};

std::string option(std::string_view name, const std::vector<std::string>& values) {
  return values.empty() ? "" : " " + std::string(name) + "=" + option_list(values);
}

// Straight programs: without segments, fusions and calls, but those of functions that state their gradient. These stay
// after `grad` as well, since a gradient of the gradient has to meet them again.
constexpr std::string_view kStraighten = "inline{segments=true fusions=true keep-gradients=true}";
std::string option(std::string_view name, std::string_view value) {
  return value.empty() ? "" : " " + std::string(name) + "=" + option_text(value);
}

// The pass that makes the function which is asked for, of `function`.
std::string last_pass(const GradFlags& flags, const std::string& function, std::string_view name) {
  const std::vector<std::string> of = flags.loss.empty() ? flags.of : std::vector<std::string>{"loss"};
  const bool seed = flags.seed || flags.mode == GradMode::Split;
  // A function that a loss was attached to has served its purpose.
  const bool keep = flags.keep && flags.loss.empty();
  const std::string options = "function=" + option_text(function) + option("of", of) + option("wrt", flags.wrt) +
                              (keep ? " keep=true" : "") + option("name", name);
  if (flags.mode == GradMode::Jvp) return "jvp{" + options + "}";
  if (flags.step.empty()) return "grad{" + options + (seed ? " seed=true" : "") + "}";
  std::string settings = option("optimiser", flags.step);
  for (std::size_t i = 0; i < kStepSettings.size(); ++i) settings += option(kStepSettings[i].name, flags.settings[i]);
  return "training-step{" + options + settings + "}";
}

// The passes that make gradients out of what was read, and clean up after it.
struct GradPipeline {
  std::string derive;
  RecomputeRequest recompute;  // its `finish` follows
};

GradPipeline grad_pipeline(const GradFlags& flags, const FuncRef& function) {
  const std::string old(function.name());
  const bool split = flags.mode == GradMode::Split, loss = !flags.loss.empty();
  const std::string stem = flags.name.empty() ? old : flags.name;
  const bool jvp = flags.mode == GradMode::Jvp;
  const Module& module = function.op().module();
  const std::string gradient =
      flags.name.empty() || split ? free_symbol(module, stem + (jvp ? "_jvp" : "_grad")) : flags.name;
  const std::string name = flags.step.empty() ? gradient : flags.name;
  const std::string from = loss ? free_symbol(module, old + "_loss") : old;
  const std::string tidy = flags.raw ? "" : ",inline{keep-gradients=true},canonicalize,cse,dce,canonicalize,cse,dce";
  GradPipeline out;
  out.derive = std::string(kStraighten) + ",";
  if (loss)
    out.derive += "attach-loss{function=" + option_text(old) + option("loss", flags.loss) + option("of", flags.of) +
                  (flags.keep ? " keep=true" : "") + option("name", from) + "},";
  out.derive += last_pass(flags, from, name) + tidy;
  out.recompute.function = flags.step.empty() ? name : flags.name.empty() ? "step" : flags.name;
  out.recompute.results = function.result_count() + (loss ? 1 : 0);
  for (const SizeBinding& dim : flags.check.arguments.dims) out.recompute.sizes[dim.name] = dim.size;
  if (!split) return out;
  out.recompute.finish = ",split-gradient{function=" + option_text(name) + option("name", stem) +
                         " results=" + std::to_string(out.recompute.results) +
                         " cotangents=" + std::to_string(loss || flags.of.empty() ? 1 : flags.of.size()) + "}" + tidy;
  return out;
}

// What --explain says; empty without it.
std::string report_text(const RecomputeDecision& decision, const GradFlags& flags,
                        const DiagnosticEngine& diagnostics) {
  if (!decision.report) return "";
  return flags.check.format == ReportFormat::Json ? render_json(*decision.report, diagnostics.locations())
                                                  : render_text(*decision.report, diagnostics.locations());
}

// What --explain says is printed.
bool differentiate(Module& module, const GradFlags& flags, DiagnosticEngine& diagnostics) {
  const FuncRef function = choose_function(module, flags.function, diagnostics);
  if (!function.valid()) return false;
  const GradPipeline pipeline = grad_pipeline(flags, function);
  const Module before = module;
  if (!run_pipeline(module, pipeline.derive, diagnostics)) return false;
  RecomputeRequest request = pipeline.recompute;
  // A name that is taken gets a number; that of the function itself may be taken over.
  if (const auto made = new_functions(before, module); !made.empty()) request.function = made.front();
  std::string finish = request.finish;
  std::optional<MemoryLimit> limit;
  const Module derived = module;
  if (flags.recompute.given()) {
    const auto decision = choose_recompute(module, request, recompute_options(flags.recompute), diagnostics);
    if (!decision) return false;
    limit = decision->limit;
    finish = "," + rematerialize_step(request, decision->choice) + finish;
    if (const Status<> written = write_product("-", report_text(*decision, flags, diagnostics)); !written) {
      diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
      return false;
    }
  }
  if (!finish.empty() && !run_pipeline(module, finish.substr(1), diagnostics)) return false;
  if (limit) state_limit(derived, module, request, *limit);
  return true;
}

ExitCode check(const Console& console, const GradFlags& flags, const std::shared_ptr<Context>& context,
               DiagnosticEngine& diagnostics) {
  std::optional<LoadedModel> model = load_model(context, flags.input, {.fallback = flags.fallback.mode}, diagnostics);
  if (!model) return console.report(diagnostics);
  GradientCheckRequest request;
  request.function = flags.function;
  request.of = flags.of;
  request.wrt = flags.wrt;
  request.seed = flags.seed;
  request.straighten = kStraighten;
  request.pipeline = [&flags](const FuncRef& function) { return grad_pipeline(flags, function).derive; };
  return check_gradients(console, *std::move(model), std::move(request), flags.input, flags.check, diagnostics);
}

ExitCode grad(const Console& console, const GradFlags& flags) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  if (flags.check.check) return check(console, flags, context, diagnostics);
  const Activity differentiating("differentiating", flags.input);
  const std::string output = flags.output.empty() ? "-" : flags.output;
  if (is_model_file(flags.input)) {
    const ImportOptions options = named_after({.fallback = flags.fallback.mode}, flags.input, output);
    std::optional<ImportedModel> imported = import_model(context, flags.input, options, diagnostics);
    if (imported && differentiate(imported->module, flags, diagnostics) && flags.prints_module())
      (void)write_imported(*imported, flags.input, output, diagnostics);
    return console.report(diagnostics);
  }
  std::optional<Module> module = load_input(context, flags.input, diagnostics);
  if (!module || !differentiate(*module, flags, diagnostics) || !flags.prints_module())
    return console.report(diagnostics);
  const Status<> written = write_product(output, print(*module, {.form = flags.form}));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_grad(const Words& words) {
  Arguments arguments("grad", "Puts gradients beside a function's results, as ops like any other.", kGradExamples);
  GradFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("-o,--output", flags.output, "FILE", "Where it is written; - is standard output");
  arguments.add_value("--function", flags.function, "NAME", "Which function (default: the only one)");
  add_derivative_flags(arguments, flags.of, flags.wrt);
  arguments.add_choice<GradMode>("--mode", flags.mode,
                                 {{"joint", GradMode::Joint}, {"split", GradMode::Split}, {"jvp", GradMode::Jvp}},
                                 "One function; a forward one that returns what is saved and a backward one; or "
                                 "forward mode, with tangents `t_<name>`");
  arguments.add_flag("--seed", flags.seed, "Cotangents of the results are further arguments, `g_<name>`");
  std::string losses;
  for (const std::string_view loss : known_losses()) losses += (losses.empty() ? "" : ", ") + std::string(loss);
  arguments.add_value(
      "--loss", flags.loss, "NAME",
      "Compares a result with a further argument, `target`; the result `loss` comes first. One of " + losses);
  arguments.add_choice<std::string>(
      "--step", flags.step, {{"sgd", "sgd"}, {"adam", "adam"}, {"adamw", "adamw"}},
      "A training step: weights and the optimiser's memory become states that it updates");
  for (std::size_t i = 0; i < kStepSettings.size(); ++i) {
    const std::string flag = "--" + std::string(kStepSettings[i].name);
    arguments.add_value(flag, flags.settings[i], kStepSettings[i].value_name, std::string(kStepSettings[i].help));
    arguments.needs(flag, "--step");
  }
  arguments.excludes("--seed", "--step");
  arguments.excludes("--seed", "--loss");
  arguments.add_value("--name", flags.name, "NAME", "Of the new function; without it `<function>_grad`, or `step`");
  arguments.add_flag("--keep", flags.keep, "Leave the function that was differentiated in the module");
  arguments.add_flag("--raw", flags.raw, "As it is derived, without canonicalize, cse and dce after it");
  arguments.add_choice<TextForm>("--form", flags.form, {{"pretty", TextForm::Pretty}, {"generic", TextForm::Generic}},
                                 "Syntax to print; generic is plain MLIR");
  add_fallback_flags(arguments, flags.fallback);
  add_recompute_flags(arguments, flags.recompute);
  add_gradient_check_flags(arguments, flags.check);
  for (const char* const other :
       {"--mode", "--step", "--loss", "--output", "--name", "--keep", "--memory-limit", "--recompute", "--explain"})
    arguments.excludes("--check", other);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  if (!flags.loss.empty())
    if (auto loss = find_loss(flags.loss); !loss) return arguments.console().report(std::move(loss).error());
  if (flags.mode == GradMode::Jvp && flags.seed)
    return arguments.console().report(diagnose<kFlagConflict>({}, "--seed", "--mode=jvp"));
  if (flags.mode == GradMode::Jvp && flags.recompute.given())
    return arguments.console().report(
        diagnose<kFlagConflict>({}, "--recompute, --memory-limit and --explain", "--mode=jvp"));
  if (auto wrong = read_recompute_flags(flags.recompute)) return arguments.console().report(*std::move(wrong));
  if (flags.mode != GradMode::Joint && !flags.step.empty())
    return arguments.console().report(diagnose<kStepMode>({}, flags.mode == GradMode::Jvp ? "jvp" : "split"));
  if (auto wrong = read_gradient_check_flags(flags.input, flags.check))
    return arguments.console().report(*std::move(wrong));
  if (!flags.check.dims.empty() && !flags.check.check && !flags.recompute.limit && !flags.recompute.explain)
    return arguments.console().report(
        diagnose<kBadFlag>({}, "--dim requires --check, --memory-limit or --explain", "grad"));
  return grad(arguments.console(), flags);
}

}  // namespace mlgc
