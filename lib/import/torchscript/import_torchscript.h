// Reads a file of torch.jit.save as a module (python/import_python.h). LibTorch loads it, through the plug-in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/program/import_program.h"

namespace mlgc {

[[nodiscard]] std::optional<ImportedModel> import_torchscript(const std::shared_ptr<Context>& context,
                                                              const std::string& path, const ImportOptions& options,
                                                              DiagnosticEngine& engine);

}  // namespace mlgc
