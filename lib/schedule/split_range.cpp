// split_range: a loop becomes several one after the other, in each of which guards and bounds come out alike.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "schedule/decide_in_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/range_breaks.h"

namespace mlgc {

using namespace schedule;

namespace {

struct Range {
  IndexExpr first, last;
  IndexExpr from;  // the break at which it begins
};

class RangeSplit {
 public:
  RangeSplit(ForRef loop, const Facts& facts)
      : loop_(loop),
        module_(loop.op().module()),
        pool_(module_.context().index()),
        facts_(facts),
        around_(module_.context(), facts) {
    around_.enter_around(loop.op());
  }

  // The ranges of the pieces: the first one ends at the first break, and each other one begins where those before it
  // have ended. An iteration is in the first piece whose break it does not reach, so the pieces are a partition, in
  // order, whatever the order of the breaks; those that are known to be empty are left out.
  std::vector<Range> ranges(const std::vector<IndexExpr>& breaks) {
    const IndexExpr first = over_values(loop_.op(), loop_.first()), last = over_values(loop_.op(), loop_.last());
    std::vector<IndexExpr> inner;
    for (const IndexExpr at : breaks) {
      if (in_order(at, first) || in_order(last, at)) continue;
      const auto behind = std::find_if(inner.begin(), inner.end(), [&](IndexExpr e) { return in_order(at, e); });
      if (behind == inner.end() || *behind != at) inner.insert(behind, at);
    }
    std::vector<Range> out;
    IndexExpr begin = first, from = first;
    for (const IndexExpr at : inner) {
      out.push_back({begin, in_order(at, last) ? at : pool_.min(at, last), from});
      begin = in_order(begin, at) ? at : pool_.max(begin, at);
      from = at;
    }
    out.push_back({begin, last, from});
    std::erase_if(out, [&](const Range& r) { return pool_.as_constant(pool_.sub(r.last, r.first)).value_or(1) <= 0; });
    return out;
  }

  // Breaks at which nothing changes are left out, and pieces made anew without them.
  [[nodiscard]] TransformResult split(std::vector<IndexExpr> breaks, const PieceLimits& most) {
    for (bool again = true; again;) {
      const std::vector<Range> all = ranges(breaks);
      if (all.size() > kMostPieces) return refuse<kScheduleLimit>(all.size(), "loops", kMostPieces);
      make_pieces(all);
      again = false;
      for (std::size_t i = 1; i < pieces_.size(); ++i)
        if (is_alike(pieces_[i - 1], pieces_[i])) again = std::erase(breaks, all[i].from) > 0 || again;
      if (again) erase_pieces();
    }
    if (pieces_.size() > most.pieces) return undone(refuse<kScheduleLimit>(pieces_.size(), "loops", most.pieces));
    std::size_t ops = 0;
    for (const OpRef piece : pieces_) walk(piece, [&](OpRef) { ++ops; });
    if (ops > most.ops) return undone(refuse<kScheduleLimit>(ops, "ops", most.ops));
    if (loop_.kind() == LoopKind::Unrolled)
      for (const OpRef piece : pieces_)
        if (!extent_of(piece))
          return undone(refuse<kScheduleTripCount>(index_name(loop_), "not a constant in a part of the range",
                                                   "a constant, since the loop is unrolled"));
    if (pieces_.size() < 2) return undone(refuse_alike());
    if (most.drops_loops && loops_in(pieces_.back()) >= loops_in(loop_.op()))
      return undone(refuse<kScheduleNothingToDo>("split", "the last iterations run all inner loops"));
    const OpRef old = loop_.op();
    const std::vector<Value> results =
        carried_count() > 0 ? std::vector<Value>(pieces_.back().results().begin(), pieces_.back().results().end())
                            : std::vector<Value>();
    const std::vector<Value> was(old.results().begin(), old.results().end());
    for (std::size_t i = 0; i < was.size(); ++i) was[i].replace_all_uses_with(results[i]);
    old.detach();
    TransformResult may = check_pieces();
    if (may) {
      old.erase();
      name_pieces();
      return {};
    }
    old.move_after(pieces_.back());
    for (std::size_t i = 0; i < was.size(); ++i) results[i].replace_all_uses_with(was[i]);
    return undone(std::move(may));
  }

  static Failure<Diagnostic> refuse_alike() {
    return refuse<kScheduleNothingToDo>("split", "no guard and no bound changes its outcome over the range");
  }

 private:
  [[nodiscard]] bool in_order(IndexExpr a, IndexExpr b) {
    return a == b || around_.is_known(around_.over_loops(module_, pool_.sub(b, a)));
  }
  [[nodiscard]] std::size_t carried_count() const { return loop_.carried_count(); }

