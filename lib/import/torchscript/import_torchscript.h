// Reads a file of torch.jit.save as a module. LibTorch loads it, through the plug-in.
//
// What is imported is the method `forward` of the module in eval mode. Its arguments are tensors and numbers, in the
// order of the program; their types are those that tracing recorded, or that `ImportOptions::input_types` states.
// Results are what the program gives back, tuples, lists and dicts laid out flat. Parameters and buffers that the
// program uses are weights by their paths; those that it changes are states, as inputs that it changes are updated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "import/program/import_program.h"
#include "import/torchscript/interpreter.h"
#include "ir/constraint.h"

namespace mlgc {

namespace torchscript {

// A program in the form of the plug-in, whatever file it comes from, and what runs it.
struct ScriptModel {
  std::shared_ptr<const mlgc_script> script;
  Location location;
  Constraints constraints;  // of the sizes that its inputs have
  std::function<std::unique_ptr<Interpreter>(program::GraphScope&, TensorSource&)> interpreter;
};

// As import_torchscript() says of the program. Every input that is a tensor has a type in `options`, or was traced.
[[nodiscard]] std::optional<ImportedModel> import_script(const std::shared_ptr<Context>& context, ScriptModel model,
                                                         const ImportOptions& options, DiagnosticEngine& engine);

}  // namespace torchscript

// As import_program() says. Time is linear in the program and in what its loops unroll to.
[[nodiscard]] std::optional<ImportedModel> import_torchscript(const std::shared_ptr<Context>& context,
                                                              const std::string& path, const ImportOptions& options,
                                                              DiagnosticEngine& engine);

}  // namespace mlgc
