// See running.h.
#include "schedule/running.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

Result<Running, Diagnostic> running_reduction(ForRef loop) {
  Running out;
  if (loop.carried_count() == 0) return refuse<kScheduleNotApplicable>(index_name(loop), "carry a reduction");
  std::unordered_set<ValueId> wanted, carried;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    auto step = running_step(loop, i);
    if (!step) return refuse<kScheduleNotAReduction>(i, index_name(loop), step.error());
    if (FmaRef::from(step->op).valid()) return refuse<kScheduleNotAReduction>(i, index_name(loop), "it is a product");
    out.terms.push_back(step->op.operand(step->op.operand(0) == loop.carried(i) ? 1 : 0));
    out.steps.push_back(std::move(*step));
    wanted.insert(out.terms.back().id());
    carried.insert(loop.carried(i).id());
  }
  std::vector<OpRef> body;
  for (const OpRef op : loop.body().ops()) body.push_back(op);
  for (std::size_t k = body.size(); k-- > 0;) {
    const OpRef op = body[k];
    const bool computes =
        std::any_of(op.results().begin(), op.results().end(), [&](Value v) { return wanted.contains(v.id()); });
    if (!computes) continue;
    if (op.region_count() > 0 || !only_computes(op))
      return refuse<kScheduleUnsupportedOp>(index_name(loop), op.name(), "run before the pieces do");
    out.computes.push_back(op);
    for (const Value v : op.operands()) wanted.insert(v.id());
  }
  std::reverse(out.computes.begin(), out.computes.end());
  for (const ValueId id : carried)
    if (wanted.contains(id)) return refuse<kScheduleNotApplicable>(index_name(loop), "reduce terms of its own");
  return out;
}

std::vector<Value> running_step_like(Builder& builder, ForRef loop, const Running& running,
                                     const std::vector<Value>& carried, ValueMap& map) {
  for (const OpRef op : running.computes) clone(op, builder, map);
  std::vector<Value> out;
  for (std::size_t i = 0; i < running.steps.size(); ++i) {
    const Value term = map.find(running.terms[i]);
    out.push_back(step_like(builder, loop, i, running.steps[i].op, carried[i], term.valid() ? term : running.terms[i]));
  }
  return out;
}

NumericsClass running_changes(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  NumericsClass widest = NumericsClass::Exact;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto step = running_step(of, i);
    if (!step || !is_float(of.carried(i).dtype())) continue;
    const bool rounds = step->fn == ScalarFn::Add || step->fn == ScalarFn::Mul;
    widest = std::max(widest, rounds ? NumericsClass::Reassociate : NumericsClass::SignedZero);
  }
  return widest;
}

}  // namespace mlgc::schedule
