// split-scan: pieces of a running reduction need not wait for each other. They are reduced first; from their results
// follows what comes before each piece, and then each piece runs from there.
//
//     for (%j, %c = a) { %n = op(%c, t[%j]); y[%j] = %n; yield %n }
// becomes
//     for (%j_o) { for (%j_s in piece %j_o, %s = neutral) { yield op(%s, t[%j_s]) }  reduced[%j_o] = … }
//     for (%j_p, %c = a) { before[%j_p] = %c; yield op(%c, reduced[%j_p]) }
//     for (%j_q) { for (%j in piece %j_q, %c = before[%j_q]) { as it was } }
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/around_loops.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/running.h"

namespace mlgc {

using namespace schedule;

namespace {

class SplitScan {
 public:
  SplitScan(OpRef loop, std::int64_t size, ScanPieces into, const Facts& facts)
      : of_(ForRef::from(loop)),
        facts_(facts),
        module_(loop.module()),
        context_(module_.context()),
        pool_(context_.index()),
        size_(size),
        into_(into),
        around_(loop) {}

  TransformResult check() {
    const OpRef loop = of_.op();
    if (size_ < 1) return refuse<kScheduleParameter>("the size of a piece", size_, "1 or more");
    if (auto may = expect_serial(of_); !may) return may;
    auto running = running_reduction(of_);
    if (!running) return refuse(running.error());
    running_ = std::move(*running);
    TransformResult may;
    walk(loop, [&](OpRef op) {
      if (loop_role(op) == LoopRole::Runs || loop_role(op) == LoopRole::Allocates)
        may = refuse<kScheduleUnsupportedOp>(index_name(of_), op.name(), "run in pieces");
    });
    if (!may) return may;
    if (const auto conflict = find_conflict(of_, facts_)) return refuse(of_, *conflict);
    const IndexExpr extent = pool_.sub(over_values(loop, of_.last()), over_values(loop, of_.first()));
    const auto most = usual_extent(of_);
    pieces_ = pool_.ceildiv(most ? pool_.constant(*most) : extent, pool_.constant(size_));
    if (!is_size(pool_, pieces_)) return refuse<kScheduleTripCountNotASize>(index_name(of_));
    if (into_ == ScanPieces::OfRow || around_.empty()) return {};
    return check_around();
  }

  void run() {
    const OpRef loop = of_.op();
    const bool apart = is_apart();
    Builder builder(module_);
    builder.set_location(loop.location());
    builder.set_before(apart ? around_.outermost() : loop);
    const std::vector<Value> reduced = allocate(builder, "reduced"), before = allocate(builder, "before");
    const std::string name(of_.index().name());

    // What each piece gives.
    Piece first = open_piece(builder, name + "_o", apart ? "_o" : "");
    std::vector<Value> neutral;
    for (std::size_t i = 0; i < running_.steps.size(); ++i)
      neutral.push_back(neutral_literal(builder, running_.steps[i].fn, of_.carried(i).dtype()));
    const auto [begin, end] = bounds_of(first);
    const OpRef sum = new_loop(builder, begin, end, fresh_name(loop, name + "_s"), neutral);
    builder.set_end(sum.region(0));
    first.map.set(of_.index(), sum.region(0).argument(0));
    builder.create(context_.opcode(LoopOp::Yield),
                   running_step_like(builder, of_, running_, carried_values(ForRef::from(sum)), first.map), {}, {});
    builder.set_after(sum);
    for (std::size_t i = 0; i < reduced.size(); ++i) store_of(builder, sum.result(i), reduced[i], first.place);
    close_piece(builder, first);

    // What comes before each of them, where the loop stood.
    builder.set_before(loop);
    const OpRef middle =
        new_loop(builder, pool_.constant(0), pieces_, fresh_name(loop, name + "_p"), initial_values(of_));
    builder.set_end(middle.region(0));
    const std::vector<IndexExpr> here =
        place_of(of_value(middle.region(0).argument(0)), apart ? around_.place() : std::vector<IndexExpr>());
    std::vector<Value> next;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      const Value so_far = middle.region(0).argument(i + 1);
      store_of(builder, so_far, before[i], here);
      next.push_back(step_like(builder, of_, i, running_.steps[i].op, so_far, load_of(builder, reduced[i], here)));
    }
    builder.create(context_.opcode(LoopOp::Yield), next, {}, {});
    for (std::size_t i = 0; i < reduced.size(); ++i) loop.result(i).replace_all_uses_with(middle.result(i));

