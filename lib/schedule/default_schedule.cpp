// See default_schedule.h.
#include "schedule/default_schedule.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/module_machine.h"
#include "loopir/nests.h"
#include "schedule/along_loop.h"
#include "schedule/contraction.h"
#include "schedule/cpu_limits.h"
#include "schedule/hoist.h"
#include "schedule/loop_transforms.h"
#include "schedule/order_loops.h"
#include "schedule/predict.h"
#include "schedule/scheduler.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

// Which strategy each site of a kernel gets is the table's (strategy.h); here is where sites come from, and what all of
// them have in common.
class CpuSchedule {
 public:
  explicit CpuSchedule(Scheduler& scheduler) : scheduler_(scheduler), func_(scheduler.func()) {}

  ScheduleCounts run() {
    for (const OpRef nest : loops_in(func_.region(0)))
      if (!is_scheduled(nest)) order_loops(scheduler_, nest);
    tile_rows();
    split_ranges();
    scheduler_.make_flat();
    split_divided_loops();
    split_sums();
    for (const OpRef nest : loops_in(func_.region(0)))
      if (!is_scheduled(nest)) schedule_nest(nest);
    scheduler_.fuse_products();
    return scheduler_.counts();
  }

 private:
  void schedule_nest(OpRef nest) {
    const PlaceAmongLoops place(nest);
    if (scheduler_.choose(Stage::Nest, nest)) {
      for (const OpRef op : place.loops()) give_lanes(op);
      scheduler_.jam_now();
    } else {
      for (const OpRef piece : pieces_of(nest)) (void)scheduler_.choose(Stage::Nest, piece);
      if (ForRef::from(nest).carried_count() == 0)
        for (const OpRef sum : sums_in(nest)) (void)scheduler_.choose(Stage::Products, sum);
      // What a strategy copies with a border around it.
      for (const OpRef op : place.loops())
        if (!is_scheduled(op)) scheduler_.split_ranges(op);
      for (const OpRef op : place.loops()) give_lanes(op);
      scheduler_.jam_now();
    }
    for (const OpRef op : place.loops()) hoist(op);
    for (const OpRef op : place.loops()) share_among_threads(op);
  }

  // What ranges have left of a nest that only touches single elements: several loops in one, each a nest of its own.
  [[nodiscard]] static std::vector<OpRef> pieces_of(OpRef nest) {
    const std::vector<OpRef> loops = loops_of(nest);
    if (std::any_of(loops.begin(), loops.end(), [](OpRef loop) { return ForRef::from(loop).carried_count() > 0; }))
      return {};
    std::vector<OpRef> out;
    for (const OpRef loop : loops) {
      const std::vector<OpRef> inside = loops_in(loop.region(0));
      if (inside.size() < 2) continue;
      std::copy_if(inside.begin(), inside.end(), std::back_inserter(out), [](OpRef piece) {
        const std::vector<OpRef> all = loops_of(piece);
        return std::all_of(all.begin(), all.end(), [](OpRef at) { return loops_in(at.region(0)).size() < 2; });
      });
    }
    return out;
  }

  // A row becomes several loops at a time, so sums are looked for again after each.
  void tile_rows() {
    for (const OpRef nest : loops_in(func_.region(0))) {
      if (is_scheduled(nest) || ForRef::from(nest).carried_count() > 0) continue;
      const PlaceAmongLoops place(nest);
      for (bool again = true; again;) {
        again = false;
        const OpRef now = place.first();
        for (const OpRef sum : sums_in(now))
          if (scheduler_.choose(Stage::Rows, sum)) {
            again = true;
            break;
          }
      }
    }
  }

  void split_ranges() {
    for (const OpRef nest : loops_in(func_.region(0))) {
      if (is_scheduled(nest)) continue;
      scheduler_.join_short_rows(nest);
      scheduler_.split_ranges(nest);
    }
  }

