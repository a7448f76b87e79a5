// From a graph to a level of the program: which passes run, and what is asked of them.
//
// Every function works in place, verifies after each pass and answers false after an error, which was reported; the
// module is then in an unspecified state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/target.h"
#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "transforms/run_passes.h"

namespace mlgc {

// What is asked of the passes of a level; without, they do what they do by default.
struct LevelOptions {
  std::string decisions;      // the file of measured decisions (schedule/decisions.h); empty: the default schedule
  std::string memory_format;  // one of kMemoryFormatNames; empty: as the pass `layout` does by itself
  std::vector<std::string> without;  // level_parts.h: what is left out; each has the name of a part
};

// Runs the passes of -O2, the level of optimisation that models are compiled with.
[[nodiscard]] bool optimise(Module& module, DiagnosticEngine& diagnostics, const RunPassesOptions& options = {});

// Lowers the module to a level: `fused`, `loops`, `gpu-loops` or `plan`. Precondition: there is such a level.
[[nodiscard]] bool lower_to(std::string_view level, Module& module, DiagnosticEngine& diagnostics,
                            const RunPassesOptions& options = {}, const LevelOptions& asked = {});
// Lowers the module to the level that the target prints, for its machine where the module states none.
[[nodiscard]] bool lower_for(const TargetDef& target, Module& module, Numerics numerics, DiagnosticEngine& diagnostics,
                             const LevelOptions& asked = {});
// Lowers the module to loops of the target that have no schedule yet.
[[nodiscard]] bool lower_unscheduled(const TargetDef& target, Module& module, Numerics numerics,
                                     DiagnosticEngine& diagnostics, const LevelOptions& asked = {});
// Schedules what lower_unscheduled() left for the target, with the strategies that a file of decisions names (empty:
// none), and, for a GPU, what its level does after that.
[[nodiscard]] bool schedule_loops(const TargetDef& target, Module& module, Numerics numerics,
                                  const std::string& decisions, DiagnosticEngine& diagnostics);

}  // namespace mlgc
