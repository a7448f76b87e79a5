// unroll-and-jam: the iterations of a loop become copies in the loops inside of it, which run once for all of them.
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines: text has so many copies of an iteration at the most. Twice the registers of any
// CPU: more accumulators than that are in memory.
constexpr std::int64_t kMostCopies = 64;

bool writes(OpRef op) { return loop_role(op) == LoopRole::Stores || loop_role(op) == LoopRole::Runs; }

// What the copies of an iteration share is made once; everything else as often as there are copies.
class Jam {
 public:
  Jam(ForRef loop, std::size_t copies) : loop_(loop), maps_(copies), builder_(loop.op().module()) { find_varying(); }

  [[nodiscard]] TransformResult check() const {
    const std::string_view index = index_name(loop_);
    TransformResult may;
    OpRef last_loop;
    for (const OpRef op : loop_.body().ops())
      if (is_shared_loop(op)) last_loop = op;
    if (!last_loop.valid())
      return refuse<kScheduleInnerLoops>(index, "no loop with the same bounds in all iterations", "one");
    walk(loop_.op(), [&](OpRef op) {
      if (loop_role(op) == LoopRole::Runs) may = refuse<kScheduleUnsupportedOp>(index, op.name(), "duplicated");
    });
    for (const Use use : loop_.index().uses())
      if (!is_in_subscripts(use)) may = refuse<kScheduleIndexUse>(use.owner().name(), index);
    // A copy takes what the one before it carries on: only after the loops that they share is that known.
    std::unordered_set<OpId> behind;
    for (OpRef op = last_loop.next(); op.valid(); op = op.next()) behind.insert(op.id());
    for (std::size_t i = 0; i < loop_.carried_count(); ++i)
      for (const OpRef user : loop_.carried(i).users()) {
        OpRef at = user;
        while (at.parent() != loop_.body()) at = at.parent_op();
        if (!behind.contains(at.id())) may = refuse<kScheduleDependsOnCarried>("an inner loop", index);
      }
    return may;
  }

  void run() {
    const OpRef op = loop_.op();
    builder_.set_before(op);
    region(loop_.body(), true);
    for (std::size_t i = 0; i < loop_.carried_count(); ++i)
      op.result(i).replace_all_uses_with(copy_of(maps_.size() - 1, loop_.body().terminator().operand(i)));
    op.erase();
  }

 private:
  // Memory that is allocated inside is each copy's own, and so is what a loop carries whose copies differ.
  void find_varying() {
    std::vector<Value> own;
    walk(loop_.op(), [&](OpRef op) {
      if (loop_role(op) == LoopRole::Allocates) own.push_back(op.result());
    });
    for (bool grows = true; grows;) {
      varying_ = varying_values(loop_, own);
      grows = false;
      walk(loop_.op(), [&](OpRef op) {
        const ForRef inner = ForRef::from(op);
        if (!inner.valid() || op == loop_.op() || !varies(op)) return;
        for (const Value v : carried_values(inner)) {
          if (varying_.contains(v.id())) continue;
          own.push_back(v);
          grows = true;
        }
      });
    }
  }
  [[nodiscard]] bool varies(OpRef op) const {
    bool found = false;
    walk(op, [&](OpRef inner) {
      found = found || writes(inner);
      for (const Value v : inner.operands()) found = found || varying_.contains(v.id());
      for (const Value v : inner.results()) found = found || varying_.contains(v.id());
    });
    return found;
  }
  // A loop that differs between copies, but for its bounds.
  [[nodiscard]] bool is_shared_loop(OpRef op) const {
    const ForRef inner = ForRef::from(op);
    if (!inner.valid() || !varies(op)) return false;
    for (std::size_t i = 0; i + inner.carried_count() < op.operand_count(); ++i)
      if (varying_.contains(op.operand(i).id())) return false;
    return true;
  }

  [[nodiscard]] Value copy_of(std::size_t copy, Value v) const {
    const Value made = maps_[copy].find(v);
    return made.valid() ? made : v;
  }

  // Up to the next shared loop whole copies stand one after the other.
  void region(RegionRef from, bool outermost) {
    std::vector<OpRef> ops, own;
    for (const OpRef op : from.ops()) ops.push_back(op);
    const auto flush = [&] {
      for (std::size_t c = 0; c < maps_.size(); ++c) {
        if (outermost) carry_over(c);
        for (const OpRef op : own) make(op, c);
      }
      own.clear();
    };
    for (const OpRef op : ops) {
      if (op == from.terminator()) continue;
      if (!varies(op)) {
        const OpRef made = clone(op, builder_, maps_[0]);
        for (std::size_t c = 1; c < maps_.size(); ++c)
          for (std::size_t i = 0; i < op.result_count(); ++i) maps_[c].set(op.result(i), made.result(i));
      } else if (is_shared_loop(op)) {
        flush();
        share(ForRef::from(op));
        outermost ? builder_.set_before(loop_.op()) : builder_.set_end(made_in_);
      } else {
        own.push_back(op);
      }
    }
    flush();
  }

