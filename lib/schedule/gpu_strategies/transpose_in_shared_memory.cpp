// transpose-in-shared-memory: a transpose by square tiles in the shared memory of a thread block.
#include <algorithm>
#include <bit>

#include "ir/walk.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/loop_edit.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

// Policy, the same for all GPUs: rows and columns that a transpose has at least, 16 bytes of 16-bit floats.
constexpr std::int64_t kShortSide = 8;

struct TransposeInSharedMemory {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (transposition(site.loop, kShortSide)) return Match::yes();
    if (transposition(site.loop, 1)) return Match::no<reason::kSmallerThanTile>(kShortSide);
    return Match::other_kind<reason::kNoTransposition>();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const Transposition found = *transposition(site.loop, kShortSide);
    return "loads are contiguous along " + loop_text(found.across) + " and stores along " + loop_text(found.along) +
           ": " + count_text(found.across) + " by " + count_text(found.along) + " elements fill tiles of " +
           std::to_string(side(found.across)) + " by " + std::to_string(side(found.along));
  }
  // As on a CPU, but that both loops over tiles stay parallel.
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const Transposition found = *transposition(site.loop, kShortSide);
    const OpRef across = found.across, along = found.along;
    const std::int64_t length = side(along);
    if (!scheduler.tile_by(across, side(across))) return Failure{scheduler.refused()};
    ForRef::from(along).set_kind(LoopKind::Serial);
    if (!scheduler.tile_by(along, length) || !scheduler.interchange_with_inner(across)) return across.parent_op();
    const OpRef tiles = across, tile = tiles.region(0).front();
    for (const OpRef op : tile.region(0).front().region(0).ops())
      if (runs_across(op, ForRef::from(tile)))
        (void)scheduler.take("stage", op, NumericsClass::Exact, scheduler.counts().staged,
                             [&] { return stage(op, tile); });
    (void)scheduler.share(tiles);
    for (const OpRef lines : loops_in(tiles.region(0)))
      if (!share_square(scheduler, lines)) give_threads_inside(scheduler, lines, 1);
    return tiles.parent_op();
  }

 private:
  // Of a tile, along the loop.
  static std::int64_t side(OpRef loop) {
    const auto count = static_cast<std::uint64_t>(usual_extent(ForRef::from(loop)).value_or(kSquareTile));
    return std::min(kSquareTile, static_cast<std::int64_t>(std::bit_ceil(count)));
  }
  // A load, or a branch that holds one, of neighbours along the loop.
  static bool runs_across(OpRef op, ForRef loop) {
    if (op.is(LoopOp::If) && op.result_count() == 1)
      return !walk(op, [&](OpRef inner) {
        return inner != op && runs_across(inner, loop) ? WalkResult::Stop : WalkResult::Continue;
      });
    return op.is(LoopOp::Load) && !subscripts_of(op).empty() &&
           over_values(op, subscripts_of(op).back()) == of_value(loop.index());
  }
  // Neighbours that a thread takes at a time of a line, of 16 bytes, or what lines are aligned to.
  static std::int64_t at_a_time(OpRef line) {
    std::int64_t each = 1;
    walk(line, [&](OpRef op) {
      const AccessRef access = AccessRef::from(op);
      if (!access.valid() || op.module().context().types().scope(access.buffer().type()) == Scope::Thread) return;
      const auto bytes = static_cast<std::int64_t>(dtype_info(access.buffer().dtype()).bytes);
      each = aligned_at_a_time(line, std::min(kPieceBytes / bytes, kMostAtATime));
    });
    return each;
  }
  // Threads of a block side by side take neighbours of a line, and others the lines after it.
  static bool share_square(Scheduler& scheduler, OpRef lines) {
    const std::vector<OpRef> inside = loops_in(lines.region(0));
    if (inside.size() != 1 || !loops_in(inside[0].region(0)).empty()) return false;
    const auto count = usual_extent(ForRef::from(lines)), length = usual_extent(ForRef::from(inside[0]));
    if (!count || !length) return false;
    const std::int64_t each = at_a_time(inside[0]);
    const std::int64_t threads = threads_for(*length + each - 1, each, 2, kSquareTile);
    return scheduler.vectorize_in(inside[0], threads, NumericsClass::Exact, each) &&
           scheduler.vectorize_in(lines, threads_for(*count, 1, 2, kElementThreads / threads), NumericsClass::Exact, 1);
  }
};

}  // namespace

const StrategyDef kTransposeInSharedMemoryStrategy{
    .name = "transpose-in-shared-memory",
    .summary = "A block a square tile, which goes through its scratch, so that lines of both buffers are used whole.",
    .stage = Stage::Nest,
    .matches = TransposeInSharedMemory::matches,
    .why = TransposeInSharedMemory::why,
    .apply = TransposeInSharedMemory::apply,
};

}  // namespace mlgc::schedule
