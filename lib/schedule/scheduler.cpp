// See scheduler.h.
#include "schedule/scheduler.h"

#include <algorithm>

#include "loopir/vector_bytes.h"
#include "schedule/contraction.h"
#include "support/saturating.h"

namespace mlgc::schedule {

Scheduler::Scheduler(ScheduleTarget target, OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                     TransformReview* review)
    : StepTaker(func, numerics, facts, gate, review), target_(target), registers_{vector_bytes(func.module())} {}

bool Scheduler::choose(Stage stage, OpRef loop, std::int64_t elements) {
  declined_.clear();
  std::optional<Site> site(std::in_place, loop, elements);
  for (const StrategyDef* row : strategies(target_)) {
    if (row->stage != stage) continue;
    const Match match = row->matches(*this, *site);
    if (!match) {
      if (!match.is_other_kind()) declined_ = match.reason();
      continue;
    }
    const auto applied = row->apply(*this, *site);
    if (applied) return true;
    declined_ = applied.error();
    site.emplace(loop, elements);
  }
  return false;
}

void Scheduler::make_flat() {
  for (const OpRef nest : loops_in(func_.region(0))) {
    if (is_scheduled(nest)) continue;
    collapse_all(nest);
    (void)choose(Stage::Split, nest);
  }
}

bool Scheduler::is_kept(OpRef loop) const { return std::find(kept_.begin(), kept_.end(), loop) != kept_.end(); }

void Scheduler::jam_later(OpRef loop, std::int64_t most) {
  for (Jam& jam : jams_)
    if (jam.loop == loop) {
      jam.most = std::min(jam.most, most);
      return;
    }
  jams_.push_back({loop, most});
}

void Scheduler::halve_jam(OpRef loop) {
  for (Jam& jam : jams_)
    if (jam.loop == loop) jam.most = std::max<std::int64_t>(1, jam.most / 2);
}

void Scheduler::jam_now() {
  std::vector<Jam> jams = std::exchange(jams_, {});
  const auto depth = [](const Jam& jam) { return loops_around(jam.loop).size(); };
  std::stable_sort(jams.begin(), jams.end(), [&](const Jam& a, const Jam& b) { return depth(a) > depth(b); });
  for (const auto& [loop, most] : jams) {
    const std::int64_t fit = AlongLoop{ForRef::from(loop)}.allocates ? std::min(most, kMostOfBusyRow) : most;
    const auto count = extent(loop);
    if (fit < 2 || (count && *count < 2)) continue;
    // As many in each as the number of tiles asks for.
    const std::int64_t copies = count ? ceil_div(*count, ceil_div(*count, fit)) : fit;
    OpRef rest;
    if (count != copies) {
      if (!tile_by(loop, copies, Tail::Loop)) continue;
      if (!count || *count % copies > 1) rest = loop.parent_op().next();
    }
    (void)jam_all(loop);
    if (count && rest.valid()) (void)jam_all(rest);
  }
}

}  // namespace mlgc::schedule
