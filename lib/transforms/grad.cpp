// grad: puts a function's gradients beside its results (lib/autodiff).
#include <array>
#include <string>
#include <vector>

#include "autodiff/grad_function.h"
#include "transforms/entry_functions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct GradOptions {
  std::string function;
  std::vector<std::string> of, wrt;
  bool seed = false;
  bool keep = false;
  std::string name;
};

constexpr std::array kGradOptions{
    pass_option<&GradOptions::function>("function", "the function; empty: every function that no other one calls"),
    pass_option<&GradOptions::of>("of", "results to differentiate, by name or as result<i>; empty: the only float one"),
    pass_option<&GradOptions::wrt>("wrt", "arguments by name, weights and states as @name; empty: all float ones"),
    pass_option<&GradOptions::seed>("seed",
                                    "cotangents of the results are further arguments; else of scalars they are 1"),
    pass_option<&GradOptions::keep>("keep", "leave the function that was differentiated in the module"),
    pass_option<&GradOptions::name>("name", "of the new function; empty: <function>_grad"),
};
constexpr std::array kGradCounters{PassCounter{"functions-differentiated", "functions that got gradients"},
                                   PassCounter{"ops-added", "ops that compute gradients"}};

PassResult run(Module& module, const GradOptions& options, PassContext& context) {
  const GradRequest request{options.of, options.wrt, options.seed, options.name};
  return replace_functions(module, {options.function, options.keep, options.name}, context, [&](FuncRef function) {
    return add_grad_function(module, function, request, context.diagnostics());
  });
}

}  // namespace

constexpr PassDef kGradPass{
    .name = "grad",
    .summary = "Puts a function's gradients beside its results, by reverse mode.",
    .description =
        "Each op sends back what its formula says: statement by statement, as the row that computes a statement, or as "
        "`compute` where there is none. A call of a function that states its gradient becomes a call of that. Other "
        "calls, "
        "segments and fusions have to be inlined before (`inline{keep-gradients=true}`). `mlgc grad` runs this "
        "pass between those that it wants.",
    .options = kGradOptions,
    .counters = kGradCounters,
    .needs = Stages::Graph,
    .changes_results = "it makes another function",
    .example =
        {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = exp %x : tensor<4xf32>
  %loss = sum %0 {dim = [0]} : tensor<f32>
  return %loss
})",
         .after =
             R"mlir(func @f_grad(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) attributes {result_names = ["loss", "d_x"]} {
  %0 = exp %x : tensor<4xf32>
  %loss = sum %0 {dim = [0]} : tensor<f32>
  %1 = full {dtype = f32, size = [], value = 1.0} : tensor<f32>
  %2 = expand %1 {size = [4]} : tensor<4xf32>
  %d_x = mul %2, %0 : tensor<4xf32>
  return %loss, %d_x
})mlir"},
    .body = pass_body<GradOptions, run>(),
};

}  // namespace mlgc
