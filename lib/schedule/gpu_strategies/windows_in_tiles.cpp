// windows-in-tiles: results that each reduce a small window, where neighbours have windows next to each other or
// overlapping (pools, local norms). The window is written out, so that a result is an element like any other: a thread
// takes neighbours, which have their quotients, their guards and most of what they read in common.
#include <algorithm>

#include "ir/walk.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Policy, the same for all GPUs. Places of a window: a thread has as many loads of each of its neighbours on their way
// at most.
constexpr std::int64_t kMostPlaces = 16;

struct WindowsInTiles {
  static std::int64_t places_of(OpRef reduction) {
    std::int64_t places = 1;
    for (const OpRef loop : loops_of(reduction))
      places = saturating_mul(places, extent(loop).value_or(kMostPlaces + 1));
    return places;
  }
  // Whether a load is at the sum of a result's index and of a place in its window: windows overlap then, or touch.
  static bool slides(std::span<const OpRef> chain) {
    std::vector<Value> results, places;
    for (const OpRef loop : chain) results.push_back(ForRef::from(loop).index());
    for (const OpRef outer : loops_in(chain.back().region(0)))
      for (const OpRef loop : loops_of(outer)) places.push_back(ForRef::from(loop).index());
    const IndexPool& pool = chain.back().module().context().index();
    return !walk(chain.back(), [&](OpRef op) {
      if (!op.is(LoopOp::Load)) return WalkResult::Continue;
      for (const IndexExpr e : subscripts_of(op)) {
        const auto names_one_of = [&](const std::vector<Value>& indices) {
          bool found = false;
          pool.for_each_atom(e, [&](AtomId id) {
            const Atom& atom = pool.atom(id);
            found = found || (atom.kind == AtomKind::Opaque &&
                              std::find(indices.begin(), indices.end(), op.operand(atom.number)) != indices.end());
          });
          return found;
        };
        if (names_one_of(results) && names_one_of(places)) return WalkResult::Stop;
      }
      return WalkResult::Continue;
    });
  }
  // Whether neighbouring results store neighbours, and read neighbours or the same. Where windows go two elements
  // further, threads that take one result each read the same sectors together, which those of several do not.
  static bool are_near(OpRef row) {
    const ForRef of = ForRef::from(row);
    const auto varying = varying_values(of);
    return walk(row, [&](OpRef op) {
      if (!op.is(LoopOp::Load) && !op.is(LoopOp::Store)) return WalkResult::Continue;
      const Along where = along(op, of, varying);
      const bool near = where == Along::Next || (op.is(LoopOp::Load) && where == Along::Same);
      return near ? WalkResult::Continue : WalkResult::Stop;
    });
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const OpRef row = chain.back();
    const AlongLoop along{ForRef::from(row)};
    if (!along.has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (along.launches || along.allocates || along.has_vectors) return Match::other_kind<reason::kOtherInnerLoops>();
    for (const OpRef loop : loops_in(row.region(0))) {
      if (ForRef::from(loop).carried_count() == 0) return Match::other_kind<reason::kInnerLoopNoReduction>();
      if (places_of(loop) > kMostPlaces) return Match::no<reason::kManyReducedTerms>(kMostPlaces);
    }
    if (!slides(chain)) return Match::other_kind<reason::kOtherInnerLoops>();
    if (!are_near(row)) return Match::no<reason::kLoadsNotContiguous>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef row = parallel_chain(site.loop).back();
    std::int64_t most = 1;
    for (const OpRef loop : loops_in(row.region(0))) most = std::max(most, places_of(loop));
    return iterations_text(row) + " reduce windows of at most " + std::to_string(most) +
           " places, next to each other: they are written out";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef row = parallel_chain(site.loop).back();
    for (const OpRef loop : loops_in(row.region(0))) scheduler.narrow_sums(loop);
    const PlaceAmongLoops place(site.loop);
    // From inside: the copies of a loop hold none then.
    std::vector<OpRef> loops;
    for (const OpRef outer : loops_in(row.region(0)))
      for (const OpRef loop : loops_of(outer)) loops.push_back(loop);
    for (std::size_t i = loops.size(); i-- > 0;)
      if (!scheduler.take("write-out", loops[i], NumericsClass::Exact, scheduler.counts().unrolled,
                          [&] { return write_out(loops[i]); }))
        return Failure{scheduler.refused()};
    (void)scheduler.choose(Stage::Grid, place.first());
    return place.first();
  }
};

}  // namespace

const StrategyDef kWindowsInTilesStrategy{
    .name = "windows-in-tiles",
    .summary =
        "Small windows next to each other are written out: results are elements, of which a thread takes several.",
    .stage = Stage::Grid,
    .numerics = NumericsClass::Reassociate,
    .matches = WindowsInTiles::matches,
    .why = WindowsInTiles::why,
    .apply = WindowsInTiles::apply,
};

}  // namespace mlgc::schedule
