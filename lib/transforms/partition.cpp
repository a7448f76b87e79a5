// partition: collects the ops that a target supports in `segment`s, for the target to compute each as a whole. Which
// ops those are a registry says (partition/registry.h); which of them make one segment, partition/convex_segments.h.
#include <array>
#include <string>

#include "diag/kinds_partition.h"
#include "partition/form_segments.h"
#include "partition/partitioning.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct PartitionPassOptions {
  std::string registry;
  std::int64_t min_ops = 1;
};

constexpr std::array kPartitionOptions{
    pass_option<&PartitionPassOptions::registry>("registry",
                                                 "the file that says what the target supports (docs/partition.md), or "
                                                 "`everything`, a built-in one"),
    pass_option<&PartitionPassOptions::min_ops>("min-ops",
                                                "form no segment of fewer ops, those in regions inside it included"),
};
constexpr std::array kPartitionCounters{
    PassCounter{"segments-formed", "segments that were formed"},
    PassCounter{"ops-inside", "ops in segments, those that were there before included"},
    PassCounter{"ops-outside", "ops in none"},
    PassCounter{"too-small", "segments left apart because of min-ops"},
    PassCounter{"pairs-untried", "pairs of segments that might be one: the search for an answer was ended"},
};

PassResult run_partition(Module& module, const PartitionPassOptions& options, PassContext& context) {
  if (options.registry.empty()) {
    reject_option(context, "registry", "a registry file must be named");
    return PassResult::Failed;
  }
  if (options.min_ops < 1) {
    reject_option(context, "min-ops", "it must be at least 1");
    return PassResult::Failed;
  }
  const auto registry = read_registry(module.context(), options.registry, context.diagnostics());
  if (registry == nullptr) return PassResult::Failed;
  const Dependences dependences(module);
  const Partitioning partitioning = partition_ops(
      module, *registry, dependences, {.min_ops = static_cast<std::size_t>(options.min_ops), .explain = false});
  for (const OutsideOp& misplaced : partitioning.misplaced)
    context.diagnostics().emit(diagnose<kSegmentNotSupported>(misplaced.op.location(), misplaced.op.name(),
                                                              registry->target, misplaced.reason.text));
  std::size_t refused = 0;
  const std::size_t formed =
      form_segments(module, partitioning, dependences, registry->target, [&](const PartitionSegment& s) {
        const bool may = context.may_rewrite("form-segment", s.ops.front().location());
        if (!may) refused += s.op_count;
        return may;
      });
  context.count("segments-formed") = formed;
  context.count("ops-inside") = partitioning.inside_count - refused;
  context.count("ops-outside") = partitioning.op_count - partitioning.inside_count + refused;
  context.count("too-small") = partitioning.too_small;
  context.count("pairs-untried") = partitioning.untried;
  return PassContext::changed_if(formed > 0);
}

}  // namespace

constexpr PassDef kPartitionPass{
    .name = "partition",
    .summary = "Collects the ops that a target supports in segments.",
    .description =
        "A segment is convex: no value that it needs is computed outside of it from its own results. No two segments "
        "that touch could be one. Each region is partitioned by itself. Segments that exist already stay; "
        "`inline{segments=true}` inlines them. `mlgc explain partition` says why an op is in none.",
    .options = kPartitionOptions,
    .counters = kPartitionCounters,
    .needs = Stages::Graph,
    .example = {.before = R"(weight @w : tensor<8x4xf32>
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
  %w = read @w : tensor<8x4xf32>
  %0 = relu %x : tensor<[B]x8xf32>
  %1 = matmul %0, %w : tensor<[B]x4xf32>
  %2 = softmax %1 {dim = -1} : tensor<[B]x4xf32>
  return %2
})",
                .after = R"(weight @w : tensor<8x4xf32>
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
  %0 = segment (%1 = %x) attributes {target = "everything"} {
    %w = read @w : tensor<8x4xf32>
    %2 = relu %1 : tensor<[B]x8xf32>
    %3 = matmul %2, %w : tensor<[B]x4xf32>
    %4 = softmax %3 {dim = -1} : tensor<[B]x4xf32>
    yield %4
  } : tensor<[B]x4xf32>
  return %0
})",
                .options = "registry=everything"},
    .body = pass_body<PartitionPassOptions, run_partition>(),
};

}  // namespace mlgc
