// See lower_module.h.
#include "loops/lower_module.h"

#include <utility>
#include <vector>

#include "diag/kinds_loops.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "loops/host_lowering.h"

namespace mlgc {

std::optional<LoweredCounts> lower_to_loops(Module& module, DiagnosticEngine& diagnostics, bool for_threads) {
  loops::KernelFunctions kernels(module);
  std::vector<std::pair<FuncRef, loops::LaunchPlan>> plans;
  bool all = true;
  for (const FuncRef function : functions(module)) {
    if (is_loop_function(function.op())) continue;
    plans.emplace_back(function, loops::plan_launches(module, function, for_threads));
    for (const loops::NotLowered& missing : plans.back().second.missing) {
      diagnostics.emit(diagnose<kNotLowered>(missing.op.location(), missing.op.name(), missing.reason));
      all = false;
    }
  }
  if (!all) return std::nullopt;
  for (auto& [function, plan] : plans) loops::HostLowering(module, function, kernels, std::move(plan)).run();
  return LoweredCounts{plans.size(), kernels.count()};
}

}  // namespace mlgc
