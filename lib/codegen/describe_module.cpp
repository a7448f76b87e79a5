// See describe_module.h.
#include "codegen/describe_module.h"

#include "analysis/function_memory.h"
#include "loops/add_host_functions.h"

namespace mlgc::codegen {

Result<std::vector<ModelFunction>, Diagnostic> describe_module(Module& module) {
  if (Status<Diagnostic> added = add_host_functions(module); !added) return Failure{added.error()};
  std::vector<FunctionMemory> memory;
  for (const OpRef kernel : launched_kernels(module)) memory.push_back(function_memory(kernel));
  return describe_host_functions(module, memory);
}

}  // namespace mlgc::codegen
