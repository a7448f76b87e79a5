#include "codegen/emitter/early_tests.h"

#include <algorithm>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

bool is_access(OpRef op) { return op.is(LoopOp::Load) || op.is(LoopOp::Store); }

Value accessed_buffer(OpRef access) {
  return access.is(LoopOp::Load) ? LoadRef::from(access).buffer() : StoreRef::from(access).buffer();
}

bool is_checked(OpRef op) { return is_access(op) && AccessRef::from(op).checked(); }

bool is_made_in_loop(Value v, ForRef loop) {
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  return home == loop.op() || home.is_inside(loop.op());
}

// The scalars among the operands that subscripts take.
std::vector<Value> places_of(OpRef access) {
  std::vector<Value> out;
  for (std::size_t i = access.is(LoopOp::Load) ? 1 : 2; i < access.operand_count(); ++i)
    out.push_back(access.operand(i));
  return out;
}

}  // namespace

std::vector<std::size_t> EarlyTests::axes_to_test(OpRef access, Value buffer) {
  const std::span<const IndexExpr> subscripts = subscripts_of(access);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  LoopAccess shown(context_, writer_.facts.of(access));
  shown.enter_around(access);
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const IndexExpr place = shown.over_loops(access, subscripts[d]);
    if (!shown.is_known(place) || !shown.is_known(index_.sub(index_.sub(dims[d], index_.constant(1)), place)))
      out.push_back(d);
  }
  return out;
}

// A load of memory that the loop does not write.
bool EarlyTests::is_in_memory(OpRef load, ForRef loop) {
  const Value buffer = LoadRef::from(load).buffer();
  if (types_.scope(buffer.type()) == Scope::Register || is_made_in_loop(buffer, loop) || own_.contains(buffer))
    return false;
  return walk(loop.op(), [&](OpRef op) {
    const Value stored = stored_buffer(op);
    return stored.valid() && underlying_buffer(stored) == underlying_buffer(buffer) ? WalkResult::Stop
                                                                                    : WalkResult::Continue;
  });
}

// An op of the body that gives the same value wherever in the iteration it is computed.
bool EarlyTests::is_repeatable(OpRef op, ForRef loop) {
  if (op.parent() != loop.body() || op.region_count() > 0) return false;
  return op.is(LoopOp::Load) ? is_in_memory(op, loop) : op.pure() && !op.is(LoopOp::Alloc);
}

bool EarlyTests::is_same(Value v, ForRef loop) {
  if (!is_made_in_loop(v, loop)) return true;
  if (v.is_argument() || !is_repeatable(v.definer(), loop)) return false;
  const auto operands = v.definer().operands();
  return std::all_of(operands.begin(), operands.end(), [&](Value of) { return is_same(of, loop); });
}

bool EarlyTests::is_tested_once(OpRef access, ForRef loop) {
  const std::span<const IndexExpr> subscripts = subscripts_of(access);
  for (const std::size_t d : axes_to_test(access, accessed_buffer(access))) {
    bool same = true;
    index_.for_each_atom(over_values(access, resolved(access, subscripts[d])), [&](AtomId id) {
      const Atom atom = index_.atom(id);
      same = same && (atom.kind != AtomKind::Opaque || is_same(Value(&access.module(), ValueId(atom.number)), loop));
    });
    if (!same) return false;
  }
  return true;
}

std::vector<OpRef> EarlyTests::same_in_all(ForRef loop) {
  std::unordered_set<OpId> needed;
  for (const OpRef access : loop.body().ops())
    if (is_access(access))
      for (const Value v : places_of(access))
        if (is_made_in_loop(v, loop) && is_same(v, loop)) (void)collect(v.definer(), loop, needed);
  std::vector<OpRef> out;
  for (const OpRef op : loop.body().ops())
    if (needed.contains(op.id())) out.push_back(op);
  return out;
}

std::vector<OpRef> EarlyTests::tested_once(ForRef loop) {
  std::vector<OpRef> out;
  for (const OpRef op : loop.body().ops())
    if (is_checked(op) && is_tested_once(op, loop)) out.push_back(op);
  return out;
}

std::vector<OpRef> EarlyTests::testable(ForRef loop) {
  std::vector<OpRef> out;
  for (const OpRef op : loop.body().ops()) {
    if (!is_checked(op) || is_tested(op) || is_tested_once(op, loop)) continue;
    std::unordered_set<OpId> needed;
    const std::vector<Value> places = places_of(op);
    if (std::all_of(places.begin(), places.end(), [&](Value v) {
          return !is_made_in_loop(v, loop) || v == loop.index() ||
                 (!v.is_argument() && collect(v.definer(), loop, needed));
        }))
      out.push_back(op);
  }
  return out;
}

// Adds what the op is computed from. False: something of it cannot be computed before the iteration.
bool EarlyTests::collect(OpRef op, ForRef loop, std::unordered_set<OpId>& needed) {
  if (!is_repeatable(op, loop)) return false;
  if (!needed.insert(op.id()).second) return true;
  const auto operands = op.operands();
  return std::all_of(operands.begin(), operands.end(), [&](Value v) {
    return !is_made_in_loop(v, loop) || v == loop.index() || (!v.is_argument() && collect(v.definer(), loop, needed));
  });
}

std::vector<OpRef> EarlyTests::computed_for(std::span<const OpRef> accesses, ForRef loop) {
  std::unordered_set<OpId> needed;
  for (const OpRef access : accesses)
    for (const Value v : places_of(access))
      if (is_made_in_loop(v, loop) && !v.is_argument()) (void)collect(v.definer(), loop, needed);
  std::vector<OpRef> out;
  for (const OpRef op : loop.body().ops())
    if (needed.contains(op.id())) out.push_back(op);
  return out;
}

void EarlyTests::add(std::unordered_set<OpId>& to, std::span<const OpRef> ops) {
  for (const OpRef op : ops) to.insert(op.id());
}

void EarlyTests::forget(std::span<const OpRef> ops) {
  for (const OpRef op : ops) {
    computed_.erase(op.id());
    tested_.erase(op.id());
  }
}

}  // namespace mlgc::codegen
