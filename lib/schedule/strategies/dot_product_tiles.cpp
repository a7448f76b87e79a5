// dot-product-tiles: for i { for j { sum } } becomes for j_o { for i_o { a sum in lanes for each i and j of the tile }
// }.
#include <algorithm>

#include "schedule/contraction.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/rows.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct DotProductTiles {
  // Loops whose iterations share what the sum reads, from the inside.
  static std::vector<OpRef> sharing(OpRef sum) {
    std::vector<OpRef> around = loops_around(sum);
    std::erase_if(around, [&](OpRef loop) { return !shares(loop, sum, sum); });
    return around;
  }
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!goes_along(site.loop))
      return Match::no("its terms do not follow each other, or are less than " + std::to_string(kDotProductLanes));
    for (const OpRef loop : loops_around(site.loop))
      if (ForRef::from(loop).kind() == LoopKind::Vector) return Match::no("a loop around has lanes");
    if (sharing(site.loop).empty()) return Match::no("no loop around shares what it reads");
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    std::string text = count_text(site.loop) + " terms follow each other, and " +
                       iterations_text(sharing(site.loop).front()) + " share what they read";
    if (!scheduler.may_reassociate()) text += "; sums stay in their order";
    return text;
  }
  static Result<OpRef, std::string> apply(Scheduler& scheduler, const Site& site) {
    const OpRef sum = site.loop;
    const std::vector<OpRef> around = sharing(sum);
    // Sums that stay in their order are scalars, several of which have no need to wait for each other.
    const bool lanes = scheduler.may_reassociate();
    if (lanes && !scheduler.vectorize_in(sum, kDotProductLanes, NumericsClass::Reassociate))
      return Failure{scheduler.refused()};
    scheduler.narrow_sums(sum);
    const std::int64_t wide = scheduler.limits().registers.sum_columns();
    if (around.size() == 1) {
      scheduler.jam_later(around[0], 2 * wide);
      return sum;
    }
    OpRef columns = around[0], rows = around[1];
    // Columns outside: each is read once.
    if (extent(columns).value_or(scheduler.limits().threads) >= scheduler.limits().threads &&
        scheduler.interchange_with_inner(rows))
      std::swap(columns, rows);
    const std::int64_t fit =
        lanes ? scheduler.limits().registers.sum_bytes() / (kDotProductLanes * carried_bytes(sum)) : kTileScalars;
    scheduler.jam_later(columns, wide);
    scheduler.jam_later(rows, std::max<std::int64_t>(1, fit / wide));
    return sum;
  }
};

}  // namespace

const StrategyDef kDotProductTilesStrategy{
    .name = "dot-product-tiles",
    .summary = "Lanes over the terms of a sum; a tile of rows and columns has its partial sums in registers.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = DotProductTiles::matches,
    .why = DotProductTiles::why,
    .apply = DotProductTiles::apply,
};

}  // namespace mlgc::schedule
