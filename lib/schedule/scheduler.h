// What a default schedule and its strategies share: the table that is asked, steps (step_taker.h), and what is left to
// do for a nest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/cpu_limits.h"
#include "schedule/schedule_log.h"
#include "schedule/step_taker.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

class Scheduler : public StepTaker {
 public:
  Scheduler(MachineKind target, OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
            TransformReview* review, const ScheduleRequest& request);

  // Asks the rows of the stage in their order; true: one was taken.
  bool choose(Stage stage, OpRef loop, std::int64_t elements = 0);
  // Why the last choose() took none: what the last row for such sites said, or the step that it was refused.
  [[nodiscard]] const std::string& declined() const { return declined_; }

  // Dense loops become one, loop by loop from the outside, and reductions in no other loop are split.
  void make_flat();

  // Loops in which nothing is carried, from the outside in, become pieces without guards. What reduces keeps its range:
  // its lanes decide in which order terms are added.
  void split_ranges(OpRef nest);

  // The loop over short rows of elements that are only moved becomes one with that over their elements, which is one
  // range from then on.
  void join_short_rows(OpRef nest);

  // A loop that packs stays as it is.
  void keep(OpRef loop) { kept_.push_back(loop); }
  [[nodiscard]] bool is_kept(OpRef loop) const;

  // Loops that are unrolled and jammed into the sums inside when the other loops of the nest have their lanes, since
  // jam() makes copies of what an iteration does. Of several numbers of copies the smallest counts.
  void jam_later(OpRef loop, std::int64_t most);
  // Another sum needs as many registers.
  void halve_jam(OpRef loop);
  void jam_now();

  // The tile that is asked of a strategy; nothing: it chooses.
  [[nodiscard]] std::optional<TileShape> asked_tile(const StrategyDef& of) const {
    return request_.forced == &of ? request_.tile : std::nullopt;
  }

  // Of the machine that the module states; of a CPU.
  [[nodiscard]] const CpuLimits& limits() const { return limits_; }
  [[nodiscard]] std::int64_t square_of(const Transposition& of) const {
    return schedule::square_of(of, limits_.registers.vector_bytes);
  }

 private:
  // `room`: ops that the pieces may have beyond those of the loop.
  void split_ranges_in(OpRef loop, std::size_t& room);

  // Of a loop of unknown trip count: iterations that fill no tile are in smaller tiles, and at last single.
  void jam_with_rests(OpRef loop, std::int64_t copies);

  struct Jam {
    OpRef loop;
    std::int64_t most = 0;  // copies
  };

  // The rows of the stage, in the order in which they are asked.
  [[nodiscard]] std::vector<const StrategyDef*> rows_of(Stage stage) const;
  // The strategy that is asked for matches at a site of its own further inside, or later, and not at this one.
  [[nodiscard]] bool yields_to_forced(Stage stage, const Site& site);
  void note_refused(const Site& site, const Match& match);
  // What all rows say of the site.
  [[nodiscard]] Decision ask_all(Stage stage, const Site& site) const;

  MachineKind target_;
  ScheduleRequest request_;
  CpuLimits limits_;
  std::string declined_;
  std::vector<OpRef> kept_, whole_;
  std::vector<Jam> jams_;
};

}  // namespace mlgc::schedule
