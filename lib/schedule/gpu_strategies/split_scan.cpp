// split-scan: running reductions (cumsum) of few rows or columns, or of rows that no block keeps: pieces are reduced on
// the whole device, what comes before each follows from their results, and then all pieces run at the same time.
#include <algorithm>

#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/running.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct PiecesOfScan {
  // The running reduction: alone in a row, or the nest itself; invalid: there is none.
  static OpRef scan_of(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return is_running(site.loop) ? site.loop : OpRef();
    const std::vector<OpRef> inner = loops_in(chain.back().region(0));
    const bool is_alone = inner.size() == 1 && inner[0].parent() == chain.back().region(0);
    return is_alone && is_running(inner[0]) ? inner[0] : OpRef();
  }
  static bool is_across(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    return !chain.empty() && reads_across(chain.back());
  }
  // Whether a loop of unknown extent has few iterations where sizes are as supposed: it scans results of pieces.
  static bool is_short(ForRef loop, std::int64_t most) {
    IndexPool& pool = loop.op().module().context().index();
    const IndexExpr supposed =
        pool.substitute(pool.sub(loop.last(), loop.first()), [&](AtomId id) -> std::optional<IndexExpr> {
          return pool.atom(id).kind == AtomKind::Symbol ? std::optional(pool.constant(kSupposedLength)) : std::nullopt;
        });
    return pool.as_constant(supposed).value_or(most + 1) <= most;
  }
  // Iterations of a piece; 0: there are none.
  static std::int64_t size_of(const Site& site) {
    const std::int64_t rows = rows_of(parallel_chain(site.loop));
    const ForRef scan = ForRef::from(scan_of(site));
    const auto extent = usual_extent(scan);
    if (!extent && is_short(scan, is_across(site) ? kMostPiecesOfColumn : kMostScannedByOne)) return 0;
    if (!is_across(site)) {
      const std::int64_t most = rows < kEnoughBlocks / 2 ? 2 * kScanTile - 1 : kMostScanRow;
      return extent.value_or(most + 1) > most ? kScanTile : 0;
    }
    if (rows < 1 || rows >= kEnoughThreads / 2) return 0;
    const std::int64_t wanted = ceil_div(kEnoughThreads, rows);
    if (!extent) return kUsualReducedRow / std::min<std::int64_t>(wanted, kUsualReducedRow / kFewestScanRows);
    const std::int64_t pieces = std::min(wanted, *extent / kFewestScanRows);
    return pieces < kFewestScanPieces ? 0 : ceil_div(*extent, pieces);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const OpRef scan = scan_of(site);
    if (!scan.valid()) return Match::other_kind<reason::kNoRunningLoop>();
    if (size_of(site) == 0) return Match::no<reason::kEnoughRows>();
    if (!admits(scheduler.numerics(), running_changes(scan), true)) return Match::no<reason::kPartsReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return "pieces of " + std::to_string(size_of(site)) + " iterations of " + loop_text(scan_of(site)) +
           " are reduced, then what comes before each follows, and they run from there";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef scan = scan_of(site);
    const std::int64_t size = size_of(site);
    const ScanPieces into = is_across(site) ? ScanPieces::FirstAxis : ScanPieces::LastAxis;
    const PlaceAmongLoops place(site.loop);
    if (!scheduler.take("split-scan", scan, running_changes(scan), scheduler.counts().tiled,
                        [&] { return split_scan(scan, size, into, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    for (const OpRef nest : place.loops()) schedule_gpu_nest(scheduler, nest);
    return place.first();
  }
};

}  // namespace

const StrategyDef kSplitScanStrategy{
    .name = "split-scan",
    .summary = "Pieces of running reductions on the whole device: reduced, and then run from what comes before them.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = PiecesOfScan::matches,
    .why = PiecesOfScan::why,
    .apply = PiecesOfScan::apply,
};

}  // namespace mlgc::schedule
