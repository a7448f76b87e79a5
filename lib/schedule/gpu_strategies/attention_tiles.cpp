// attention-tiles: a block takes a tile of queries through tiles of keys, so that no score is in memory of the device;
// the matrix unit computes both products.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "analysis/attention_nest.h"
#include "analysis/matrix_nest.h"
#include "loopir/module_machine.h"
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct AttentionTiles {
  // Policies, the same for all GPUs. Fewer queries or keys leave more than half of the smallest tile empty.
  static constexpr std::int64_t kFewestLines = 16;
  // Parts of keys, and of values, are under way while the other ones are multiplied.
  static constexpr std::int64_t kStages = 2;
  static constexpr std::int64_t kPerLane = 8;  // columns of a thread after the sums: 16 bytes of 16-bit floats
  // Blocks of the largest tile suffice where there are as many for each multiprocessor.
  static constexpr std::int64_t kEnoughBlocks = 2;
  static constexpr std::int64_t kUsualRows = 512;

  struct Parts {
    OpRef rows, scores, terms, columns;
  };
  // Precondition: is_weighted_by_softmax().
  static Parts parts_of(OpRef rows) {
    const std::vector<OpRef> loops = loops_in(rows.region(0));
    return {rows, loops.front(), loops_in(loops.front().region(0)).front(), loops.back()};
  }
  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const OpRef rows = chain.back();
    if (loops_in(rows.region(0)).size() < 2) return Match::other_kind<reason::kNotSeveralLoops>();
    if (const TransformResult may = is_weighted_by_softmax(rows); !may) return Match::other_kind(may.error());
    const Parts parts = parts_of(rows);
    const auto factors = matrix_factors(ForRef::from(rows), ForRef::from(parts.scores), ForRef::from(parts.terms));
    if (!factors) return Match::other_kind<reason::kNoFactorsOfMatrixUnit>(factors.error());
    if (!scheduler.may_reassociate()) return Match::no<reason::kMatrixUnitRounds>();
    if (AlongLoop{ForRef::from(rows)}.bounds_vary) return Match::no<reason::kSumBoundsVary>();
    if (extent(rows).value_or(kFewestLines) < kFewestLines)
      return Match::no<reason::kFewRows>(count_text(rows), kFewestLines);
    if (extent(parts.scores).value_or(kFewestLines) < kFewestLines)
      return Match::no<reason::kFewColumns>(count_text(parts.scores), kFewestLines);
    for (const OpRef loop : {parts.terms, parts.columns})
      if (extent(loop).value_or(kMostHeadWidth + 1) > kMostHeadWidth)
        return Match::no<reason::kWideHead>(kMostHeadWidth);
    return Match::yes();
  }
  static std::int64_t tile_rows(const std::vector<OpRef>& chain) {
    std::int64_t blocks = 1;
    for (const OpRef loop : chain) {
      const std::int64_t count = extent(loop).value_or(kUsualRows);
      blocks = saturating_mul(blocks, loop == chain.back() ? (count + kMostQueries - 1) / kMostQueries : count);
    }
    const std::int64_t multiprocessors = machine_of(chain.back().module(), MachineKind::Gpu).gpu().multiprocessors;
    return blocks >= kEnoughBlocks * multiprocessors ? kMostQueries : kFewestQueries;
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const Parts parts = parts_of(chain.back());
    return iterations_text(chain.back()) + " share the keys and values of " + iterations_text(parts.scores) + ": " +
           std::to_string(tile_rows(chain)) + " of them a block, which goes through tiles of " +
           std::to_string(kAttentionKeys) + " keys";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const OpRef rows = chain.back();
    const Parts parts = parts_of(rows);
    const std::int64_t tall = tile_rows(chain), width = extent(parts.columns).value();
    if (!scheduler.tile_by(rows, tall)) return Failure{scheduler.refused()};
    const OpRef tiles = rows.parent_op();
    ForRef::from(tiles).set_kind(LoopKind::Parallel);
    if (!scheduler.take("online-softmax", rows, NumericsClass::Reassociate, scheduler.counts().tiled,
                        [&] { return online_softmax(rows, kAttentionKeys); }))
      return Failure{scheduler.refused()};
    const OpRef columns = loops_in(rows.region(0)).back();
    for (const OpRef sum : sums_of_keys(rows)) scheduler.narrow_sums(sum);
    const std::int64_t lanes = std::max<std::int64_t>(2, std::bit_ceil(static_cast<std::uint64_t>(width)) / kPerLane);
    if (!scheduler.vectorize_in(columns, lanes, NumericsClass::Exact, kPerLane)) return Failure{scheduler.refused()};
    if (!scheduler.take("matrix", rows, NumericsClass::Reassociate, scheduler.counts().vectorized,
                        [&] { return use_matrix_unit(rows, kStages, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return chain.size() > 1 ? site.loop : tiles;
  }
  // The products of queries and keys.
  static std::vector<OpRef> sums_of_keys(OpRef rows) {
    const OpRef scores = loops_in(loops_in(rows.region(0))[1].region(0)).front();
    return loops_in(scores.region(0));
  }
};

}  // namespace

const StrategyDef kAttentionTilesStrategy{
    .name = "attention-tiles",
    .summary = "A block a tile of queries, which goes through tiles of keys: both products by the matrix unit.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = AttentionTiles::matches,
    .why = AttentionTiles::why,
    .apply = AttentionTiles::apply,
};

}  // namespace mlgc::schedule
