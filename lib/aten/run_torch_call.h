// Runs `torch.call` (ops/torch_call.h) with LibTorch.
#pragma once

#include <functional>

#include "interp/interpret_module.h"
#include "plugin/plugin.h"

namespace mlgc {

// The results have the dtypes that the op states, with Precision::F64 f64 for floats. Error: what LibTorch says, or
// what is not as the op states; it has no location.
[[nodiscard]] OpResults run_torch_call(const TorchPlugin& plugin, const TorchCallRun& run);

// For InterpretOptions::torch_call. Loads the plug-in when it is first asked.
[[nodiscard]] std::function<OpResults(const TorchCallRun&)> torch_calls();

}  // namespace mlgc
