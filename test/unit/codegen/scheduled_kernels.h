// The kernels of a family, lowered and scheduled for a machine.
#pragma once

#include <vector>

#include "ir/function_facts.h"
#include "kernel_families.h"
#include "loopir/module_machine.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"

namespace mlgc::test {

// Lowers the module; the kernels are those functions that no caller of the model sees.
inline std::vector<OpRef> scheduled_kernels(Module& module, const Machine& machine) {
  lower(module);
  state_machine(module, machine);
  std::vector<OpRef> kernels;
  RewriteGate gate;
  for (const FuncRef& function : functions(module)) {
    if (function.op().attr("results").valid()) continue;
    FunctionFacts facts;
    (void)schedule_by_default(function.op(), Numerics::LikeEager, facts.of(function.op()), gate);
    kernels.push_back(function.op());
  }
  return kernels;
}

}  // namespace mlgc::test
