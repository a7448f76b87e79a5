// split-gradient: a function with gradients becomes two, one that computes and saves, one that goes back
// (lib/autodiff/split_gradient.h).
#include <array>
#include <string>

#include "autodiff/split_gradient.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct SplitGradientOptions {
  std::string function;
  std::string name;
  std::int64_t results = 1;
  std::int64_t cotangents = 1;
};

constexpr std::array kSplitGradientOptions{
    pass_option<&SplitGradientOptions::function>("function", "the function that `grad` made"),
    pass_option<&SplitGradientOptions::name>(
        "name", "what the two are called, `<name>_forward` and `<name>_backward`; empty: as it"),
    pass_option<&SplitGradientOptions::results>("results",
                                                "how many of its results, the first ones, are not gradients"),
    pass_option<&SplitGradientOptions::cotangents>("cotangents",
                                                   "how many of its arguments, the last ones, are cotangents"),
};
constexpr std::array kSplitGradientCounters{
    PassCounter{"functions-split", "functions that became two"},
    PassCounter{"values-saved", "results of the first that are arguments of the second"}};

PassResult run(Module& module, const SplitGradientOptions& options, PassContext& context) {
  const FuncRef function = find_function(module, options.function);
  if (options.function.empty()) return PassResult::Unchanged;
  if (!function.valid()) {
    reject_option(context, "function", "there is no function `@" + options.function + "`");
    return PassResult::Failed;
  }
  const auto results = static_cast<std::int64_t>(function.result_count());
  const auto arguments = static_cast<std::int64_t>(function.arguments().size());
  if (options.results < 0 || options.results > results) {
    reject_option(context, "results", "`@" + options.function + "` has " + std::to_string(results));
    return PassResult::Failed;
  }
  if (options.cotangents < 0 || options.cotangents > arguments) {
    reject_option(context, "cotangents", "`@" + options.function + "` has " + std::to_string(arguments) + " arguments");
    return PassResult::Failed;
  }
  if (!context.may_rewrite("split-gradient", function.op().location())) return PassResult::Unchanged;
  const std::string name = options.name.empty() ? options.function : options.name;
  const auto made = split_gradient(function, name, static_cast<std::size_t>(options.results),
                                   static_cast<std::size_t>(options.cotangents));
  if (!made) {
    reject_option(context, "cotangents",
                  "what `@" + options.function + "` returns beside gradients needs an argument that counts as one");
    return PassResult::Failed;
  }
  context.count("functions-split") = 1;
  context.count("values-saved") = made->forward.result_count() - static_cast<std::size_t>(options.results);
  function.op().erase();
  return PassResult::Changed;
}

}  // namespace

constexpr PassDef kSplitGradientPass{
    .name = "split-gradient",
    .summary = "Makes two functions of one with gradients: forward, which returns what is saved too, and backward.",
    .description =
        "What the second reads of the first is an explicit result there and an argument here. Constants and "
        "weights are not saved, and what only gradients need is computed in the second. `mlgc grad "
        "--mode=split` runs it after `grad`. Without `function` it does nothing.",
    .options = kSplitGradientOptions,
    .counters = kSplitGradientCounters,
    .needs = Stages::Graph,
    .changes_results = "it makes other functions",
    .example =
        {.before = R"(func @f(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = exp %x : tensor<4xf32>
  %d = mul %g, %y : tensor<4xf32>
  return %y, %d
})",
         .after =
             R"(func @f_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {result_names = ["y", "saved_y"]} {
  %y = exp %x : tensor<4xf32>
  return %y, %y
}
func @f_backward(%saved_y: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> attributes {result_names = ["d"]} {
  %d = mul %g, %saved_y : tensor<4xf32>
  return %d
})",
         .options = "function=f"},
    .body = pass_body<SplitGradientOptions, run>(),
};

}  // namespace mlgc
