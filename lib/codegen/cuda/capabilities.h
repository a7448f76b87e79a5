// What the kernels of a module need of a GPU, by its compute capability.
#pragma once

#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc::codegen {

// The first op that GPUs of the architecture (`sm_75`, as --arch has it) cannot run; nothing where there is none, and
// of `native`: nvcc alone knows which GPUs that means.
[[nodiscard]] std::optional<Diagnostic> beyond_architecture(const Module& module, std::string_view arch);

}  // namespace mlgc::codegen
