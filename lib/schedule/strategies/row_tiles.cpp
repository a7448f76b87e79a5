// row-tiles: for i { for j { sum }  softmax  for f { sum } } becomes for i_o { for i { for j { sum } }  for i { softmax
// } for i { for f { sum } } }, so that each product has registers, packing and lanes of its own, and what stands
// between them is in the text once.
#include <algorithm>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/fission.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct RowTiles {
  // The loop whose iterations share what the columns of the sum read, where it does more than that; or none.
  static OpRef rows_of(OpRef sum) {
    const std::vector<OpRef> around = loops_around(sum);
    if (around.empty()) return {};
    const OpRef columns = around.front();
    const auto found =
        std::find_if(around.begin() + 1, around.end(), [&](OpRef loop) { return shares(loop, columns, sum); });
    if (found == around.end() || is_nest(*found, columns)) return {};
    return *found;
  }
  // Loops around the rows keep threads busy.
  static bool leaves_enough(OpRef rows) {
    const std::vector<OpRef> around = loops_around(rows);
    return std::any_of(around.begin(), around.end(), [](OpRef loop) {
      return ForRef::from(loop).kind() == LoopKind::Parallel &&
             extent(loop).value_or(kEnoughForThreads) >= kEnoughForThreads;
    });
  }
  // How many rows a tile has; of a number of rows that is known, as many in each.
  static std::int64_t tile_rows(OpRef rows, std::int64_t bytes, bool own) {
    const auto whole = [](std::int64_t n) { return ceil_div(n, kRowTileStep) * kRowTileStep; };
    const std::int64_t fit = kRowTileBytes / std::max<std::int64_t>(1, bytes) / kRowTileStep * kRowTileStep;
    const std::int64_t least = own ? kLeastOwnRowTile : kLeastRowTile, most = std::clamp(fit, least, kMostRowTile);
    const auto count = extent(rows);
    if (!count) return most;
    if (*count <= most) return *count;
    return std::max(own ? least : 1, whole(ceil_div(*count, ceil_div(*count, most))));
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef rows = rows_of(site.loop);
    if (!rows.valid()) return Match::other_kind<reason::kNoRowLoop>();
    const ForRef of = ForRef::from(rows);
    if (of.carried_count() > 0) return Match::no<reason::kRowLoopCarriesValues>(loop_text(rows));
    if (extent(rows).value_or(kFewestTiledRows) < kFewestTiledRows)
      return Match::no<reason::kFewSharingRows>(kFewestTiledRows);
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef rows = rows_of(site.loop);
    return iterations_text(rows) + " share factors of products, and do more than these";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    OpRef rows = rows_of(site.loop);
    for (OpRef inner = only_loop_in(rows); inner.valid() && scheduler.interchange_with_inner(rows);
         inner = only_loop_in(rows))
      rows = inner;
    for (const OpRef loop : loops_in(rows.region(0)))
      if (holds_shared_product(loop, rows) && ForRef::from(loop).carried_count() > 0)
        (void)scheduler.take("isolate-product", loop, NumericsClass::Exact, scheduler.counts().tiled,
                             [&] { return isolate_product(loop, scheduler.facts()); });
    const auto bytes = bytes_between(rows, kUsualRowTerms);
    if (!bytes) return Failure{bytes.error()};
    const bool nested = !loops_around(rows).empty(), own = nested && !leaves_enough(rows);
    const std::int64_t size = tile_rows(rows, *bytes, own);
    const auto count = extent(rows);
    if (!nested || !count || *count > size) {
      if (!scheduler.tile_by(rows, size)) return Failure{scheduler.refused()};
      // One loop is on threads: tiles where the others are too short.
      const OpRef tiles = rows.parent_op();
      if (nested && !own) {
        if (ForRef::from(tiles).kind() == LoopKind::Parallel) scheduler.serialize(tiles);
      } else {
        for (const OpRef loop : loops_around(tiles))
          if (ForRef::from(loop).kind() == LoopKind::Parallel) scheduler.serialize(loop);
      }
    }
    const OpRef before = rows.previous(), around = rows.parent_op();
    const RegionRef region = rows.parent();
    if (!scheduler.take("fission", rows, NumericsClass::Exact, scheduler.counts().tiled,
                        [&] { return fission(rows, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return ForRef::from(around).valid() ? around : next_loop(region, before);
  }
};

}  // namespace

const StrategyDef kRowTilesStrategy{
    .name = "row-tiles",
    .summary =
        "Tiles of rows that do more than one product: each product, and what stands between them, has a nest of its "
        "own.",
    .stage = Stage::Rows,
    .matches = RowTiles::matches,
    .why = RowTiles::why,
    .apply = RowTiles::apply,
};

}  // namespace mlgc::schedule
