// First everything that is read is marked, then one walk from the last op to the first removes the rest: readers go
// before what they read.
#include "transforms/prune_carried.h"

#include <vector>

#include "ir/walk.h"
#include "loopir/loop_ops.h"

namespace mlgc {

CarriedValues CarriedValues::of(OpRef op) {
  if (op.is(GraphOp::While)) return {op, op.operand_count(), 0, 0};
  if (op.is(GraphOp::Scan)) {
    const auto carried = op.module().context().attributes().as_int64(op.attr("carried"));
    return carried ? CarriedValues{op, static_cast<std::size_t>(*carried), 0, 0} : CarriedValues{};
  }
  const ForRef loop = ForRef::from(op);
  if (!loop.valid()) return {};
  return {op, loop.carried_count(), op.operand_count() - loop.carried_count(), 1};
}

namespace {

class Pruner {
 public:
  Pruner(Module& module, PassContext& context)
      : module_(module),
        context_(context),
        live_(module.op_id_bound()),
        read_(module.value_id_bound()),
        turns_(module.value_id_bound()) {}

  PruneReport run() {
    walk(module_, [&](OpRef op) {
      if (stays(op)) mark(op);
    });
    drain();
    ask();
    walk<WalkOrder::BackwardPost>(module_, [&](OpRef op) { remove(op); });
    return report_;
  }

 private:
  // An op that takes part in none of this: all its operands are needed when it is.
  [[nodiscard]] static bool is_plain(OpRef op) { return !op.is(GraphOp::If) && !CarriedValues::of(op).valid(); }

  // As in `dce`: failing is no reason to stay for an op that has results.
  [[nodiscard]] static bool stays(OpRef op) {
    if (op.has_trait(Traits::Symbol) || op.has_trait(Traits::BindsSize)) return true;
    if (has(op.own_effects(), Effects::Writes)) return true;
    if (op.has_trait(Traits::Terminator)) return op.parent_op().has_trait(Traits::TopLevelOnly);
    return op.result_count() == 0 && has(op.own_effects(), Effects::MayFail);
  }

  // --- marking
  void mark(OpRef op) {
    if (live_[op.id().index()]) return;
    live_[op.id().index()] = true;
    open_ops_.push_back(op);
  }
  void need(Value value) {
    if (read_[value.id().index()]) return;
    read_[value.id().index()] = true;
    open_values_.push_back(value);
  }

  void drain() {
    while (true) {
      if (!open_ops_.empty()) {
        const OpRef op = open_ops_.back();
        open_ops_.pop_back();
        reach(op);
      } else if (!open_values_.empty()) {
        const Value value = open_values_.back();
        open_values_.pop_back();
        reach(value);
      } else if (!scans_.empty()) {
        const OpRef scan = scans_.back();
        scans_.pop_back();
        keep_length(scan);
      } else {
        return;
      }
    }
  }

  void reach(OpRef op) {
    if (const OpRef around = op.parent_op(); around.valid()) mark(around);
    if (is_plain(op)) {
      for (const Value operand : op.operands()) need(operand);
      for (const RegionRef region : op.regions())
        if (const OpRef end = region.terminator(); end.valid()) mark(end);
      return;
    }
    if (op.is(GraphOp::If)) return need(op.operand(0));
    if (op.is(GraphOp::While)) return need(op.region(0).terminator().operand(0));
    const CarriedValues carried = CarriedValues::of(op);
    for (std::size_t i = 0; i < carried.first_operand; ++i) need(op.operand(i));  // values in the bounds of `for`
    if (op.is(GraphOp::Scan)) scans_.push_back(op);
  }

  void reach(Value value) {
    const OpRef op = value.is_result() ? value.definer() : value.argument_of().parent_op();
    mark(op);
    if (op.is(GraphOp::If)) {
      for (const RegionRef region : op.regions()) need(region.terminator().operand(value.number()));
      return;
    }
    const CarriedValues carried = CarriedValues::of(op);
    if (!carried.valid()) return;
    if (value.is_argument() && value.number() < carried.first_argument) return;  // the index of `for`
    const std::size_t i = value.number() - (value.is_argument() ? carried.first_argument : 0);
    if (i >= carried.count) {
      need(value.is_argument() ? op.operand(i) : op.region().terminator().operand(i));
      return;
    }
    if (turns_[op.result(i).id().index()]) return;
    turns_[op.result(i).id().index()] = true;
    need(carried.initial(i));
    for (const RegionRef region : op.regions()) need(carried.yielded(region, i));
  }

  // --- sequences of scan: their length counts even where their elements do not
  [[nodiscard]] static IndexExpr length(OpRef scan, std::size_t operand) { return scan.operand(operand).dims()[0]; }

  // A sequence of another length than the first one is checked against it when the scan runs.
  [[nodiscard]] bool sequence_stays(OpRef scan, std::size_t i) {
    const std::size_t first = CarriedValues::of(scan).count;
    return read_[scan.region().argument(i).id().index()] || length(scan, i) != length(scan, first);
  }

  // The first sequence that stays says how long the scan is, in the types of its results too.
  void keep_length(OpRef scan) {
    const std::size_t first = CarriedValues::of(scan).count;
    std::size_t kept = scan.operand_count();
    for (std::size_t i = scan.operand_count(); i-- > first;)
      if (sequence_stays(scan, i)) {
        kept = i;
        if (!read_[scan.region().argument(i).id().index()]) need(scan.operand(i));
      }
    if (kept == scan.operand_count() || length(scan, kept) != length(scan, first)) need(scan.region().argument(first));
  }

