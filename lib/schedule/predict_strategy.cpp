// See predict_strategy.h.
#include "schedule/predict_strategy.h"

#include "ir/clone.h"
#include "loopir/module_machine.h"
#include "schedule/schedule_kernel.h"

namespace mlgc::schedule {

std::optional<Prediction> predict_strategy(OpRef func, MachineKind kind, Numerics numerics, const StrategyDef* forced,
                                           const Machine& machine, const PredictedSizes& sizes) {
  Module scratch(func.module().shared_context());
  state_machine(scratch, machine);
  const OpRef copy = clone_function(func, scratch, func.symbol());
  RewriteGate gate;
  TransformReview review;
  ScheduleLog log;
  (void)schedule_kernel(copy, kind, numerics, gate, review, {.forced = forced, .log = &log});
  if (forced != nullptr && log.forced == 0) return std::nullopt;
  return predict(copy, machine, sizes);
}

}  // namespace mlgc::schedule
