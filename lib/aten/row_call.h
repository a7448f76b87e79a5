// One run of an op as a call of ATen.
//
// Guarantees: every operand and every attribute of the op finds its place in the call, or the call is refused; an
// attribute that has none must have its fallback.
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

// The first spelling of the row that fits. Error: why none does.
[[nodiscard]] Result<AtenCall> aten_call(const TorchPlugin& plugin, const OpRun& run);

}  // namespace mlgc
