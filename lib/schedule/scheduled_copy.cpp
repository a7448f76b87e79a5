// See scheduled_copy.h.
#include "schedule/scheduled_copy.h"

#include "ir/clone.h"
#include "ir/function_facts.h"
#include "loopir/module_machine.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"
#include "schedule/weight_panels.h"

namespace mlgc::schedule {

ScheduledCopy::ScheduledCopy(OpRef kernel, const ArgumentLayouts& layouts, const Machine& machine, Numerics numerics)
    : module_(kernel.module().shared_context()) {
  state_machine(module_, machine);
  kernel_ = clone_function(kernel, module_, kernel.symbol());
  for (const auto& [argument, order] : layouts.orders) permute_argument(kernel_, argument, order);
  FunctionFacts facts;
  read_panels(kernel_, layouts.weights, facts.of(kernel_));
  RewriteGate open;
  (void)schedule_by_default(kernel_, numerics, facts.of(kernel_), open);
}

}  // namespace mlgc::schedule