  // --- permission
  // Readers are asked about before what they read, so what may not go makes nothing stay that was to go already.
  void ask() {
    for (const OpRef item : module_.body().ops())
      for (const RegionRef region : item.regions())
        for (OpRef op = region.back(); op.valid(); op = op.previous())
          if (something_goes(op) && !context_.may_rewrite("remove-unread", op.location())) keep(op);
  }

  [[nodiscard]] bool something_goes(OpRef root) {
    return !walk(root, [&](OpRef op) {
      if (op.has_trait(Traits::Terminator)) return WalkResult::Continue;
      if (!is_live(op)) return WalkResult::Stop;
      if (is_plain(op)) return WalkResult::Continue;
      for (std::size_t i = 0; i < op.result_count(); ++i)
        if (!result_stays(op, i)) return WalkResult::Stop;
      if (op.is(GraphOp::Scan))
        for (std::size_t i = CarriedValues::of(op).count; i < op.operand_count(); ++i)
          if (!sequence_stays(op, i)) return WalkResult::Stop;
      return WalkResult::Continue;
    });
  }

  void keep(OpRef root) {
    walk(root, [&](OpRef op) {
      mark(op);
      for (const Value result : op.results()) need(result);
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments()) need(argument);
    });
    drain();
  }

  // --- removal
  [[nodiscard]] bool is_live(OpRef op) const { return op.id().index() >= live_.size() || live_[op.id().index()]; }

  void remove(OpRef op) {
    const OpRef around = op.parent_op();
    if (around.id() != module_.top().id() && !is_live(around)) return;  // goes with what is around it
    if (op.has_trait(Traits::Terminator)) {
      if (!is_plain(around)) shorten_terminator(op, around);
    } else if (!is_live(op)) {
      op.erase();
      ++report_.ops;
    } else if (op.id().index() < live_.size() && !is_plain(op)) {
      shorten(op);
    }
  }

  // Whether result i of an `if` or a loop stays.
  [[nodiscard]] bool result_stays(OpRef op, std::size_t i) const {
    return read_[op.result(i).id().index()] || turns_[op.result(i).id().index()];
  }

  void shorten_terminator(OpRef end, OpRef around) {
    const std::size_t skipped = CarriedValues::first_yielded(end.parent());
    std::vector<Value> kept;
    for (std::size_t i = 0; i < end.operand_count(); ++i)
      if (i < skipped || result_stays(around, i - skipped)) kept.push_back(end.operand(i));
    if (kept.size() != end.operand_count()) end.set_operands(kept);
  }

  void shorten(OpRef op) {
    const CarriedValues carried = CarriedValues::of(op);
    std::vector<Value> operands;
    std::vector<Type> types;
    std::vector<Value> results;
    std::size_t carries = 0;
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      if (!result_stays(op, i)) {
        ++(i < carried.count ? report_.carries : report_.results);
        continue;
      }
      if (i < carried.count) ++carries;
      types.push_back(op.result(i).type());
      results.push_back(op.result(i));
    }
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const std::size_t turn = i - carried.first_operand;
      const bool is_carried = carried.valid() && i >= carried.first_operand && turn < carried.count;
      const bool is_sequence = op.is(GraphOp::Scan) && !is_carried;
      if (is_carried ? result_stays(op, turn) : !is_sequence || sequence_stays(op, i))
        operands.push_back(op.operand(i));
      else if (is_sequence)
        ++report_.sequences;
    }
    if (types.size() == op.result_count() && operands.size() == op.operand_count()) return;
    if (carried.valid()) erase_arguments(carried);
    AttributePool& attributes = module_.context().attributes();
    AttrDict attrs = op.attrs();
    if (op.is(GraphOp::Scan))
      attrs = attributes.with(attrs, module_.context().strings().intern("carried"),
                              attributes.integer(static_cast<std::int64_t>(carries)));
    const OpRef shorter = module_.create(op.opcode(), operands, attrs, types, op.location());
    while (op.region_count() > 0) op.region().move_to(shorter);
    shorter.move_before(op);
    for (std::size_t i = 0; i < results.size(); ++i) results[i].replace_all_uses_with(shorter.result(i));
    op.erase();
  }

  void erase_arguments(const CarriedValues& carried) {
    const OpRef op = carried.loop;
    const bool scan = op.is(GraphOp::Scan);
    for (const RegionRef region : op.regions())
      for (std::size_t i = region.argument_count(); i-- > carried.first_argument;) {
        const std::size_t turn = i - carried.first_argument;
        const bool stays = turn < carried.count ? result_stays(op, turn) : !scan || sequence_stays(op, i);
        if (!stays) region.erase_argument(i);
      }
  }

  Module& module_;
  PassContext& context_;
  std::vector<bool> live_;   // by op
  std::vector<bool> read_;   // by value
  std::vector<bool> turns_;  // by result of a loop: the value goes round for somebody
  std::vector<OpRef> open_ops_, scans_;
  std::vector<Value> open_values_;
  PruneReport report_;
};

}  // namespace

PruneReport prune_carried(Module& module, PassContext& context) { return Pruner(module, context).run(); }

}  // namespace mlgc
