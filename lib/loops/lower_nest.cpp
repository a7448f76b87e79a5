// See expression_lowering.h: conditions, loops and branches.
#include <cstdint>
#include <string>
#include <utility>

#include "loopir/loop_ops.h"
#include "loops/expression_lowering.h"

namespace mlgc::loops {

Values ExpressionLowering::loop(AtomId label, IndexExpr from, IndexExpr to, bool parallel, const Values& initial,
                                const Body& body) {
  Values operands;
  const IndexExpr ends[] = {from, to};
  const Attribute bounds = brackets(ends, operands);
  const std::uint32_t number = index_.atom(label).number;
  // Index labels and tensors are named apart in formulas, values are not.
  std::string name = number < formula_.label_names.size() ? formula_.label_names[number]
                                                          : "i" + std::to_string(number - formula_.label_names.size());
  while (formula_.find(name)) name += "_";
  const ForRef made = ForRef::create(builder_, std::move(operands), bounds, initial, name);
  if (parallel) made.set_kind(LoopKind::Parallel);
  Values carried;
  for (std::size_t i = 0; i < made.carried_count(); ++i) carried.push_back(made.carried(i));
  labels_[label] = made.index();
  values_.emplace_back();
  builder_.set_end(made.body());
  const Values next = body(carried);
  builder_.create(context_.opcode(LoopOp::Yield), next, {}, {});
  values_.pop_back();
  labels_.erase(label);
  builder_.set_after(made.op());
  return Values(made.op().results().begin(), made.op().results().end());
}

Values ExpressionLowering::branch(Value condition, std::span<const Type> types, const std::function<Values()>& then,
                                  const std::function<Values()>& otherwise) {
  const Value operands[] = {condition};
  const OpRef op = builder_.create(context_.opcode(LoopOp::If), operands, {}, types, otherwise ? 2 : 1);
  const auto arm = [&](RegionRef region, const std::function<Values()>& body) {
    values_.emplace_back();
    builder_.set_end(region);
    const Values results = body();
    builder_.create(context_.opcode(LoopOp::Yield), results, {}, {});
    values_.pop_back();
  };
  arm(op.region(0), then);
  if (otherwise) arm(op.region(1), otherwise);
  builder_.set_after(op);
  return Values(op.results().begin(), op.results().end());
}

Values ExpressionLowering::branch(Value condition, const Values& otherwise, const std::function<Values()>& then) {
  std::vector<Type> types;
  for (const Value v : otherwise) types.push_back(v.type());
  if (otherwise.empty()) return branch(condition, types, then, {});
  return branch(condition, types, then, [&] { return otherwise; });
}

Values ExpressionLowering::loop(AtomId label, bool parallel, const Values& initial, const Body& body) {
  return loop(label, index_.constant(0), index_.atom(label).a, parallel, initial, body);
}

void ExpressionLowering::in_scope(const std::function<void()>& fill) {
  values_.emplace_back();
  fill();
  values_.pop_back();
}

void ExpressionLowering::with_labels(std::span<const AtomId> labels, AtomId like, const std::function<void()>& fill) {
  const Value index = labels_.at(like);
  std::vector<AtomId> bound;
  for (const AtomId label : labels)
    if (labels_.try_emplace(label, index).second) bound.push_back(label);
  fill();
  for (const AtomId label : bound) labels_.erase(label);
}

Value ExpressionLowering::emit_condition(std::span<const Conjunct> conjuncts) {
  // What cannot fail comes first, all tests of indices in one guard.
  std::vector<IndexExpr> indices;
  std::vector<Conjunct> plain, careful;
  for (const Conjunct& c : conjuncts) {
    if (c.is_index && guards_.speculatable(c.index))
      indices.push_back(c.index);
    else if (!c.is_index && guards_.speculatable(c.condition))
      plain.push_back(c);
    else
      careful.push_back(c);
  }
  Value all;
  if (!indices.empty()) all = guard(indices);
  for (const Conjunct& c : plain) {
    const Value next = emit(c.condition);
    all = all.valid() ? ops_.apply(ScalarFn::And, {all, next}, Dtype::I1) : next;
  }
  for (const Conjunct& c : careful) {
    const auto test = [&] {
      const IndexExpr index[] = {c.index};
      return Values{c.is_index ? guard(index) : emit(c.condition)};
    };
    if (!all.valid()) {
      all = test()[0];
      continue;
    }
    const Type types[] = {ops_.type(Dtype::I1)};
    all = branch(all, types, test, [&] { return Values{ops_.constant(Dtype::I1, 0, 0)}; })[0];
  }
  return all;
}

Values ExpressionLowering::guarded(std::span<const Conjunct> guards, const Values& carried,
                                   const std::function<Values()>& then) {
  if (guards.empty()) return then();
  const Value condition = emit_condition(guards);
  return branch(condition, carried, [&] {
    const auto holds = guards_.assume(GuardAnalysis::indices_of(guards));
    return then();
  });
}

Values ExpressionLowering::nest(std::span<const AtomId> labels, ExprId guard, bool parallel, const Values& initial,
                                const Body& body) {
  const Nest plan = guards_.plan_nest(labels, guard);
  return guarded(plan.outside, initial, [&] { return nest_level(plan, 0, parallel, initial, body); });
}

Values ExpressionLowering::nest_level(const Nest& plan, std::size_t level, bool parallel, const Values& carried,
                                      const Body& body) {
  if (level == plan.labels.size()) return body(carried);
  const Nest::Level& place = plan.levels[level];
  return loop(plan.labels[level], place.from, place.to, parallel, carried, [&](const Values& inner) {
    const auto holds = guards_.assume(place.known);
    return guarded(place.guards, inner, [&] { return nest_level(plan, level + 1, parallel, inner, body); });
  });
}

}  // namespace mlgc::loops
