// See rematerialize.h.
#include "rematerialize/rematerialize.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/backward_slice.h"
#include "ir/clone.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

class Copier {
 public:
  Copier(const ForwardPart& part, const Recomputed& recomputed)
      : part_(part), recomputed_(recomputed), module_(part.function.op().module()), builder_(module_) {
    for (const OpRef op : part.backward) backward_.insert(op.id());
  }

  std::size_t run() {
    // What a barrier waits for where the op that asks reads nothing of backward.
    Value last = part_.function.results().front();
    for (const OpRef op : part_.backward) {
      if (op.is(GraphOp::OptimizationBarrier)) continue;
      wait_for_ = computed_before(op, last);
      barriers_.clear();
      builder_.set_before(op);
      walk(op, [&](OpRef inner) {
        for (std::size_t i = 0; i < inner.operand_count(); ++i)
          if (is_recomputed(inner.operand(i))) inner.set_operand(i, copy_of(inner.operand(i)));
      });
      for (const Value result : op.results())
        if (is_tensor(result)) last = result;
    }
    return copied_;
  }

 private:
  [[nodiscard]] bool is_tensor(Value value) const { return module_.context().types().is_tensor(value.type()); }
  [[nodiscard]] bool is_recomputed(Value value) const {
    return value.is_result() && recomputed_.ops.contains(value.definer().id());
  }

  // A value of backward that the op needs anyway, the last one; else `otherwise`, which stands in front of it.
  [[nodiscard]] Value computed_before(OpRef op, Value otherwise) const {
    Value found;
    for (const Value value : values_read(op))
      if (value.is_result() && backward_.contains(value.definer().id()) && is_tensor(value) &&
          value.definer().operand_count() != 0)
        found = value;
    return found.valid() ? found : otherwise;
  }

  // Copies what the value is computed from, as far as it is not copied yet, operands first.
  Value copy_of(Value value) {
    std::vector<OpRef> open{value.definer()};
    while (!open.empty()) {
      const OpRef op = open.back();
      if (copies_.find(op.result()).valid()) {
        open.pop_back();
        continue;
      }
      bool ready = true;
      for (const Value operand : op.operands())
        if (is_recomputed(operand) && !copies_.find(operand).valid()) {
          open.push_back(operand.definer());
          ready = false;
        }
      if (!ready) continue;
      open.pop_back();
      copy(op);
    }
    return copies_.find(value);
  }

  // What only moves elements needs no barrier: merged with its original, it still costs nothing.
  void copy(OpRef op) {
    bool held = false;
    for (const Value operand : op.operands()) held = held || held_.contains(operand.id());
    const auto hold = held || kind_of(op) == RecomputeKind::Moves ? std::nullopt : operand_to_hold(op);
    const Value barrier = hold ? barrier_of(op.operand(*hold), op.location()) : Value();
    const OpRef made = clone(op, builder_, copies_);
    if (hold) made.set_operand(*hold, barrier);
    if (held || hold)
      for (const Value result : op.results()) held_.insert(result.id());
    ++copied_;
  }

  [[nodiscard]] RecomputeKind kind_of(OpRef op) const { return part_.ops[part_.number_of.at(op.id())].kind; }

  // Of an op that reads nothing through a barrier. Something that was computed, if there is such an operand.
  [[nodiscard]] std::optional<std::size_t> operand_to_hold(OpRef op) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      if (!is_tensor(op.operand(i))) continue;
      const bool given = op.operand(i).is_result() && op.operand(i).definer().operand_count() == 0;
      if (!given) return i;
      if (!found) found = i;
    }
    return found;
  }

  Value barrier_of(Value value, Location location) {
    Value& made = barriers_[value.id()];
    if (made.valid()) return made;
    const Value copy = copies_.find(value), read = copy.valid() ? copy : value;
    builder_.set_location(location);
    return made = builder_.create(GraphOp::OptimizationBarrier, {read, wait_for_}, {value.type()}).result();
  }

  const ForwardPart& part_;
  const Recomputed& recomputed_;
  Module& module_;
  Builder builder_;
  ValueMap copies_;
  std::unordered_set<ValueId> held_;  // of the originals: a barrier holds back their copies
  std::unordered_set<OpId> backward_;
  Value wait_for_;
  std::unordered_map<ValueId, Value> barriers_;  // of the op at hand
  std::size_t copied_ = 0;
};

}  // namespace

std::size_t rematerialize(const ForwardPart& part, const Recomputed& recomputed) {
  return Copier(part, recomputed).run();
}

}  // namespace mlgc
