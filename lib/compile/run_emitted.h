// Runs of compiled models whose results are those that interpret() gives.
#pragma once

#include <span>
#include <string_view>

#include "artifact/model.h"
#include "compile/compile_model.h"
#include "interp/interpret_module.h"
#include "ir/function.h"

namespace mlgc {

// Results, and what is updated: new values of inputs, then new states, which stay in the context too. `function` is a
// number of the unit's table.
[[nodiscard]] Result<Outputs, Diagnostic> run_model(const Model& model, ModelContext& context, std::int32_t function,
                                                    std::span<const Tensor> inputs);

// As interpret() orders them: in the order of the function's `updates`.
void order_updates(FuncRef function, Outputs& outputs);

// Compiles, loads and calls a function of the model once. Error: also of what the function refuses.
[[nodiscard]] Result<Outputs, Diagnostic> run_emitted(const EmittedModel& model, const CompileOptions& options,
                                                      std::string_view function, std::span<const Tensor> inputs,
                                                      DiagnosticEngine& diagnostics);

}  // namespace mlgc
