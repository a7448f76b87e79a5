// See predict_strategy.h.
#include "schedule/predict_strategy.h"

#include "ir/clone.h"
#include "ir/function_facts.h"
#include "loopir/module_machine.h"
#include "schedule/default_schedule.h"
#include "schedule/gpu_schedule.h"
#include "schedule/transform_review.h"

namespace mlgc::schedule {

std::optional<Prediction> predict_strategy(OpRef func, ScheduleTarget target, Numerics numerics,
                                           const StrategyDef* forced, const Machine& machine,
                                           const PredictedSizes& sizes) {
  Module scratch(func.module().shared_context());
  state_machine(scratch, machine);
  const OpRef copy = clone_function(func, scratch, func.symbol());
  FunctionFacts facts;
  RewriteGate gate;
  TransformReview review;
  ScheduleLog log;
  const auto schedule = target == ScheduleTarget::Gpu ? schedule_for_gpu : schedule_by_default;
  (void)schedule_reviewed(copy, gate, review, [&] {
    return schedule(copy, numerics, facts.of(copy), gate, &review, {.forced = forced, .log = &log});
  });
  if (forced != nullptr && log.forced == 0) return std::nullopt;
  return predict(copy, machine, sizes);
}

}  // namespace mlgc::schedule