    // Each of them, from there on.
    if (apart)
      builder.set_after(around_.outermost());
    else
      builder.set_after(middle);
    Piece last = open_piece(builder, name + "_q", apart ? "_q" : "");
    std::vector<Value> from;
    for (const Value b : before) from.push_back(load_of(builder, b, last.place));
    const auto [start, stop] = bounds_of(last);
    const ForRef made = ForRef::from(clone(loop, builder, last.map));
    set_loop(made.op(), start, stop, from);
    close_piece(builder, last);
    move_strategy(made.op(), last.loop);
    loop.erase();
    AroundLoops::erase_unused(around_.needed());
  }

 private:
  [[nodiscard]] bool is_apart() const { return into_ != ScanPieces::OfRow && !around_.empty(); }

  // The loop over pieces, and the loops around inside of it.
  struct Piece {
    OpRef loop;
    AroundLoops::Copy around;
    ValueMap map;
    std::vector<IndexExpr> place;  // of what is kept of the piece
    IndexExpr number;
  };
  Piece open_piece(Builder& builder, const std::string& name, std::string_view suffix) {
    Piece out;
    out.loop = new_loop(builder, pool_.constant(0), pieces_, fresh_name(of_.op(), name), {});
    if (into_ != ScanPieces::OfRow) ForRef::from(out.loop).set_kind(LoopKind::Parallel);
    out.number = of_value(out.loop.region(0).argument(0));
    builder.set_end(out.loop.region(0));
    if (!suffix.empty()) out.around = around_.copy(builder, suffix, out.map);
    out.place = place_of(out.number, out.around.place);
    return out;
  }
  void close_piece(Builder& builder, const Piece& piece) {
    if (piece.around.regions.empty()) builder.set_end(piece.loop.region(0));
    if (piece.around.regions.empty()) {
      builder.create(context_.opcode(LoopOp::Yield), {}, {}, {});
      return;
    }
    AroundLoops::end(builder, piece.around);
    builder.set_end(piece.loop.region(0));
    builder.create(context_.opcode(LoopOp::Yield), {}, {}, {});
    AroundLoops::erase_unused(piece.around.needed);
  }
  std::pair<IndexExpr, IndexExpr> bounds_of(const Piece& piece) {
    const IndexExpr first = mapped(module_, over_values(of_.op(), of_.first()), piece.map);
    const IndexExpr last = mapped(module_, over_values(of_.op(), of_.last()), piece.map);
    const IndexExpr begin = pool_.add(first, pool_.scale(piece.number, size_));
    const IndexExpr end = pool_.add(begin, pool_.constant(size_));
    const IndexExpr rest = pool_.mod(pool_.sub(last, first), pool_.constant(size_));
    const bool full = pool_.equal(rest, pool_.constant(0), facts_) == Truth::Yes;
    return {begin, full ? end : pool_.min(end, last)};
  }
  std::vector<IndexExpr> place_of(IndexExpr piece, const std::vector<IndexExpr>& around) const {
    std::vector<IndexExpr> out(around);
    out.insert(into_ == ScanPieces::LastAxis ? out.end() : out.begin(), piece);
    return out;
  }

  TransformResult check_around() {
    if (auto may = around_.check(); !may) return may;
    if (auto may = around_.gather(of_.op()); !may) return may;
    TransformResult may;
    for (const OpRef op : running_.computes)
      if (may) may = around_.reads_before(op);
    for (const OpRef op : around_.needed())
      if (may) may = around_.reads_before(op);
    // Nothing else than the loop leaves anything, so that pieces may come after the nest.
    walk(around_.outermost(), [&](OpRef op) {
      if (may && op != of_.op() && !op.is_inside(of_.op()) && !only_computes(op))
        may = refuse<kScheduleUnsupportedOp>(index_name(of_), op.name(), "stand beside it");
    });
    return may;
  }

  std::vector<Value> allocate(Builder& builder, const std::string& name) {
    const bool apart = into_ != ScanPieces::OfRow;
    const std::vector<IndexExpr> shape = place_of(pieces_, is_apart() ? around_.extents() : std::vector<IndexExpr>());
    std::vector<Value> out;
    for (std::size_t i = 0; i < running_.steps.size(); ++i) {
      const Type type = context_.types().buffer(of_.carried(i).dtype(), shape, apart ? Scope::Arena : Scope::Thread);
      out.push_back(builder.create(LoopOp::Alloc, {}, {type}).result());
      out.back().set_name(name + (running_.steps.size() > 1 ? std::to_string(i) : std::string()));
    }
    return out;
  }

  ForRef of_;
  const Facts& facts_;
  Module& module_;
  Context& context_;
  IndexPool& pool_;
  std::int64_t size_;
  ScanPieces into_;
  IndexExpr pieces_;
  AroundLoops around_;
  Running running_;
};

}  // namespace

TransformResult split_scan(OpRef loop, std::int64_t size, ScanPieces into, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(loop).valid(), "split-scan: no loop");
  SplitScan step(loop, size, into, facts);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
