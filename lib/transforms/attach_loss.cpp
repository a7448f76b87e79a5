// attach-loss: puts a loss in front of a function's results (lib/autodiff).
#include <array>
#include <optional>
#include <string>

#include "autodiff/loss.h"
#include "transforms/entry_functions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct AttachLossOptions {
  std::string function;
  std::string loss = "cross_entropy";
  std::string of;
  bool keep = false;
  std::string name;
};

constexpr std::array kAttachLossOptions{
    pass_option<&AttachLossOptions::function>("function",
                                              "the function; empty: every function that no other one calls"),
    pass_option<&AttachLossOptions::loss>("loss", "a row that compares with a target, as cross_entropy or mse"),
    pass_option<&AttachLossOptions::of>(
        "of", "the result that is compared, by name or as result<i>; empty: the only float one"),
    pass_option<&AttachLossOptions::keep>("keep", "leave the function without a loss in the module"),
    pass_option<&AttachLossOptions::name>("name", "of the new function; empty: <function>_loss"),
};
constexpr std::array kAttachLossCounters{PassCounter{"losses-attached", "functions that got a loss"}};

PassResult run(Module& module, const AttachLossOptions& options, PassContext& context) {
  Result<const OpDef*, Diagnostic> loss = find_loss(options.loss);
  if (!loss) {
    context.diagnostics().emit(std::move(loss).error());
    return PassResult::Failed;
  }
  const std::optional<std::vector<FuncRef>> chosen = chosen_functions(module, options.function, context);
  if (!chosen) return PassResult::Failed;
  std::uint64_t& attached = context.count("losses-attached");
  for (const FuncRef function : *chosen) {
    if (!context.may_rewrite("attach-loss", function.op().location())) continue;
    if (!attach_loss(module, function, {*loss, options.of, options.name}, context.diagnostics()).valid())
      return PassResult::Failed;
    ++attached;
    if (!options.keep && !is_called(module, function.name())) function.op().erase();
  }
  return PassContext::changed_if(attached > 0);
}

}  // namespace

constexpr PassDef kAttachLossPass{
    .name = "attach-loss",
    .summary = "Puts a loss in front of a function's results, with its target as a further argument.",
    .description =
        "A loss is a row of a prediction and a target, as PyTorch calls it; `_loss` may be left out. `cross_entropy` "
        "and "
        "`nll` take classes (i64) for the scores on axis 1, the others a tensor like the result. The results of the "
        "function stay, after `loss`.",
    .options = kAttachLossOptions,
    .counters = kAttachLossCounters,
    .needs = Stages::Graph,
    .changes_results = "it makes another function",
    .example =
        {.before = R"(func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> where 1 <= B {
  %y = tanh %x : tensor<[B]x4xf32>
  return %y
})",
         .after =
             R"mlir(func @f_loss(%x: tensor<[B]x4xf32>, %target: tensor<[B]x4xf32>) -> (tensor<f32>, tensor<[B]x4xf32>) where 1 <= B attributes {result_names = ["loss", "y"]} {
  %y = tanh %x : tensor<[B]x4xf32>
  %loss = mse_loss %y, %target : tensor<f32>
  return %loss, %y
})mlir",
         .options = "loss=mse"},
    .body = pass_body<AttachLossOptions, run>(),
};

}  // namespace mlgc
