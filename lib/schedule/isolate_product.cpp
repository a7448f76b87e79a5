// isolate-product: of a loop that carries on the result of a contraction in each iteration, the sums get a loop of
// their own in front, which carries nothing; the loop reads them from memory.
//
//     for (%j, %m) { %d = for (%k) …; %s = mul %d, …; store %s, %row[%j]; yield maximum(%s, %m) }
// becomes
//     for (%j) { %d = for (%k) …; %s = mul %d, …; store %s, %row[%j] }
//     for (%j_r, %m) { %s = load %row[%j_r]; yield maximum(%s, %m) }
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/in_place.h"
#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/step_taker.h"

namespace mlgc {

using namespace schedule;

namespace {

class IsolateProduct {
 public:
  explicit IsolateProduct(OpRef loop) : module_(loop.module()), loop_(loop), of_(ForRef::from(loop)) {}

  TransformResult check(const Facts& facts) {
    if (auto may = expect_plain(of_); !may) return may;
    const std::string name(index_name(of_));
    if (of_.carried_count() == 0) return refuse<kScheduleNothingToDo>("isolate", "the loop carries nothing");
    for (const OpRef op : of_.body().ops()) {
      if (loop_role(op) == LoopRole::Allocates)
        return refuse<kScheduleUnsupportedOp>(name, op.name(), "moved to a loop of its own");
      if (ForRef::from(op).valid()) {
        if (sum_.valid()) return refuse<kScheduleInnerLoops>(name, "more than one loop", "one, a contraction");
        sum_ = op;
      } else if (!loops_in_regions(op).empty()) {
        return refuse<kScheduleInnerLoops>(name, "a loop in a branch", "one loop, a contraction");
      }
    }
    if (!sum_.valid() || sum_.result_count() != 1 || !is_sum_of_products(ForRef::from(sum_)))
      return refuse<kScheduleNotApplicable>(name, "hold a contraction");
    if (ProgramEnds().may_end(loop_)) return refuse<kScheduleMayAbort>("the loop over `%" + name + "`");
    if (const auto conflict = find_conflict(of_, facts)) return refuse(of_, *conflict);
    follow_sum();
    for (const OpRef op : of_.body().ops())
      if (op.is(LoopOp::Store) && passes(StoreRef::from(op).value(), op)) return {};
    Value value = sum_.result();
    if (value.has_one_use() && (*value.users().begin()).is(GraphOp::Cast) &&
        (*value.users().begin()).parent() == of_.body())
      value = (*value.users().begin()).result();
    if (!passes(value, {})) return refuse<kScheduleDependsOnCarried>("the sum", name);
    IndexPool& pool = module_.context().index();
    const IndexExpr extent = pool.sub(over_values(loop_, of_.last()), over_values(loop_, of_.first()));
    const auto count = usual_extent(of_);
    if (!count && !is_plain_size(pool, extent)) return refuse<kScheduleTripCountNotASize>(name);
    size_ = count ? pool.constant(std::max<std::int64_t>(*count, 0)) : pool.max(extent, pool.constant(0));
    return {};
  }

  void run() {
    IndexPool& pool = module_.context().index();
    Builder builder(module_);
    builder.set_before(loop_);
    builder.set_location(sum_.location());
    const ForRef made = loop_like(builder, of_, "");
    if (of_.kind() == LoopKind::Parallel) made.set_kind(LoopKind::Parallel);
    const std::string name(of_.index().name()), fresh(made.index().name());
    made.index().set_name(name);
    of_.index().set_name(fresh_name(loop_, name + "_r"));
    Value memory;
    std::vector<IndexExpr> at;
    if (store_.valid()) {
      memory = StoreRef::from(store_).buffer();
      for (const IndexExpr e : subscripts_of(store_)) at.push_back(over_values(store_, e));
    } else {
      builder.set_before(made.op());
      const Type type = module_.context().types().buffer(passed_.dtype(), std::array{size_}, scope());
      memory = builder.create(LoopOp::Alloc, {}, {type}).result();
      memory.set_name("sums");
      at.push_back(pool.sub(of_value(of_.index()), over_values(loop_, of_.first())));
    }
    ValueMap map;
    map.set(of_.index(), made.index());
    builder.set_end(made.body());
    for (const OpRef op : slice_) clone(op, builder, map);
    std::vector<IndexExpr> to;
    for (const IndexExpr e : at) to.push_back(mapped(module_, e, map));
    const Value stored = map.find(passed_);
    store_of(builder, stored, memory, to);
    builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});

