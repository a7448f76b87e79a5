// fused-row-tiles: for i { products over rows of scratch }  for i { softmax }  for j { a sum over i }, where scratch
// has a row for each i, becomes for i_o { for i { … }  for i { … }  for j { the sum of a tile, added } }: scratch has
// the rows of a tile, which stays near, and no rows of rows lie in memory (the gradient of attention).
#include <algorithm>
#include <optional>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/fuse_tiles.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct FusedRowTiles {
  struct Place {
    OpRef first;
    TileFusion of;
  };
  // The loops that would be fused, next to the one that the sum stands in.
  static std::optional<Place> place_of(const Scheduler& scheduler, OpRef sum) {
    for (const OpRef loop : loops_around(sum)) {
      if (!ForRef::from(loop.parent_op()).valid()) break;
      const std::vector<OpRef> loops = loops_in(loop.parent());
      if (loops.size() < 2) continue;
      for (const OpRef first : loops) {
        if (first.parent() != loop.parent()) continue;
        auto found = fusable_tiles(first, kUsualRowTerms, scheduler.facts());
        if (found && found->row_bytes >= kFewestRowBytes) return Place{first, *std::move(found)};
      }
    }
    return std::nullopt;
  }
  static std::int64_t tile_rows(const Place& place) {
    const std::int64_t fit = kFusedTileBytes / std::max<std::int64_t>(1, place.of.row_bytes);
    const std::int64_t most = std::clamp(fit / kRowTileStep * kRowTileStep, kLeastFusedTile, kMostFusedTile);
    const auto count = extent(place.first);
    if (!count) return most;
    if (*count <= most) return *count;
    return ceil_div(ceil_div(*count, ceil_div(*count, most)), kRowTileStep) * kRowTileStep;
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const auto place = place_of(scheduler, site.loop);
    if (!place) return Match::other_kind<reason::kNoSumOverScratch>();
    if (extent(place->first).value_or(kFewestTiledRows) < kFewestTiledRows)
      return Match::no<reason::kFewRowsOfLoop>(kFewestTiledRows, loop_text(place->first));
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    const auto place = place_of(scheduler, site.loop);
    return std::to_string(place->of.sums.size()) + " sums go over the rows that " + iterations_text(place->first) +
           " leave: " + std::to_string(place->of.row_bytes) + " bytes of each, " + std::to_string(tile_rows(*place)) +
           " rows at a time";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const auto place = place_of(scheduler, site.loop);
    const std::int64_t size = tile_rows(*place);
    const auto count = extent(place->first);
    // As long a chain of additions as in other contractions.
    const bool few = count && size + ceil_div(*count, size) <= kTermsOfBlock + kFewBlocks;
    const TileSums sums = !scheduler.may_reassociate() ? TileSums::InOrder : few ? TileSums::Rounded : TileSums::Wide;
    const NumericsClass changes = scheduler.may_reassociate() ? NumericsClass::Reassociate : NumericsClass::Exact;
    const OpRef around = place->first.parent_op();
    if (!scheduler.take("fuse-tiles", place->first, changes, scheduler.counts().tiled,
                        [&] { return fuse_tiles(place->first, size, sums, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    for (const OpRef loop : place->of.rows)
      if (!loop.erased() && sums_in(loop).size() > 1)
        (void)scheduler.take("separate-sums", loop, NumericsClass::Exact, scheduler.counts().tiled,
                             [&] { return separate_sums(loop); });
    for (const OpRef loop : loops_in(around.region(0)))
      if (const std::vector<OpRef> inside = loops_in(loop.region(0)); inside.size() > 1) return loop;
    return around;
  }
};

}  // namespace

const StrategyDef kFusedRowTilesStrategy{
    .name = "fused-row-tiles",
    .summary =
        "Tiles of rows that loops one after the other leave each other in scratch, and of the sums over these rows.",
    .stage = Stage::Rows,
    .numerics = NumericsClass::Reassociate,
    .matches = FusedRowTiles::matches,
    .why = FusedRowTiles::why,
    .apply = FusedRowTiles::apply,
};

}  // namespace mlgc::schedule
