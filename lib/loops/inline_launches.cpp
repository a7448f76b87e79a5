// See inline_launches.h.
#include "loops/inline_launches.h"

#include <unordered_map>
#include <vector>

#include "analysis/substitute_symbols.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "ops/infer_structural.h"

namespace mlgc {
namespace {

// Of a function: how many ops it has, and whether the host runs it.
struct Measure {
  std::int64_t ops = 0;
  bool of_host = false;
};

Measure measure(OpRef func) {
  Measure found;
  walk(func, [&](OpRef op) {
    ++found.ops;
    found.of_host = found.of_host || op.is(LoopOp::Launch) || op.is(LoopOp::Data) || op.is(LoopOp::BindSize);
  });
  return found;
}

// What the launch says that the function's sizes are.
SymbolSubstitution sizes_of(OpRef launch, OpRef callee) {
  Context& context = launch.module().context();
  const CalleeSizes sizes = CalleeSizes::of_launch(launch);
  SymbolSubstitution found(context);
  for (const AtomId symbol : symbols_of(callee)) found.set(symbol, sizes.in_caller(context.index().from_atom(symbol)));
  return found;
}

// A copied op in the words of the caller. False: the caller has no use for it.
bool adapt(OpRef op) {
  Context& context = op.module().context();
  if (op.is(LoopOp::BindSize)) return false;  // the launch said what the size is
  if (op.is(LoopOp::Alloc) && op.operand_count() == 1) op.set_operands({});
  if (op.is(LoopOp::BufferView)) {
    TypePool& types = context.types();
    const Type type = op.result().type();
    // An argument is any buffer of the caller.
    op.result().set_type(
        types.buffer(types.dtype(type), types.dims(type), types.scope(op.operand(0).type()), types.layout(type)));
  }
  return true;
}

void inline_launch(Module& module, OpRef launch, OpRef callee) {
  SymbolSubstitution sizes = sizes_of(launch, callee);
  ValueMap map;
  for (std::size_t i = 0; i < launch.operand_count(); ++i) map.set(callee.region(0).argument(i), launch.operand(i));
  const OpRef before = launch.previous();
  const RegionRef region = launch.parent();
  Builder builder(module, region);
  builder.set_before(launch);
  clone_ops(callee.region(0), builder, map, true);
  std::vector<OpRef> gone;
  LocationTable& locations = module.context().locations();
  for (OpRef op = before.valid() ? before.next() : region.front(); op != launch; op = op.next()) {
    sizes.apply(op);
    walk(op, [&](OpRef inner) {
      inner.set_location(locations.call_site(inner.location(), launch.location()));
      if (!adapt(inner)) gone.push_back(inner);
    });
  }
  for (const OpRef op : gone) op.erase();
  launch.erase();
}

}  // namespace

std::size_t inline_launches(Module& module, const InlineLaunches& options) {
  std::unordered_map<OpId, Measure> known;
  std::int64_t copied = 0;
  std::size_t count = 0;
  for (const FuncRef func : functions(module)) {
    if (!is_loop_function(func.op())) continue;
    std::vector<OpRef> launches;
    walk(func.op(), [&](OpRef op) {
      if (op.is(LoopOp::Launch)) launches.push_back(op);
    });
    for (const OpRef launch : launches) {
      const OpRef callee = LaunchRef::from(launch).callee();
      const Measure& size = known.at(callee.id());  // it stands before
      if (!size.of_host || copied + size.ops > options.max_ops || (options.may && !options.may(launch))) continue;
      copied += size.ops;
      inline_launch(module, launch, callee);
      ++count;
    }
    known[func.op().id()] = measure(func.op());
  }
  return count;
}

}  // namespace mlgc
