// write-out: a loop of few iterations becomes these, one after the other, with numbers for its index.
//
//     %s = for [0, 2] (%p, %t = %zero) { %v = load %x[%i + %p]; yield add(%t, %v) }
// becomes
//     %v = load %x[%i]; %t = add(%zero, %v); %v_1 = load %x[%i + 1]; %s = add(%t, %v_1)
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines: text has so many copies of an iteration at the most, as those of jam.
constexpr std::int64_t kMostCopies = 64;

// At the builder's place, with the index at a number above its first one and with what the iteration takes over; gives
// what it carries on.
std::vector<Value> write_iteration(Builder& builder, ForRef loop, std::int64_t number, std::vector<Value> carried) {
  IndexPool& pool = loop.op().module().context().index();
  ValueMap map;
  for (std::size_t i = 0; i < carried.size(); ++i) map.set(loop.carried(i), carried[i]);
  const IndexExpr at = pool.add(loop.first(), pool.constant(number));
  for (const OpRef op : loop.body().ops()) {
    if (op == loop.body().terminator()) continue;
    const OpRef made = clone(op, builder, map);
    walk(made, [&](OpRef inner) {
      bool reads = false;
      for (const Value v : inner.operands()) reads = reads || v == loop.index();
      if (reads) replace_in_subscripts(inner, loop.index(), at, loop.op());
      if (const ForRef own = ForRef::from(inner); own.valid() && number > 0 && !own.index().name().empty())
        own.index().set_name(fresh_name(loop.op(), std::string(own.index().name()) + "_" + std::to_string(number)));
    });
  }
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Value next = loop.body().terminator().operand(i), made = map.find(next);
    carried[i] = made.valid() ? made : next;
  }
  return carried;
}

}  // namespace

TransformResult write_out(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "write-out: no loop");
  if (of.kind() != LoopKind::Serial) return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "serial loops");
  IndexPool& pool = loop.module().context().index();
  const auto count = pool.as_constant(pool.sub(of.last(), of.first()));
  if (!count || *count < 0 || *count > kMostCopies)
    return refuse<kScheduleTripCount>(index_name(of), trip_count_text(count),
                                      "a constant of at most " + std::to_string(kMostCopies));
  for (const Use use : of.index().uses())
    if (!is_in_subscripts(use)) return refuse<kScheduleIndexUse>(use.owner().name(), index_name(of));
  TransformResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) == LoopRole::Runs) may = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "duplicated");
  });
  if (!may) return may;
  Builder builder(loop.module());
  builder.set_before(loop);
  std::vector<Value> carried = initial_values(of);
  for (std::int64_t number = 0; number < *count; ++number) carried = write_iteration(builder, of, number, carried);
  for (std::size_t i = 0; i < carried.size(); ++i) loop.result(i).replace_all_uses_with(carried[i]);
  loop.erase();
  return {};
}

}  // namespace mlgc
