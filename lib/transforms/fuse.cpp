// fuse: one `fusion` for each kernel. Which ops those are, and why, says fusion/decide_fusion.h.
#include "transforms/fuse.h"

#include <algorithm>
#include <array>

#include "fusion/form_fusions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct FuseOptions {
  std::int64_t max_ops = static_cast<std::int64_t>(FusionOptions{}.max_ops);
  std::int64_t row_bytes = FusionOptions{}.row_bytes;
  std::int64_t tile_bytes = FusionOptions{}.tile_bytes;
  bool factors_in_memory = FusionOptions{}.factors_in_memory;

  [[nodiscard]] FusionOptions fusion_options() const {
    return {.max_ops = static_cast<std::size_t>(std::max<std::int64_t>(max_ops, 1)),
            .row_bytes = row_bytes,
            .tile_bytes = tile_bytes,
            .factors_in_memory = factors_in_memory};
  }
};

constexpr std::array kFuseOptions{
    pass_option<&FuseOptions::max_ops>("max-ops", "no kernel of more ops"),
    pass_option<&FuseOptions::row_bytes>("row-bytes", "what one row of a kernel may keep for its later steps"),
    pass_option<&FuseOptions::tile_bytes>("tile-bytes",
                                          "what passes between kernels, from which on they become one that keeps tiles "
                                          "of it; 0: never"),
    pass_option<&FuseOptions::factors_in_memory>(
        "factors-in-memory", "what a contraction reads is computed by other kernels, for units that multiply tiles"),
};
constexpr std::array kFuseCounters{
    PassCounter{"kernels", "fusions that were formed"},
    PassCounter{"ops-fused", "ops in them"},
    PassCounter{"edges-fused", "uses of a result by another op that stay inside a kernel, or cost no copy"},
    PassCounter{"edges-apart", "the other ones; `mlgc explain fusion` says why"},
};

PassResult run(Module& module, const FuseOptions& options, PassContext& context) {
  if (options.max_ops < 1) {
    reject_option(context, "max-ops", "it must be at least 1");
    return PassResult::Failed;
  }
  const FusionDecisions decisions = decide_fusion(module, options.fusion_options());
  for (const FusionEdge& edge : decisions.edges) ++context.count(is_fused(edge.reason) ? "edges-fused" : "edges-apart");
  const std::size_t formed = form_fusions(module, decisions, [&](const FusionGroup& kernel) {
    if (!context.may_rewrite("form-fusion", kernel.members.front().op.location())) return false;
    context.count("ops-fused") += kernel.op_count();
    return true;
  });
  context.count("kernels") = formed;
  return PassContext::changed_if(formed > 0);
}

}  // namespace

FusionOptions fuse_options(const PassStep& step) {
  return static_cast<const FuseOptions*>(step.options.get())->fusion_options();
}

constexpr PassDef kFusePass{
    .name = "fuse",
    .summary = "Collects the ops of each kernel in a `fusion`.",
    .description =
        "Every op with a formula is in one fusion then; views that leave elements in their place, hooks, calls and "
        "control flow are in none. What only moves elements, constants with equal elements and sizes are copied into "
        "each fusion that reads them. `mlgc explain fusion` has a verdict for each use of a result; "
        "`inline{fusions=true}` is the way back. docs/fusion.md describes the rules.",
    .options = kFuseOptions,
    .counters = kFuseCounters,
    .needs = Stages::Graph,
    .makes = Stages::Fused,
    .example = {.before = R"mlir(func @f(%x: tensor<[B]x8xf32>, %b: tensor<8xf32>) -> tensor<[B]x8xf32> {
  %0 = add %x, %b : tensor<[B]x8xf32>
  %1 = relu %0 : tensor<[B]x8xf32>
  return %1
})mlir",
                .after = R"mlir(func @f(%x: tensor<[B]x8xf32>, %b: tensor<8xf32>) -> tensor<[B]x8xf32> {
  %0 = fusion (%1 = %x, %2 = %b) attributes {kind = "pointwise"} {
    %3 = add %1, %2 : tensor<[B]x8xf32>
    %4 = relu %3 : tensor<[B]x8xf32>
    yield %4
  } : tensor<[B]x8xf32>
  return %0
})mlir"},
    .body = pass_body<FuseOptions, run>(),
};

}  // namespace mlgc
