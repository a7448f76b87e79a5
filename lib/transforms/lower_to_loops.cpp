// lower-to-loops: kernels and host functions of graph functions. How, says loops/lower_module.h.
#include <array>
#include <string>

#include "loops/lower_module.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kLowerToLoopsCounters{
    PassCounter{"functions", "functions that became host functions"},
    PassCounter{"kernels", "loop functions that they launch"},
};

struct LowerToLoopsOptions {
  std::string device = "cpu";
};
constexpr std::array kLowerToLoopsOptions{
    pass_option<&LowerToLoopsOptions::device>("device", "what runs the loops: cpu or gpu"),
};

PassResult run_lower_to_loops(Module& module, const LowerToLoopsOptions& options, PassContext& context) {
  if (options.device != "cpu" && options.device != "gpu") {
    reject_option(context, "device", "expected cpu or gpu, found `" + options.device + "`");
    return PassResult::Failed;
  }
  if (!context.may_rewrite("lower-module", {})) return PassResult::Unchanged;
  const auto counts = lower_to_loops(module, context.diagnostics(), options.device == "gpu");
  if (!counts) return PassResult::Failed;
  context.count("functions") = counts->functions;
  context.count("kernels") = counts->kernels;
  return PassContext::changed_if(counts->functions > 0);
}

}  // namespace

constexpr PassDef kLowerToLoopsPass{
    .name = "lower-to-loops",
    .summary = "Makes a loop function of each fusion, and of each function a host function that launches them.",
    .description =
        "Ops outside of fusions are kernels of their own: run `fuse` first. Weights are read in place; constants "
        "with unequal elements become derived weights. Every op that has no lowering is reported, and nothing changes. "
        "With `device=gpu` many threads share a row that is sorted, or has running extrema.",
    .options = kLowerToLoopsOptions,
    .counters = kLowerToLoopsCounters,
    .needs = Stages::Graph | Stages::Fused,
    .makes = Stages::Loops,
    .example = {.before = R"mlir(func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = relu %x : tensor<[B]xf32>
  return %0
})mlir",
                .after = R"mlir(func @f.0.relu(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>) {
  for [0, B] (%b0: index) attributes {kind = "parallel"} {
    %0 = load %x[%b0] : f32
    %1 = literal {dtype = f32, value = 0.0} : f32
    %2 = lt %0, %1 : i1
    %3 = where %2, %1, %0 : f32
    store %3, %y[%b0]
    yield
  }
  return
}
func @f(%x: buffer<[B]xf32, argument>, %result0: buffer<[B]xf32, argument>) attributes {results = 1} {
  launch @f.0.relu, %x, %result0
  return
})mlir"},
    .body = pass_body<LowerToLoopsOptions, run_lower_to_loops>(),
};

}  // namespace mlgc
