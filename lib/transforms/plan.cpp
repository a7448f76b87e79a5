// plan: copies, order and memory of every host function. How, says memory/plan_transforms.h.
#include "codegen/describe_module.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "memory/memory_limits.h"
#include "memory/plan_transforms.h"
#include "transforms/passes.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace mlgc {

namespace {

constexpr std::array kPlanCounters{
    PassCounter{"functions", "host functions that have a plan now"},
    PassCounter{"copies", "copies that are not made: their source is written where it belongs"},
    PassCounter{"reordered", "regions whose launches are in another order"},
    PassCounter{"shared", "buffers that took over the memory of one that they replace"},
    PassCounter{"states", "states that are written over their old values"},
};

// A kernel that was never launched is a program of its own; one that was launched, and no longer is, is dead.
void drop_kernels(Module& module, const std::unordered_map<OpId, std::vector<OpRef>>& launched_before) {
  const auto launched_now = launches_by_kernel(module);
  std::vector<OpRef> dead;
  for (const FuncRef& function : functions(module))
    if (const OpId id = function.op().id(); launched_before.contains(id) && !launched_now.contains(id))
      dead.push_back(function.op());
  for (OpRef kernel : dead) kernel.erase();
}

PassResult run_plan(Module& module, const NoPassOptions&, PassContext& context) {
  const std::uint64_t before = context.gate().count();
  const auto launched_before = launches_by_kernel(module);
  InPlaceKernels kernels;
  for (const FuncRef& function : functions(module)) {
    const OpRef host_function = function.op();
    if (!is_host_function(host_function) || host_function.attr("planned").valid()) continue;
    context.count("copies") += elide_copies(host_function, kernels, context.gate());
    const std::uint64_t reordered = reorder_launches(host_function, context.gate());
    context.count("reordered") += reordered;
    // In another order of launches, buffers may stand in front of what says how large they are.
    if ((reordered > 0 || context.gate().open()) && sink_buffers(host_function) && context.gate().open())
      context.gate().record("sink-buffers", host_function.location());
    context.count("states") += write_states_in_place(host_function, kernels, context.gate());
    context.count("shared") += share_memory(host_function, kernels, context.gate());
    if (!context.gate().may_rewrite("plan", host_function.location())) continue;
    host_function.set_attr("planned", module.context().attributes().boolean(true));
    ++context.count("functions");
  }
  if (context.count("copies") > 0) drop_kernels(module, launched_before);
  // A plan that was left unfinished says nothing of what the finished one takes.
  if (context.gate().open() && !hold_memory_limits(module, codegen::describe_module, context.diagnostics()))
    return PassResult::Failed;
  return PassContext::changed_if(context.gate().count() > before);
}

}  // namespace

constexpr PassDef kPlanPass{
    .name = "plan",
    .summary = "Decides copies, order and memory of every host function.",
    .description =
        "A value that is copied is written to its target at once where that is safe. Launches are put in an order in "
        "which less memory is live. A kernel that reads each element before it writes it works in place, and new "
        "states are written over old ones. All of it is shown from the text or left alone. Host functions that say "
        "`planned` "
        "stay as they are. Memory of a call is then compared with the `memory_limit` that the function states, if it "
        "does.",
    .counters = kPlanCounters,
    .needs = Stages::Loops | Stages::Plan,
    .makes = Stages::Plan,
    .example = {.before = R"mlir(func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  %u = alloc : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  launch @twice, %t, %u
  launch @twice, %u, %y
  return
})mlir",
                .after = R"mlir(func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {planned = true, results = 1} {
  %t = alloc %y : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  %u = alloc %y : buffer<[N]xf32, arena>
  launch @twice, %t, %u
  launch @twice, %u, %y
  return
})mlir"},
    .body = pass_body<NoPassOptions, run_plan>(),
};

}  // namespace mlgc
