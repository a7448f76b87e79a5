// See stream_results.h.
#include "schedule/stream_results.h"

#include <unordered_map>
#include <vector>

#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/module_machine.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

constexpr std::int64_t kEnough = std::int64_t{1} << 40U;  // bytes that no cache holds

bool takes(OpRef launch, Value buffer) {
  for (const Value v : launch.operands())
    if (underlying_buffer(v) == buffer) return true;
  return false;
}

// Of all buffers that the launch takes; an unknown size counts as enough.
std::int64_t bytes_of(OpRef launch) {
  Context& context = launch.module().context();
  std::int64_t sum = 0;
  for (const Value v : launch.operands())
    if (context.types().kind(v.type()) == TypeKind::Buffer)
      sum = saturating_add(sum, context.index().as_constant(context.storage_bytes(v.type())).value_or(kEnough));
  return sum;
}

// A later launch reads the buffer while a cache of so many bytes still holds some of it.
bool is_read_soon(OpRef launch, Value buffer, std::int64_t cache) {
  if (!launch.parent_op().is(LoopOp::Func)) return true;  // it runs again, or something after the op around it does
  Context& context = launch.module().context();
  std::int64_t since = context.index().as_constant(context.storage_bytes(buffer.type())).value_or(kEnough);
  bool is_next = true;
  for (OpRef op = launch.next(); op.valid(); op = op.next()) {
    if (op.region_count() > 0) return true;  // what runs next is not told here
    if (!op.is(LoopOp::Launch)) continue;
    if (takes(op, buffer)) return is_next || since < cache;
    is_next = false;
    since = saturating_add(since, bytes_of(op));
  }
  return false;
}

// The last subscript is the index of the loop and something that the loop does not change.
bool runs_along(OpRef store, ForRef loop) {
  if (subscripts_of(store).empty()) return false;
  IndexPool& pool = store.module().context().index();
  const IndexExpr index = of_value(loop.index());
  const IndexExpr rest = pool.sub(over_values(store, subscripts_of(store).back()), index);
  bool fixed = true;
  pool.for_each_atom(rest, [&](AtomId id) {
    if (pool.atom(id).kind != AtomKind::Opaque) return;
    const Value v(&store.module(), ValueId(pool.atom(id).number));
    fixed = fixed && v.scope() != loop.body() && !v.scope().parent_op().is_inside(loop.op());
  });
  return fixed;
}

// The stores to the argument by lanes, where all of these are of neighbours and nothing loads it.
std::vector<OpRef> streamable_stores(OpRef kernel, Value argument) {
  std::vector<OpRef> stores;
  bool fits = true;
  walk(kernel, [&](OpRef op) {
    if (op.is(LoopOp::Launch)) fits = fits && !takes(op, argument);
    fits = fits && loaded_buffer(op) != argument;
    if (stored_buffer(op) != argument) return;
    const ForRef loop = ForRef::from(op.parent_op());
    if (!loop.valid() || loop.kind() != LoopKind::Vector) return;  // one by one, of what fills no strip
    fits = fits && runs_along(op, loop);
    stores.push_back(op);
  });
  return fits ? stores : std::vector<OpRef>();
}

// What a kernel touches beside a result, and the result: a buffer that is larger than four of it may be a table, of
// which little is read.
IndexExpr bytes_around(const Module& module, const FuncRef& kernel, Value result) {
  Context& context = module.context();
  IndexPool& pool = context.index();
  const IndexExpr most = pool.scale(context.storage_bytes(result.type()), 4);
  IndexExpr sum = pool.constant(0);
  for (const Value v : kernel.arguments()) {
    const IndexExpr bytes = context.storage_bytes(v.type());  // 0 of what is no buffer
    sum = pool.add(sum, v.type() == result.type() ? bytes : pool.min(bytes, most));
  }
  return sum;
}

}  // namespace

std::uint64_t stream_results(Module& module, RewriteGate& gate) {
  const TypePool& types = module.context().types();
  const std::int64_t cache = machine_of(module, MachineKind::Cpu).cpu().l3_bytes;
  IndexPool& pool = module.context().index();
  std::uint64_t marked = 0;
  const auto launches = launches_by_kernel(module);
  for (const FuncRef& function : functions(module)) {
    const auto found = launches.find(function.op().id());
    if (found == launches.end()) continue;
    for (const Value argument : function.arguments()) {
      if (types.kind(argument.type()) != TypeKind::Buffer) continue;
      const IndexExpr bytes = bytes_around(module, function, argument);
      const auto known = pool.as_constant(bytes);
      if (bytes == pool.overflow() || (known && *known < cache)) continue;
      bool soon = false;
      for (const OpRef launch : found->second)
        soon = soon || is_read_soon(launch, underlying_buffer(launch.operand(argument.number())), cache);
      if (soon) continue;
      for (const OpRef store : streamable_stores(function.op(), argument)) {
        const auto streamed = StoreRef::from(store);
        if (streamed.streams() || !gate.may_rewrite("stream", store.location())) continue;
        streamed.set_stream(known ? std::nullopt : std::optional(pool.sub(bytes, pool.constant(cache))));
        ++marked;
      }
    }
  }
  return marked;
}

}  // namespace mlgc
