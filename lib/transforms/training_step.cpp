// training-step: makes a function that changes weights against the slope of a loss (lib/autodiff).
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "autodiff/training_step.h"
#include "transforms/entry_functions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct TrainingStepOptions {
  std::string function;
  std::string optimiser = "sgd";
  std::string of;
  std::vector<std::string> wrt;
  std::string lr = "0.001";
  std::string momentum, weight_decay, beta1, beta2, eps;
  bool keep = false;
  std::string name = "step";
};

constexpr std::array kTrainingStepOptions{
    pass_option<&TrainingStepOptions::function>("function",
                                                "the function; empty: the only one that no other one calls"),
    pass_option<&TrainingStepOptions::optimiser>("optimiser", "sgd, adam or adamw, as in torch.optim"),
    pass_option<&TrainingStepOptions::of>(
        "of", "the scalar to make less, by name or as result<i>; empty: the only float result"),
    pass_option<&TrainingStepOptions::wrt>(
        "wrt", "weights and states as @name; empty: all float weights that the function reads"),
    pass_option<&TrainingStepOptions::lr>("lr", "the learning rate; `argument`: the last argument of the step, f64"),
    pass_option<&TrainingStepOptions::momentum>("momentum", "of sgd; empty: 0"),
    pass_option<&TrainingStepOptions::weight_decay>("weight-decay", "empty: 0.01 of adamw, else 0"),
    pass_option<&TrainingStepOptions::beta1>("beta1", "of adam and adamw; empty: 0.9"),
    pass_option<&TrainingStepOptions::beta2>("beta2", "of adam and adamw; empty: 0.999"),
    pass_option<&TrainingStepOptions::eps>("eps", "of adam and adamw; empty: 1e-08"),
    pass_option<&TrainingStepOptions::keep>("keep",
                                            "leave the function in the module; it reads what the step has changed"),
    pass_option<&TrainingStepOptions::name>("name", "of the new function"),
};
constexpr std::array kTrainingStepCounters{PassCounter{"steps-made", "functions that became training steps"}};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Reads the options as torch.optim does, whose bounds are these.
class Settings {
 public:
  Settings(const TrainingStepOptions& options, PassContext& context) : options_(options), context_(context) {}

  std::optional<OptimiserSettings> read() {
    settings_.optimiser = find_optimiser(options_.optimiser);
    if (settings_.optimiser == nullptr) {
      std::string known;
      for (const OptimiserDef& def : optimisers()) known += (known.empty() ? "" : ", ") + std::string(def.name);
      reject_option(context_, "optimiser", "there is no optimiser `" + options_.optimiser + "`; known are " + known);
      return std::nullopt;
    }
    const OptimiserDef& def = *settings_.optimiser;
    settings_.weight_decay = def.weight_decay;
    if (options_.lr == "argument") {
      settings_.learning_rate.reset();
    } else {
      double rate = 0;
      set("lr", options_.lr, rate, true);
      settings_.learning_rate = rate;
    }
    set("momentum", options_.momentum, settings_.momentum, def.momentum);
    set("weight-decay", options_.weight_decay, settings_.weight_decay, true);
    set("beta1", options_.beta1, settings_.beta1, def.betas, 1);
    set("beta2", options_.beta2, settings_.beta2, def.betas, 1);
    set("eps", options_.eps, settings_.eps, def.betas);
    return ok_ ? std::optional(settings_) : std::nullopt;
  }

 private:
  void set(std::string_view name, const std::string& text, double& value, bool has, double below = 0) {
    if (text.empty()) return;
    const std::optional<double> given = number(text);
    if (!has)
      refuse(name, options_.optimiser + " has none");
    else if (!given || !(*given >= 0) || (below > 0 && !(*given < below)))
      refuse(name, "`" + text + "` is not a number " + (below > 0 ? "from 0 to below 1" : "of at least 0") +
                       (name == "lr" ? ", nor `argument`" : ""));
    else
      value = *given;
  }
  void refuse(std::string_view name, const std::string& problem) {
    reject_option(context_, name, problem);
    ok_ = false;
  }

  const TrainingStepOptions& options_;
  PassContext& context_;
  OptimiserSettings settings_;
  bool ok_ = true;
};

PassResult run(Module& module, const TrainingStepOptions& options, PassContext& context) {
  const std::optional<OptimiserSettings> settings = Settings(options, context).read();
  if (!settings) return PassResult::Failed;
  const std::optional<std::vector<FuncRef>> chosen = chosen_functions(module, options.function, context);
  if (!chosen) return PassResult::Failed;
  // Steps of two functions would each keep averages of gradients for the weights that they share.
  if (chosen->size() > 1) {
    reject_option(context, "function", "there are several functions, and one is made into a step");
    return PassResult::Failed;
  }
  std::uint64_t& made = context.count("steps-made");
  for (const FuncRef function : *chosen) {
    if (!context.may_rewrite("make-step", function.op().location())) continue;
    const StepRequest request{*settings, options.of, options.wrt, options.name.empty() ? "step" : options.name};
    const FuncRef step = add_training_step(module, function, request, context.diagnostics());
    if (!step.valid()) return PassResult::Failed;
    ++made;
    if (options.keep || is_called(module, function.name())) continue;
    const bool takes_name = function.name() == request.name;
    function.op().erase();
    if (takes_name) step.op().set_attr("sym_name", module.context().attributes().string(request.name));
  }
  return PassContext::changed_if(made > 0);
}

}  // namespace

constexpr PassDef kTrainingStepPass{
    .name = "training-step",
    .summary = "Makes a function that changes weights against the slope of a scalar result, as an optimiser does.",
    .description =
        "Weights become states. Optimisers are those of torch.optim, with their names, defaults and order of "
        "operations; what they keep for a weight are states after it, which start at 0. Calls, segments and fusions "
        "have to be inlined before. `mlgc grad --step` runs this pass between those that it wants.",
    .options = kTrainingStepOptions,
    .counters = kTrainingStepCounters,
    .needs = Stages::Graph,
    .changes_results = "it makes another function",
    .example = {.before = R"(weight @w : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %w = read @w : tensor<4xf32>
  %0 = mul %w, %x : tensor<4xf32>
  %loss = sum %0 {dim = [0]} : tensor<f32>
  return %loss
})",
                .after = R"mlir(state @w : tensor<4xf32>
state @w.momentum_buffer : tensor<4xf32> attributes {initial = 0.0}
func @step(%x: tensor<4xf32>) -> tensor<f32> updates (@w = %w_next, @w.momentum_buffer = %next) attributes {result_names = ["loss"]} {
  %w = read @w : tensor<4xf32>
  %0 = mul %w, %x : tensor<4xf32>
  %loss = sum %0 {dim = [0]} : tensor<f32>
  %1 = full {dtype = f32, size = [], value = 1.0} : tensor<f32>
  %2 = expand %1 {size = [4]} : tensor<4xf32>
  %d_w = mul %2, %x : tensor<4xf32>
  %w.momentum_buffer = read @w.momentum_buffer : tensor<4xf32>
  %3 = mul %w.momentum_buffer {other = 0.9} : tensor<4xf32>
  %next = add %3, %d_w : tensor<4xf32>
  %w_next = add %w, %next {alpha = -0.001} : tensor<4xf32>
  return %loss, %w_next, %next
})mlir",
                .options = "momentum=0.9"},
    .body = pass_body<TrainingStepOptions, run>(),
};

}  // namespace mlgc
