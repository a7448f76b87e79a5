// jvp: puts a function's derivatives along a direction beside its results (lib/autodiff).
#include <array>
#include <string>
#include <vector>

#include "autodiff/jvp_function.h"
#include "transforms/entry_functions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct JvpOptions {
  std::string function;
  std::vector<std::string> of, wrt;
  bool keep = false;
  std::string name;
};

constexpr std::array kJvpOptions{
    pass_option<&JvpOptions::function>("function", "the function; empty: every function that no other one calls"),
    pass_option<&JvpOptions::of>("of", "results to differentiate, by name or as result<i>; empty: all float ones"),
    pass_option<&JvpOptions::wrt>("wrt", "arguments by name, weights and states as @name; empty: all float ones"),
    pass_option<&JvpOptions::keep>("keep", "leave the function that was differentiated in the module"),
    pass_option<&JvpOptions::name>("name", "of the new function; empty: <function>_jvp"),
};
constexpr std::array kJvpCounters{PassCounter{"functions-differentiated", "functions that got tangents"},
                                  PassCounter{"ops-added", "ops that compute tangents"}};

PassResult run(Module& module, const JvpOptions& options, PassContext& context) {
  const GradRequest request{options.of, options.wrt, false, options.name};
  return replace_functions(module, {options.function, options.keep, options.name}, context, [&](FuncRef function) {
    return add_jvp_function(module, function, request, context.diagnostics());
  });
}

}  // namespace

constexpr PassDef kJvpPass{
    .name = "jvp",
    .summary = "Puts a function's derivatives along a direction beside its results, by forward mode.",
    .description =
        "The direction is given by arguments after those of the function, one tangent `t_<name>` for each "
        "value of `wrt`. Calls, segments and fusions have to be inlined before. `mlgc grad --mode=jvp` runs "
        "this pass between those that it wants.",
    .options = kJvpOptions,
    .counters = kJvpCounters,
    .needs = Stages::Graph,
    .changes_results = "it makes another function",
    .example =
        {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = exp %x : tensor<4xf32>
  return %y
})",
         .after =
             R"mlir(func @f_jvp(%x: tensor<4xf32>, %t_x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {result_names = ["y", "t_y"]} {
  %y = exp %x : tensor<4xf32>
  %0 = mul %t_x, %y : tensor<4xf32>
  return %y, %0
})mlir"},
    .body = pass_body<JvpOptions, run>(),
};

}  // namespace mlgc