  // Loops whose index is divided for what a contraction reads, as by the channels of a group, become two.
  void split_divided_loops() {
    for (const OpRef nest : loops_in(func_.region(0))) {
      if (is_scheduled(nest) || sums_in(nest).empty()) continue;
      for (const OpRef loop : loops_of(nest)) {
        if (const auto size = divisor_in_subscripts(loop))
          (void)scheduler_.take("split-quotients", loop, NumericsClass::Exact, scheduler_.counts().tiled,
                                [&] { return split_quotients(loop, *size, scheduler_.facts()); });
      }
    }
  }

  void split_sums() {
    for (const OpRef nest : loops_in(func_.region(0))) {
      if (is_scheduled(nest) || ForRef::from(nest).carried_count() > 0) continue;
      for (const OpRef sum : sums_in(nest)) (void)scheduler_.choose(Stage::Split, sum);
    }
  }

  void give_lanes(OpRef loop) {
    if (ForRef::from(loop).kind() == LoopKind::Vector || scheduler_.is_kept(loop)) return;
    if (scheduler_.choose(Stage::Lanes, loop)) return;
    const std::vector<OpRef> inner = loops_in(loop.region(0));
    if (inner.empty()) {
      scheduler_.leave_serial(loop, scheduler_.declined());
      jam_running(loop);
    }
    for (const OpRef op : inner) give_lanes(op);
  }

  [[nodiscard]] static bool holds_checks(OpRef loop) {
    const auto ops = loop.region(0).ops();
    return std::any_of(ops.begin(), ops.end(), [](OpRef op) {
      const AccessRef access = AccessRef::from(op);
      return access.valid() && access.checked();
    });
  }
  // Rows of running sums and the like, of which each waits for the iteration before: some of them side by side.
  void jam_running(OpRef loop) {
    const ForRef rows = ForRef::from(loop.parent_op());
    if (!rows.valid() || rows.carried_count() > 0 || rows.kind() == LoopKind::Vector || !is_running(loop)) return;
    // What tests its places does not wait for what it carries.
    for (const OpRef op : rows.body().ops())
      if (op.region_count() > 0 && (!is_running(op) || holds_checks(op))) return;
    scheduler_.jam_later(rows.op(), kRunningRows);
  }

  // What follows from few of the nest's indices is computed in front of it, after the lanes: scratch lies as they read
  // it.
  void hoist(OpRef nest) {
    for (OpRef value = value_to_hoist(nest); value.valid(); value = value_to_hoist(nest)) {
      if (!scheduler_.take("pack", value, NumericsClass::Exact, scheduler_.counts().staged,
                           [&] { return pack(value, nest); }))
        return;
      give_lanes(nest.previous());
    }
  }

  // --- threads

  // What adds up at places that data say may keep to itself in a loop around all the same.
  std::vector<OpRef> shown_parallel(OpRef nest) {
    const ForRef of = ForRef::from(nest);
    if (of.kind() != LoopKind::Serial || of.carried_count() > 0) return {};
    std::uint64_t shown = 0;  // it is counted where it is shared
    (void)scheduler_.take("parallelize", nest, NumericsClass::Exact, shown,
                          [&] { return parallelize(nest, scheduler_.facts()); });
    return shown > 0 ? std::vector{nest} : std::vector<OpRef>();
  }

