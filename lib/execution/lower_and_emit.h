// From a module to an emitted model, for callers that have options instead of flags.
//
// Every function works on the module in place and answers with nothing after an error, which was reported: a pass that
// fails, a memory limit that the plan exceeds, what cannot be emitted.
#pragma once

#include <optional>

#include "compile/emit_model.h"
#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "transforms/levels.h"

namespace mlgc {

struct LowerOptions {
  Numerics numerics = Numerics::LikeEager;
  EmitOptions emit = {};
  LevelOptions level = {};
};

// Emits a module at the level that the target prints. Memory limits that its functions state are checked first.
[[nodiscard]] std::optional<EmittedModel> emit_lowered(Module& module, const ModuleData& data,
                                                       const EmitOptions& options, DiagnosticEngine& diagnostics);
// Plans a module of scheduled loops and emits it, for a CPU.
[[nodiscard]] std::optional<EmittedModel> plan_and_emit(Module& module, const ModuleData& data,
                                                        const LowerOptions& options, DiagnosticEngine& diagnostics);
// Lowers a graph to the level that the target prints and emits it.
[[nodiscard]] std::optional<EmittedModel> lower_and_emit(Module& module, const ModuleData& data,
                                                         const LowerOptions& options, DiagnosticEngine& diagnostics);

}  // namespace mlgc
