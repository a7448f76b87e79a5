// The tables of a module at the loop level whose kernels take the memory that their text says.
#pragma once

#include <vector>

#include "codegen/model_table.h"
#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc::codegen {

// One table for each host function (analysis/function_memory.h says what a kernel takes); loop functions without one
// get one. Error: kCannotEmit, kSizeNotInferred.
[[nodiscard]] Result<std::vector<ModelFunction>, Diagnostic> describe_module(Module& module);

}  // namespace mlgc::codegen
