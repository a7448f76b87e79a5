// insert-deallocs: states in each host function where the life of each buffer ends.
#include <array>
#include <unordered_set>

#include "analysis/host_function_memory.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kInsertDeallocsCounters{PassCounter{"deallocs", "buffers whose life ends at an op of its own"}};

// Where the buffer is touched last, in the region of its `alloc`; the `alloc` itself if nothing touches it.
OpRef last_touch(const HostFunctionMemory& memory, OpRef alloc) {
  const auto life = memory.life_of(alloc.result());
  OpRef at = life ? memory.op_at(life->last) : alloc;
  while (!(at.parent() == alloc.parent())) at = at.parent_op();
  return at;
}

PassResult run_insert_deallocs(Module& module, const NoPassOptions&, PassContext& context) {
  const std::uint64_t before = context.gate().count();
  for (const FuncRef& function : functions(module)) {
    if (!is_host_function(function.op())) continue;
    const HostFunctionMemory memory(function.op());
    std::vector<OpRef> allocs;
    std::unordered_set<ValueId> freed;
    for (std::size_t step = 0; step < memory.step_count(); ++step) {
      const OpRef op = memory.op_at(step);
      if (op.is(LoopOp::Alloc)) allocs.push_back(op);
      if (const DeallocRef dealloc = DeallocRef::from(op); dealloc.valid()) freed.insert(dealloc.buffer().id());
    }
    Builder builder(module);
    for (const OpRef alloc : allocs) {
      const OpRef at = last_touch(memory, alloc);
      // Nothing follows the end of a region, and what it gives is not freed there.
      if (freed.contains(alloc.result().id()) || at == alloc.parent().terminator()) continue;
      if (!context.gate().may_rewrite("insert-deallocs", alloc.location())) continue;
      // Buffers that end together are freed in the order of their allocation.
      OpRef after = at;
      while (after.next().is(LoopOp::Dealloc)) after = after.next();
      builder.set_after(after);
      builder.set_location(at.location());
      DeallocRef::create(builder, alloc.result());
      ++context.count("deallocs");
    }
  }
  return PassContext::changed_if(context.gate().count() > before);
}

}  // namespace

constexpr PassDef kInsertDeallocsPass{
    .name = "insert-deallocs",
    .summary = "States in each host function where the live range of each buffer ends.",
    .description =
        "A `dealloc` comes after the last op that touches a buffer. Memory is assigned before a call, so execution "
        "does not change. It shows the live ranges that the memory plan used, and the verifier refuses text that "
        "touches a buffer afterwards.",
    .counters = kInsertDeallocsCounters,
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
  launch @twice, %x, %t
  launch @twice, %t, %y
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
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  launch @twice, %t, %y
  dealloc %t
  return
})mlir"},
    .body = pass_body<NoPassOptions, run_insert_deallocs>(),
};

}  // namespace mlgc
