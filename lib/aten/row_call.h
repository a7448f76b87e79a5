// One run of an op as a call of ATen, bound as row_binding.h says.
#pragma once

#include <string>
#include <vector>

#include "interp/interpret_module.h"
#include "plugin/plugin.h"

namespace mlgc {

struct AtenCall {
  std::string_view name;  // `aten::add.Tensor`
  AtenOp op;
  std::vector<AtenArgument> arguments;
};

// The first ATen call of the row that fits. Error: why none does.
[[nodiscard]] Result<AtenCall> aten_call(const TorchPlugin& plugin, const OpRun& run);

}  // namespace mlgc
