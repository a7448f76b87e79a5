// What a kernel would be predicted to take with a strategy, or without a wish: its schedule is made on a copy, and the
// loops of that are counted. So no strategy has an estimate of its own that its text could contradict.
#pragma once

#include <optional>

#include "ops/numerics.h"
#include "schedule/predict.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

// The function, of the loop level, stays as it is; what it has a schedule for keeps that. Nothing: `forced`, which is
// asked first (schedule_log.h), was taken nowhere. Null: the default schedule.
[[nodiscard]] std::optional<Prediction> predict_strategy(OpRef func, MachineKind kind, Numerics numerics,
                                                         const StrategyDef* forced, const Machine& machine,
                                                         const PredictedSizes& sizes);

}  // namespace mlgc::schedule
