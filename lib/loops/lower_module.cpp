// See lower_module.h.
#include "loops/lower_module.h"

#include <vector>

#include "diag/kinds_loops.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "loops/lower_driver.h"

namespace mlgc {

std::optional<LoweredCounts> lower_to_loops(Module& module, DiagnosticEngine& diagnostics) {
  loops::KernelFunctions kernels(module);
  std::vector<loops::DriverLowering> lowerings;
  bool all = true;
  for (const FuncRef function : functions(module)) {
    if (is_loop_function(function.op())) continue;
    loops::DriverLowering& lowering = lowerings.emplace_back(module, function, kernels);
    for (const loops::NotLowered& missing : lowering.plan()) {
      diagnostics.emit(diagnose<kNotLowered>(missing.op.location(), missing.op.name(), missing.reason));
      all = false;
    }
  }
  if (!all) return std::nullopt;
  for (loops::DriverLowering& lowering : lowerings) lowering.run();
  return LoweredCounts{lowerings.size(), kernels.count()};
}

}  // namespace mlgc
