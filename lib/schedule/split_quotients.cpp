// split_quotients: a loop whose index is divided in subscripts becomes two, so that these name indices alone.
#include <optional>
#include <vector>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// How many operands stand in front of the brackets; nothing for ops that stay as they are.
std::optional<std::size_t> operands_before_brackets(OpRef op) {
  if (op.is(LoopOp::Store)) return 2;
  if (op.is(LoopOp::Load)) return 1;
  return op.is(LoopOp::Guard) || op.is(LoopOp::Apply) ? std::optional<std::size_t>(0) : std::nullopt;
}

bool is_quotient_of(const IndexPool& pool, AtomId id, IndexExpr index, std::int64_t size) {
  const Atom& atom = pool.atom(id);
  return (atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod) && atom.a == index &&
         pool.as_constant(atom.b) == size;
}

}  // namespace

std::optional<std::int64_t> divisor_in_subscripts(OpRef loop) {
  IndexPool& pool = loop.module().context().index();
  const ForRef of = ForRef::from(loop);
  const IndexExpr index = of_value(of.index());
  const std::int64_t count = pool.as_constant(pool.sub(of.last(), of.first())).value_or(0);
  std::optional<std::int64_t> found;
  walk(loop, [&](OpRef op) {
    if (!operands_before_brackets(op)) return;
    for (const IndexExpr e : subscripts_of(op))
      pool.for_each_atom(over_values(op, e), [&](AtomId id) {
        const auto size = pool.as_constant(pool.atom(id).kind < AtomKind::FloorDiv ? IndexExpr() : pool.atom(id).b);
        if (size && is_quotient_of(pool, id, index, *size) && *size > found.value_or(1) && *size < count &&
            count % *size == 0)
          found = size;
      });
  });
  return found;
}

TransformResult split_quotients(OpRef loop, std::int64_t size, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "split_quotients: no loop");
  IndexPool& pool = loop.module().context().index();
  const auto first = pool.as_constant(of.first()), last = pool.as_constant(of.last());
  if (size < 2) return refuse<kScheduleParameter>("the divisor", size, "2 or more");
  if (first != 0) return refuse<kScheduleBounds>(index_name(of), "the loop does not start at 0");
  if (!last || *last % size != 0 || *last <= size)
    return refuse<kScheduleTripCount>(index_name(of), trip_count_text(last),
                                      "a constant multiple of " + std::to_string(size) + " that is larger");
  // The new loop counts from 0, so that its bounds are numbers, where all that reads the index can be told so.
  bool counts = true;
  for (const Use use : of.index().uses())
    counts = counts && operands_before_brackets(use.owner()) && is_in_subscripts(use);
  if (TransformResult tiled = tile(loop, size, Tail::Min, facts); !tiled) return tiled;
  const IndexExpr index = of_value(of.index()), quotient = of_value(ForRef::from(loop.parent_op()).index());
  const IndexExpr whole = pool.scale(quotient, size);
  walk(loop, [&](OpRef op) {
    const auto before = operands_before_brackets(op);
    if (!before) return;
    std::vector<IndexExpr> expressions;
    bool changed = false;
    for (const IndexExpr e : subscripts_of(op)) {
      const IndexExpr old = over_values(op, e);
      expressions.push_back(pool.substitute(old, [&](AtomId id) -> std::optional<IndexExpr> {
        if (counts && pool.from_atom(id) == index) return pool.add(whole, index);
        if (!is_quotient_of(pool, id, index, size)) return std::nullopt;
        return pool.atom(id).kind == AtomKind::FloorDiv ? quotient : counts ? index : pool.sub(index, whole);
      }));
      changed = changed || expressions.back() != old;
    }
    if (!changed) return;
    std::vector<Value> operands;
    for (std::size_t i = 0; i < *before; ++i) operands.push_back(op.operand(i));
    const Attribute subscripts = brackets(op.module(), operands, expressions);
    const AttributePool& attributes = op.module().context().attributes();
    for (const NamedAttribute& entry : attributes.entries(op.attrs()))
      if (attributes.kind(entry.value) == AttributeKind::Subscripts) {
        op.set_attr(op.module().context().strings().text(entry.name), subscripts);
        break;
      }
    op.set_operands(operands);
  });
  if (counts) set_loop(loop, pool.constant(0), pool.constant(size), initial_values(of));
  return {};
}

}  // namespace mlgc
