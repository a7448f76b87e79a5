// Reads a file of torch.jit.save as a module. LibTorch loads it, through the plug-in.
//
// What is imported is the method `forward` of the module in eval mode. Its arguments are tensors and numbers, in the
// order of the program; their types are those that tracing recorded, or that `ImportOptions::input_types` states.
// Results are what the program gives back, tuples, lists and dicts laid out flat. Parameters and buffers that the
// program uses are weights by their paths; those that it changes are states, as inputs that it changes are updated.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/program/import_program.h"

namespace mlgc {

// As import_program() says. Time is linear in the program and in what its loops unroll to.
[[nodiscard]] std::optional<ImportedModel> import_torchscript(const std::shared_ptr<Context>& context,
                                                              const std::string& path, const ImportOptions& options,
                                                              DiagnosticEngine& engine);

}  // namespace mlgc
