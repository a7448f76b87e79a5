// transpose-in-registers: a transpose by square register tiles, so that every line is used while
// it is near.
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct TransposeInRegisters {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (const auto found = transposition(site.loop, 1))
      return fills_square(*found) ? Match::yes() : Match::no<reason::kSmallerThanSquare>(kSmallSquare);
    return Match::other_kind<reason::kNoTransposition>();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    const Transposition found = *transposition(site.loop, 1);
    const std::string size = std::to_string(scheduler.square_of(found));
    return "loads are contiguous along " + loop_text(found.across) + " and stores along " + loop_text(found.along) +
           ": " + count_text(found.across) + " by " + count_text(found.along) + " elements fill register tiles of " +
           size + " by " + size;
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const Transposition found = *transposition(site.loop, 1);
    const PlaceAmongLoops place(found.across);
    if (!scheduler.transpose(found, scheduler.square_of(found), kSquares)) return Failure{scheduler.refused()};
    return place.first();
  }
};

}  // namespace

const StrategyDef kTransposeInRegistersStrategy{
    .name = "transpose-in-registers",
    .summary = "In-register transpose: square tiles are loaded by rows and stored by columns.",
    .stage = Stage::Nest,
    .matches = TransposeInRegisters::matches,
    .why = TransposeInRegisters::why,
    .apply = TransposeInRegisters::apply,
};

}  // namespace mlgc::schedule
