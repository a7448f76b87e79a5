// See lower_and_emit.h.
#include "execution/lower_and_emit.h"

#include <utility>

#include "memory/memory_limits.h"

namespace mlgc {

std::optional<EmittedModel> emit_lowered(Module& module, const ModuleData& data, const EmitOptions& options,
                                         DiagnosticEngine& diagnostics) {
  if (!hold_memory_limits(module, options.target->describe, diagnostics)) return std::nullopt;
  Result<EmittedModel, Diagnostic> emitted = emit_model(module, data, options);
  if (emitted) return *std::move(emitted);
  diagnostics.emit(std::move(emitted).error());
  return std::nullopt;
}

std::optional<EmittedModel> plan_and_emit(Module& module, const ModuleData& data, const LowerOptions& options,
                                          DiagnosticEngine& diagnostics) {
  return run_passes(module, "plan", diagnostics, {.numerics = options.numerics})
             ? emit_lowered(module, data, options.emit, diagnostics)
             : std::nullopt;
}

std::optional<EmittedModel> lower_and_emit(Module& module, const ModuleData& data, const LowerOptions& options,
                                           DiagnosticEngine& diagnostics) {
  return lower_for(*options.emit.target, module, options.numerics, diagnostics, options.level)
             ? emit_lowered(module, data, options.emit, diagnostics)
             : std::nullopt;
}

}  // namespace mlgc
