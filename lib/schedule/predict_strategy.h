// What a kernel would be predicted to take with a strategy, or without a wish: its schedule is made on a copy, and the
// loops of that are counted. So no strategy has an estimate of its own that its text could contradict.
#pragma once

#include <optional>
#include <vector>

#include "ops/numerics.h"
#include "schedule/decisions.h"
#include "schedule/predict.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

// The function, of the loop level, stays as it is; what it has a schedule for keeps that. Nothing: `forced`, which is
// asked first (schedule_log.h), was taken nowhere. Null: the default schedule.
[[nodiscard]] std::optional<Prediction> predict_strategy(OpRef func, MachineKind kind, Numerics numerics,
                                                         const StrategyDef* forced, const Machine& machine,
                                                         const PredictedSizes& sizes);

struct StrategyCandidate {
  StrategyChoice choice;
  Prediction predicted;
};
// The different schedules of a kernel that one choice gives: the default first, then each strategy that matches at some
// site and was not taken there, each that was taken, left out, and each tile of a strategy that is possible; in the
// order of the table. Choices that give the
// text of one before are left out. Scheduled for `machine`, predicted on `runs_on`, which may have other cores.
[[nodiscard]] std::vector<StrategyCandidate> strategy_candidates(OpRef func, Numerics numerics, const Machine& machine,
                                                                 const Machine& runs_on, const PredictedSizes& sizes);

}  // namespace mlgc::schedule
