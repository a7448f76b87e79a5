// The limits of memory that functions state (ops/memory_limit.h), checked against the plans of their host functions:
// the bytes that the runtime will take for the arena, and for the scratch of a thread.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/function.h"
#include "ir/module.h"
#include "memory/memory_plan.h"
#include "ops/memory_limit.h"
#include "support/result.h"

namespace mlgc {

// False: an error was reported, at the function: its plan takes more than it may (kMemoryLimitExceeded, with what is
// alive at the peak), or there is no saying what it takes. `describe` says what host functions take of a copy of the
// module: describe_module(), or what a target's row has (target.h). Of a module without limits nothing is asked.
using DescribeHostFunctions = Result<std::vector<codegen::ModelFunction>, Diagnostic> (*)(Module& module);
[[nodiscard]] bool hold_memory_limits(const Module& module, DescribeHostFunctions describe,
                                      DiagnosticEngine& diagnostics);

// States the limit on the function, without sizes that it does not speak of.
void state_own_limit(FuncRef function, MemoryLimit limit);

// Notes that name the largest buffers at the peak of the plan.
void note_live_at_peak(Diagnostic& error, const MemoryPlan& plan);

// Names of buffers that count as empty, since the call computes their sizes; and one of these sizes.
struct NotCounted {
  std::vector<std::string> names;
  std::string size;
};
[[nodiscard]] NotCounted not_counted(const MemoryPlan& plan);

}  // namespace mlgc
