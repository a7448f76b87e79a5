// merge-reductions: two loops side by side that reduce the same elements become one, which reads them once.
//
//     %a = for (%i, %b) { %v = load %x[%i]; yield minimum(%v, %b) }
//     %c = for (%j, %d) { %w = load %x[%j]; yield maximum(%w, %d) }
// becomes
//     %a, %c = for (%i, %b, %d) { %v = load %x[%i]; yield minimum(%v, %b), maximum(%v, %d) }
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/in_place.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class MergeReductions {
 public:
  MergeReductions(OpRef first, OpRef second)
      : module_(first.module()), first_(ForRef::from(first)), second_(ForRef::from(second)) {}

  TransformResult check() {
    for (const ForRef loop : {first_, second_})
      if (auto may = only_reduces(loop); !may) return may;
    const OpRef a = first_.op(), b = second_.op();
    if (over_values(a, first_.first()) != over_values(b, second_.first()) ||
        over_values(a, first_.last()) != over_values(b, second_.last()))
      return refuse<kScheduleNotApplicable>(index_name(second_), "run as often as `%" + name_of(first_) + "`");
    if (!reads_same()) return refuse<kScheduleNothingToDo>("merge", "the two loops read no element in common");
    return moves_up();
  }

  void run() {
    const OpRef a = first_.op(), b = second_.op();
    for (const OpRef literal : literals_) literal.move_before(a);
    Builder builder(module_);
    builder.set_before(a);
    builder.set_location(a.location());
    std::vector<Value> initial = initial_values(first_);
    const std::vector<Value> more = initial_values(second_);
    initial.insert(initial.end(), more.begin(), more.end());
    const OpRef made = new_loop(builder, over_values(a, first_.first()), over_values(a, first_.last()),
                                std::string(first_.index().name()), initial);
    const RegionRef body = made.region(0);
    ValueMap map;
    std::size_t number = 1;
    for (const ForRef loop : {first_, second_}) {
      map.set(loop.index(), body.argument(0));
      for (const Value carried : carried_values(loop)) map.set(carried, body.argument(number++));
    }
    builder.set_end(body);
    std::vector<Value> next;
    for (const ForRef loop : {first_, second_}) {
      for (const OpRef op : loop.body().ops())
        if (op != loop.body().terminator() && !computed(op, body, map)) (void)clone(op, builder, map);
      for (const Value v : loop.body().terminator().operands()) next.push_back(mapped_value(v, map));
    }
    builder.create(module_.context().opcode(LoopOp::Yield), next, {}, {});
    for (std::size_t i = 0; i < next.size(); ++i) {
      const bool is_first = i < a.result_count();
      (is_first ? a.result(i) : b.result(i - a.result_count())).replace_all_uses_with(made.result(i));
    }
    move_strategy(a, made);
    b.erase();
    a.erase();
  }

 private:
  static std::string name_of(ForRef loop) { return std::string(index_name(loop)); }
  static Value mapped_value(Value v, const ValueMap& map) {
    const Value to = map.find(v);
    return to.valid() ? to : v;
  }

  static TransformResult only_reduces(ForRef loop) {
    if (auto may = expect_serial(loop); !may) return may;
    if (loop.carried_count() == 0) return refuse<kScheduleNotApplicable>(index_name(loop), "carry a reduction");
    for (std::size_t i = 0; i < loop.carried_count(); ++i)
      if (const auto step = carried_step(loop, i); !step)
        return refuse<kScheduleNotAReduction>(i, index_name(loop), step.error());
    for (const OpRef op : loop.body().ops())
      if (op != loop.body().terminator() && (!only_computes(op) || op.region_count() > 0 ||
                                             (AccessRef::from(op).valid() && AccessRef::from(op).checked())))
        return refuse<kScheduleUnsupportedOp>(index_name(loop), op.name(), "moved in front of what comes before it");
    return {};
  }

  // Whether a load of one loop is of the element that one of the other is of.
  [[nodiscard]] bool reads_same() const {
    IndexPool& pool = module_.context().index();
    const AtomId own = *pool.as_atom(of_value(second_.index()));
    for (const OpRef load : second_.body().ops()) {
      if (!load.is(LoopOp::Load)) continue;
      std::vector<IndexExpr> at = subscripts_over_values(load);
      for (IndexExpr& e : at)
        e = pool.substitute(
            e, [&](AtomId id) { return id == own ? std::optional(of_value(first_.index())) : std::nullopt; });
      for (const OpRef other : first_.body().ops())
        if (other.is(LoopOp::Load) && LoadRef::from(other).buffer() == LoadRef::from(load).buffer() &&
            subscripts_over_values(other) == at)
          return true;
    }
    return false;
  }

  // The second loop may run where the first one does: it needs nothing that is computed in between but numbers, nothing
  // in between writes what it reads, and it does not end the program, which something in between may.
  TransformResult moves_up() {
    if (ProgramEnds().may_end(second_.op())) return refuse<kScheduleMayAbort>("a reduction");
    const auto stays = [&](const std::string& why) {
      return refuse<kScheduleReordersMemory>(index_name(second_), why);
    };
    std::vector<Value> read;
    for (const OpRef op : second_.body().ops())
      if (op.is(LoopOp::Load)) read.push_back(underlying_buffer(LoadRef::from(op).buffer()));
    std::vector<Value> needed(second_.op().operands().begin(), second_.op().operands().end());
    for (const OpRef op : second_.body().ops()) needed.insert(needed.end(), op.operands().begin(), op.operands().end());
    for (OpRef at = first_.op(); at != second_.op(); at = at.next()) {
      if (!at.valid()) return stays("it does not follow the other loop in its region");
      bool writes = false;
      walk(at, [&](OpRef op) {
        for_each_written(op, [&](Value v) { writes = writes || std::find(read.begin(), read.end(), v) != read.end(); });
      });
      if (writes) return stays("an element that it reads is written in front of it");
      const auto results = at.results();
      const bool wanted = std::any_of(results.begin(), results.end(), [&](Value v) {
        return std::find(needed.begin(), needed.end(), v) != needed.end();
      });
      if (wanted && !at.is(LoopOp::Literal))
        return refuse<kScheduleNotApplicable>(index_name(second_), "do without what is computed in front of it");
      if (wanted) literals_.push_back(at);
    }
    return {};
  }

  // The same op of the values that stand for its operands is there already: its results stand for those of the op.
  static bool computed(OpRef op, RegionRef body, ValueMap& map) {
    for (const OpRef made : body.ops()) {
      bool same = made.opcode() == op.opcode() && made.attrs() == op.attrs() && op.region_count() == 0 &&
                  made.operand_count() == op.operand_count() && made.result_count() == op.result_count();
      for (std::size_t i = 0; same && i < op.operand_count(); ++i)
        same = made.operand(i) == mapped_value(op.operand(i), map);
      for (std::size_t i = 0; same && i < op.result_count(); ++i) same = made.result(i).type() == op.result(i).type();
      if (!same) continue;
      for (std::size_t i = 0; i < op.result_count(); ++i) map.set(op.result(i), made.result(i));
      return true;
    }
    return false;
  }

  Module& module_;
  ForRef first_, second_;
  std::vector<OpRef> literals_;  // that the second loop needs, and that stand after the first one
};

}  // namespace

TransformResult merge_reductions(OpRef first, OpRef second) {
  MLGC_ASSERT(ForRef::from(first).valid() && ForRef::from(second).valid(), "merge-reductions: no loop");
  MergeReductions step(first, second);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
