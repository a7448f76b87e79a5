// See schedule_kernel.h.
#include "schedule/schedule_kernel.h"

#include <algorithm>
#include <vector>

#include "ir/clone.h"
#include "ir/function_facts.h"
#include "loopir/module_machine.h"
#include "schedule/gpu_schedule.h"
#include "schedule/predict.h"

namespace mlgc::schedule {

namespace {

// Of the predicted time with a strategy: where the kernel is predicted to take less than that without it, it is.
// docs/tuning.md has what was measured.
constexpr double kFasterWithout = 0.85;

ScheduleCounts schedule_once(OpRef func, MachineKind kind, Numerics numerics, RewriteGate& gate,
                             TransformReview& review, const ScheduleRequest& request) {
  FunctionFacts facts;
  const auto schedule = kind == MachineKind::Gpu ? schedule_for_gpu : schedule_by_default;
  return schedule_reviewed(func, gate, review,
                           [&] { return schedule(func, numerics, facts.of(func), gate, &review, request); });
}

// Of a copy that has no schedule yet.
double predicted_seconds(OpRef plain, MachineKind kind, Numerics numerics, const StrategyDef* without) {
  const Machine& machine = default_machine(kind);
  Module module(plain.module().shared_context());
  state_machine(module, machine);
  const OpRef func = clone_function(plain, module, plain.symbol());
  RewriteGate gate;
  TransformReview review;
  (void)schedule_once(func, kind, numerics, gate, review, {.without = without});
  // What threads cost is the same for both.
  Machine runs_on = machine;
  if (kind == MachineKind::Cpu) std::get<CpuMachine>(runs_on.numbers).cores = 1;
  return predict(func, runs_on, {}).seconds;
}

}  // namespace

ScheduleCounts schedule_kernel(OpRef func, MachineKind kind, Numerics numerics, RewriteGate& gate,
                               TransformReview& review, const ScheduleRequest& request) {
  const auto rows = strategies(kind);
  const bool compares =
      request.forced == nullptr && request.without == nullptr &&
      std::any_of(rows.begin(), rows.end(), [](const StrategyDef* row) { return row->is_compared != nullptr; });
  if (!compares) return schedule_once(func, kind, numerics, gate, review, request);
  const Snapshot plain(func);
  const RewriteGate before = gate;
  std::vector<const StrategyDef*> compared;
  ScheduleRequest first = request;
  first.compared = &compared;
  ScheduleCounts counts = schedule_once(func, kind, numerics, gate, review, first);
  if (compared.empty()) return counts;
  const StrategyDef* row = compared.front();
  const double with = predicted_seconds(plain.copy(), kind, numerics, nullptr);
  const double without = predicted_seconds(plain.copy(), kind, numerics, row);
  if (without >= with * kFasterWithout) return counts;
  plain.restore();
  gate = before;
  review = {};
  ScheduleRequest second = request;
  second.slower = row;
  return schedule_once(func, kind, numerics, gate, review, second);
}

}  // namespace mlgc::schedule