    builder.set_after(passed_.definer());
    const Value loaded = load_of(builder, memory, at);
    loaded.set_name(std::string(passed_.name()));
    passed_.replace_all_uses_with(loaded);
    if (store_.valid()) store_.erase();
    for (std::size_t i = slice_.size(); i-- > 0;)
      if (slice_[i].results_unused()) slice_[i].erase();
  }

 private:
  static std::vector<OpRef> loops_in_regions(OpRef op) {
    std::vector<OpRef> out;
    for (const RegionRef region : op.regions()) {
      const std::vector<OpRef> inner = loops_in(region);
      out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
  }
  [[nodiscard]] Scope scope() const {
    return ForRef::from(loop_.parent_op()).valid() || of_.kind() == LoopKind::Serial ? Scope::Thread : Scope::Arena;
  }
  // The ops of the body that the op, with all in it, reads results of; what it reads of other arguments than the index.
  void reads(OpRef op, std::vector<OpRef>& ops, bool& carried) const {
    walk(op, [&](OpRef inner) {
      for (const Value v : inner.operands()) {
        if (v.scope() != of_.body()) continue;
        if (v.is_result())
          ops.push_back(v.definer());
        else
          carried = carried || v != of_.index();
      }
    });
  }
  void follow_sum() {
    for (const OpRef op : of_.body().ops()) {
      std::vector<OpRef> from;
      bool carried = false;
      reads(op, from, carried);
      if (op == sum_ || std::any_of(from.begin(), from.end(), [&](OpRef f) { return follows_.contains(f.id()); }))
        follows_.insert(op.id());
    }
  }

  // What the value needs only computes, from other things than the loop carries or writes; whatever else follows from
  // the sum follows from the value. `store` is where it goes to memory.
  bool passes(Value value, OpRef store) {
    if (!value.is_result() || !follows_.contains(value.definer().id())) return false;
    std::unordered_set<OpId> needed;
    std::vector<OpRef> open{value.definer()};
    bool carried = false;
    while (!open.empty()) {
      const OpRef op = open.back();
      open.pop_back();
      if (needed.insert(op.id()).second) reads(op, open, carried);
    }
    if (store.valid()) {
      std::vector<OpRef> from;
      reads(store, from, carried);
      for (const OpRef op : from)
        if (op != value.definer()) return false;
    }
    if (carried) return false;
    std::vector<Value> written, read;
    bool plain = true;
    std::vector<OpRef> slice;
    for (const OpRef op : of_.body().ops()) {
      const bool is_needed = needed.contains(op.id());
      if (is_needed) slice.push_back(op);
      walk(op, [&](OpRef inner) {
        for_each_written(inner, [&](Value v) {
          written.push_back(v);
          plain = plain && !is_needed;
        });
        if (is_needed && loaded_buffer(inner).valid()) read.push_back(underlying_buffer(loaded_buffer(inner)));
      });
      if (is_needed || op == store) continue;
      std::vector<OpRef> from;
      bool ignored = false;
      reads(op, from, ignored);
      for (const OpRef f : from)
        plain = plain && (f == value.definer() || !needed.contains(f.id()) || !follows_.contains(f.id()));
    }
    for (const Value v : written) plain = plain && std::find(read.begin(), read.end(), v) == read.end();
    if (!plain || value.definer().result_count() != 1) return false;
    passed_ = value;
    store_ = store;
    slice_ = std::move(slice);
    return true;
  }

  Module& module_;
  OpRef loop_;
  ForRef of_;
  OpRef sum_, store_;
  Value passed_;
  IndexExpr size_;
  std::vector<OpRef> slice_;          // what it needs, in order
  std::unordered_set<OpId> follows_;  // ops of the body that depend on the sum
};

}  // namespace

TransformResult isolate_product(OpRef loop, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(loop).valid(), "isolate_product: no loop");
  IsolateProduct step(loop);
  if (auto may = step.check(facts); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
