// Reads a .pt2 file of torch.export as a module. No torch is needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/program/import_program.h"

namespace mlgc {

// As import_program() says. Time is linear in the file.
[[nodiscard]] std::optional<ImportedModel> import_pt2(const std::shared_ptr<Context>& context, const std::string& path,
                                                      const ImportOptions& options, DiagnosticEngine& engine);

}  // namespace mlgc