  void make_pieces(const std::vector<Range>& ranges) {
    std::vector<Value> carried = initial_values(loop_);
    for (const Range& range : ranges) {
      Builder builder(module_);
      builder.set_location(loop_.op().location());
      builder.set_before(loop_.op());
      ValueMap map;
      const OpRef piece = clone(loop_.op(), builder, map);
      set_loop(piece, range.first, range.last, carried);
      decide_in_loop(ForRef::from(piece), facts_);
      carried.assign(piece.results().begin(), piece.results().end());
      pieces_.push_back(piece);
    }
  }

  // The same but for the range and what they start from.
  [[nodiscard]] bool is_alike(OpRef a, OpRef b) {
    const ForRef one = ForRef::from(a), other = ForRef::from(b);
    const IndexExpr first = over_values(b, other.first()), last = over_values(b, other.last());
    const std::vector<Value> initial = initial_values(other);
    set_loop(b, over_values(a, one.first()), over_values(a, one.last()), initial_values(one));
    const bool alike = same_structure(a, b);
    set_loop(b, first, last, initial);
    return alike;
  }
  [[nodiscard]] std::optional<std::int64_t> extent_of(OpRef piece) {
    const ForRef of = ForRef::from(piece);
    return pool_.as_constant(pool_.sub(of.last(), of.first()));
  }

  // What the verifier will ask: whether accesses stay inside without the guards that are gone, and whether iterations
  // of parallel loops are independent.
  [[nodiscard]] TransformResult check_pieces() {
    TransformResult may;
    for (const OpRef piece : pieces_) {
      LoopAccess walk(module_.context(), facts_);
      walk.enter_around(piece);
      check(piece, walk, may);
    }
    for (OpRef at = loop_.op(); may && at.valid(); at = at.parent_op()) {
      // The loop itself is gone: its pieces were looked at.
      if (at == loop_.op()) at = pieces_.front().parent_op();
      if (const ForRef of = ForRef::from(at); of.valid()) conflict(of, may);
    }
    return may;
  }
  void conflict(ForRef of, TransformResult& may) {
    if (of.kind() != LoopKind::Parallel && of.kind() != LoopKind::Vector) return;
    if (const auto found = find_conflict(of, facts_)) may = refuse(of, *found);
  }
  void check(OpRef op, LoopAccess& walk, TransformResult& may) {
    if (const AccessRef access = AccessRef::from(op); access.valid() && !access.checked())
      if (const AccessVerdict verdict = walk.place(op); verdict.place != AccessVerdict::Place::Inside)
        may = refuse<kScheduleInBoundsUnknown>(verdict.axis, access.buffer().name());
    if (const ForRef of = ForRef::from(op); of.valid()) conflict(of, may);
    for (const RegionRef region : op.regions()) {
      walk.enter(region);
      for (const OpRef inner : region.ops()) check(inner, walk, may);
      walk.leave();
    }
    walk.pass(op);
  }

  static std::size_t loops_in(OpRef piece) {
    std::size_t count = 0;
    walk(piece, [&](OpRef op) { count += ForRef::from(op).valid() ? 1 : 0; });
    return count;
  }

  TransformResult undone(TransformResult refused) {
    erase_pieces();
    return refused;
  }
  void erase_pieces() {
    for (std::size_t i = pieces_.size(); i-- > 0;) pieces_[i].erase();
    pieces_.clear();
  }

  void name_pieces() {
    for (std::size_t i = 1; i < pieces_.size(); ++i)
      walk(pieces_[i], [&](OpRef op) {
        const ForRef of = ForRef::from(op);
        if (!of.valid() || of.index().name().empty()) return;
        const std::string name = std::string(of.index().name()) + "_" + std::to_string(i + 1);
        of.index().set_name(fresh_name(op, name));
      });
  }

  ForRef loop_;
  Module& module_;
  IndexPool& pool_;
  const Facts& facts_;
  LoopAccess around_;
  std::vector<OpRef> pieces_;
};

}  // namespace

TransformResult split_range(OpRef loop, const PieceLimits& most, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "split_range: no loop");
  if (auto may = expect_no_combined_lanes(of); !may) return may;
  TransformResult plain;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Launch) || op.is(LoopOp::External) || op.is(LoopOp::BindSize))
      plain = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "duplicated");
  });
  if (!plain) return plain;
  const std::vector<IndexExpr> breaks = range_breaks(of, kMostPieces, most.drops_loops);
  if (!most.drops_loops) return RangeSplit(of, facts).split(breaks, most);
  TransformResult done = RangeSplit::refuse_alike();
  for (const IndexExpr at : breaks)
    if (done = RangeSplit(of, facts).split({at}, most); done) break;
  return done;
}

}  // namespace mlgc