  [[nodiscard]] static bool has_threads(OpRef nest) {
    const std::vector<OpRef> loops = loops_of(nest);
    return std::any_of(loops.begin(), loops.end(),
                       [](OpRef loop) { return ForRef::from(loop).kind() == LoopKind::Parallel; });
  }
  // The loop of a chain that stays parallel: the first, where it has an iteration for each thread; else the one with
  // which the chain is predicted to take least. A loop further inside may have more iterations, but is a parallel
  // region anew in each iteration of those around it.
  [[nodiscard]] OpRef loop_to_share(const std::vector<OpRef>& chain) const {
    if (chain.size() == 1) return chain.front();
    const std::int64_t threads = scheduler_.limits().threads;
    const Machine machine = machine_of(func_.module(), MachineKind::Cpu);
    OpRef best;
    double least = 0;
    for (auto at = chain.begin(); at != chain.end(); ++at) {
      const bool many = extent(*at).value_or(threads) >= threads;
      if (many && !best.valid()) return *at;
      const double seconds = predict(chain.front(), machine, {}).seconds;
      if (!best.valid() || seconds < least) best = *at, least = seconds;
      if (many) break;
      // What is predicted of the next one is without this one.
      ForRef::from(*at).set_kind(LoopKind::Serial);
    }
    for (const OpRef loop : chain) ForRef::from(loop).set_kind(LoopKind::Parallel);
    return best;
  }
  // Where the iterations of the outer loops depend on each other, as those of scattered sums do: an independent loop
  // inside is tiled, and its tiles are interchanged outwards, to be parallel. Nothing where that saves less than a
  // parallel region costs.
  OpRef blocks_outside(OpRef nest) {
    if (ForRef::from(nest).kind() != LoopKind::Serial || !find_conflict(ForRef::from(nest), scheduler_.facts()))
      return {};
    OpRef inner = nest;
    std::int64_t around = 0;
    for (;; ++around) {
      const ForRef of = ForRef::from(inner);
      if (!of.valid() || of.carried_count() > 0) return {};
      if (around > 0 && !find_conflict(of, scheduler_.facts(), nest)) break;
      if (of.kind() != LoopKind::Serial) return {};
      inner = only_loop_in(inner);
    }
    const Machine machine = machine_of(func_.module(), MachineKind::Cpu);
    const CpuMachine& cpu = machine.cpu();
    if (ForRef::from(inner).kind() != LoopKind::Parallel) {
      // Whole vectors, and no less than a cache line of 4-byte elements.
      const std::int64_t lanes = std::max(cpu.line_bytes / 4, ForRef::from(inner).lanes());
      const std::int64_t columns = extent(inner).value_or(lanes * cpu.cores);
      const std::int64_t size = ceil_div(ceil_div(columns, cpu.cores), lanes) * lanes;
      const std::int64_t blocks = ceil_div(columns, size);
      const double seconds = predict(nest, machine, {}).seconds;
      const double saved = seconds - seconds / static_cast<double>(blocks);
      if (saved <= cpu.region_us * 1e-6 || !scheduler_.tile_by(inner, size)) return {};
      inner = inner.parent_op();
    }
    for (; around > 0; --around) {
      inner = inner.parent_op();
      if (!scheduler_.interchange_with_inner(inner)) return {};
    }
    return ForRef::from(inner).kind() == LoopKind::Parallel || !shown_parallel(inner).empty() ? inner : OpRef();
  }
  // Of parallel loops inside of each other one is parallelised.
  void share_among_threads(OpRef nest) {
    if (const OpRef blocks = blocks_outside(nest); blocks.valid()) return share_among_threads(blocks);
    std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.empty() && ForRef::from(nest).kind() == LoopKind::Serial) {
      // Loops around tiles of rows are too short for threads.
      const std::vector<OpRef> inner = loops_in(nest.region(0));
      const bool has_parallel = std::any_of(inner.begin(), inner.end(), [](OpRef loop) { return has_threads(loop); });
      if (has_parallel) {
        for (const OpRef loop : inner) share_among_threads(loop);
        return;
      }
    }
    if (chain.empty()) chain = shown_parallel(nest);
    if (chain.empty()) return;
    const OpRef shared = loop_to_share(chain);
    ++scheduler_.counts().parallel;
    walk(nest, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      if (!loop.valid() || loop.kind() != LoopKind::Parallel || op == shared) return;
      scheduler_.serialize(op);
    });
  }

  Scheduler& scheduler_;
  OpRef func_;
};

}  // namespace

ScheduleCounts schedule_by_default(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                   TransformReview* review, const ScheduleRequest& request) {
  Scheduler scheduler(MachineKind::Cpu, func, numerics, facts, gate, review, request);
  return CpuSchedule(scheduler).run();
}

}  // namespace mlgc
