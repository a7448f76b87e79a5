// A model file of any format that is read, told apart by its suffix (.pt2, .pt, .json), as a module or as files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "import/program/import_program.h"

namespace mlgc {

// Whether the path is that of a model file rather than of a module's text: by its suffix.
[[nodiscard]] bool is_model_file(std::string_view path);

// As import_program() says.
[[nodiscard]] std::optional<ImportedModel> import_model(const std::shared_ptr<Context>& context,
                                                        const std::string& path, const ImportOptions& options,
                                                        DiagnosticEngine& engine);

// Imports `path` and writes the text to `output` (`digits.mlir`, or "-" for standard output) and the weights beside it
// (`digits.safetensors`). Files appear complete or not at all; the weights come first, so that a text never lacks them.
// With "-" no weights are written. `options` need no names: they are made from the paths. Gives what became calls of
// PyTorch; nothing after an error.
[[nodiscard]] std::optional<FallbackLedger> import_model_file(const std::string& path, const std::string& output,
                                                              ImportOptions options, DiagnosticEngine& engine,
                                                              const std::shared_ptr<Context>& context);

}  // namespace mlgc