  // What the iteration before carries on, as far as it is made.
  void carry_over(std::size_t copy) {
    for (std::size_t i = 0; i < loop_.carried_count(); ++i)
      maps_[copy].set(loop_.carried(i),
                      copy == 0 ? loop_.initial(i) : copy_of(copy - 1, loop_.body().terminator().operand(i)));
  }

  void make(OpRef op, std::size_t copy) {
    const OpRef made = clone(op, builder_, maps_[copy]);
    const IndexExpr at = pool().add(loop_.first(), pool().constant(static_cast<std::int64_t>(copy)));
    walk(made, [&](OpRef inner) {
      bool reads = false;
      for (const Value v : inner.operands()) reads = reads || v == loop_.index();
      if (reads) replace_in_subscripts(inner, loop_.index(), at, loop_.op());
      if (const ForRef own = ForRef::from(inner); own.valid() && copy > 0 && !own.index().name().empty())
        own.index().set_name(fresh_name(loop_.op(), std::string(own.index().name()) + "_" + std::to_string(copy)));
    });
  }

  // One loop that carries what those of all copies carry, copy by copy.
  void share(ForRef inner) {
    const OpRef op = inner.op();
    const std::size_t carried = inner.carried_count(), bounds = op.operand_count() - carried;
    std::vector<Value> operands;
    std::vector<Type> types;
    for (std::size_t i = 0; i < bounds; ++i) operands.push_back(copy_of(0, op.operand(i)));
    for (std::size_t c = 0; c < maps_.size(); ++c)
      for (std::size_t i = 0; i < carried; ++i) {
        operands.push_back(copy_of(c, inner.initial(i)));
        types.push_back(operands.back().type());
      }
    builder_.set_location(op.location());
    const OpRef made = builder_.create(op.opcode(), operands, op.attrs(), types, 1);
    const RegionRef body = made.region(0);
    const Value index = body.add_argument(inner.index().type());
    index.set_name(std::string(inner.index().name()));
    for (std::size_t c = 0; c < maps_.size(); ++c) {
      maps_[c].set(inner.index(), index);
      for (std::size_t i = 0; i < carried; ++i) {
        const Value own = body.add_argument(types[i]);
        if (!inner.carried(i).name().empty()) own.set_name(std::string(inner.carried(i).name()));
        maps_[c].set(inner.carried(i), own);
        maps_[c].set(op.result(i), made.result(c * carried + i));
      }
    }
    if (const auto words = inner.combine(); !words.empty()) {
      std::vector<std::string_view> all;
      for (std::size_t c = 0; c < maps_.size(); ++c) all.insert(all.end(), words.begin(), words.end());
      ForRef::from(made).set_combine(all);
    }
    const RegionRef around = made_in_;
    made_in_ = body;
    builder_.set_end(body);
    region(inner.body(), false);
    std::vector<Value> next;
    for (std::size_t c = 0; c < maps_.size(); ++c)
      for (std::size_t i = 0; i < carried; ++i) next.push_back(copy_of(c, inner.body().terminator().operand(i)));
    builder_.create(op.module().context().opcode(LoopOp::Yield), next, {}, {});
    made_in_ = around;
  }

  IndexPool& pool() { return loop_.op().module().context().index(); }

  ForRef loop_;
  std::vector<ValueMap> maps_;  // of each copy
  Builder builder_;
  RegionRef made_in_;  // of the shared loop that is being made
  std::unordered_set<ValueId> varying_;
};

}  // namespace

TransformResult jam(OpRef loop, std::int64_t factor, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "unroll-and-jam: no loop");
  if (factor < 0 || factor > kMostCopies)
    return refuse<kScheduleParameter>("the factor", factor, "from 0 to " + std::to_string(kMostCopies));
  if (of.kind() == LoopKind::Vector)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "loops without lanes");
  IndexPool& pool = loop.module().context().index();
  auto count = pool.as_constant(pool.sub(of.last(), of.first()));
  if (factor == 0 && (!count || *count < 1 || *count > kMostCopies))
    return refuse<kScheduleTripCount>(index_name(of), trip_count_text(count),
                                      "a constant from 1 to " + std::to_string(kMostCopies));
  const auto copies = static_cast<std::size_t>(factor == 0 ? *count : factor);
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  if (auto may = Jam(of, copies).check(); !may) return may;
  if (count != static_cast<std::int64_t>(copies))
    if (auto tiled = tile(loop, factor, Tail::Loop, facts); !tiled) return tiled;
  Jam(ForRef::from(loop), copies).run();
  return {};
}

}  // namespace mlgc
