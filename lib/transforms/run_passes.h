// Runs passes over a module in place, verified before and after each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "pass/pipeline.h"

namespace mlgc {

struct RunPassesOptions {
  Numerics numerics = Numerics::LikeEager;
  std::vector<AppliedRewrite>* log = nullptr;  // not owned; gets the rewrites that may alter numbers
};

// False: an error was reported, and the module is in an unspecified state. Where a pass broke its word (exit code 70) a
// file that shows it again is written (pass/replay.h), and named in a note.
[[nodiscard]] bool run_passes(Module& module, const Pipeline& pipeline, DiagnosticEngine& diagnostics,
                              const RunPassesOptions& options = {});
// The same for a pipeline as text, whose errors are located in it.
[[nodiscard]] bool run_passes(Module& module, std::string_view text, DiagnosticEngine& diagnostics,
                              const RunPassesOptions& options = {});

// The same without such a file: for pipelines that a caller composes and may discard.
[[nodiscard]] bool run_pipeline(Module& module, std::string_view text, DiagnosticEngine& diagnostics);

// Names of the functions of `after` that `before` does not have, in program order.
[[nodiscard]] std::vector<std::string> new_functions(const Module& before, const Module& after);

}  // namespace mlgc
