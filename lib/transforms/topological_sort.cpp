// topological-sort: definitions come before uses. ir/topological_order.h says which order, and what it keeps.
#include <array>

#include "ir/topological_order.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kSortCounters{PassCounter{"ops-moved", "ops that got another place in their region"}};

PassResult sort_module(Module& module, const NoPassOptions&, PassContext& context) {
  std::uint64_t& moved = context.count("ops-moved");
  const TopologicalOrder order(module.top());
  if (!order.cycles().empty()) {
    for (const OrderCycle& cycle : order.cycles())
      context.diagnostics().emit(
          report_cycle(cycle, [](Value value) { return value.name().empty() ? "" : "%" + std::string(value.name()); }));
    return PassResult::Failed;
  }
  // All or nothing: a module that is sorted in part is no program.
  if (order.sorted() || !context.may_rewrite("sort-ops", module.top().location())) return PassResult::Unchanged;
  moved += order.apply();
  return PassResult::Changed;
}

}  // namespace

constexpr PassDef kTopologicalSortPass{
    .name = "topological-sort",
    .summary = "Sorts text in any order: within each region definitions come before uses.",
    .description =
        "As the first pass of a pipeline it takes text in which values are used before their definition, which is an "
        "error otherwise. A region whose values are in order keeps it; elsewhere a definition moves up to the first op "
        "that needs it. An op stays after the one that binds a size that it uses, and ops that touch memory keep "
        "their order where one of them writes. Functions, weights and states stay where they are. Values that are "
        "computed from each other are an error that lists them.",
    .counters = kSortCounters,
    .takes_any_order = true,
    .changes_results = "what it sorts cannot run before",
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = add %0, %x : tensor<4xf32>
  %0 = relu %x : tensor<4xf32>
  return %1
})",
                .after = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relu %x : tensor<4xf32>
  %1 = add %0, %x : tensor<4xf32>
  return %1
})"},
    .body = pass_body<NoPassOptions, sort_module>(),
};

}  // namespace mlgc
