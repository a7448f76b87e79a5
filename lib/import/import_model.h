// A model file of any format that is read (model_formats.h), as a module or as files.
#pragma once

#include <memory>
#include <optional>
#include <span>
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

// The options with the names of a module, and of its file of weights, that is imported from `path` and written to
// `output`: `digits` and `digits.safetensors` for `digits.mlir`; "-" is standard output, which names no weights.
[[nodiscard]] ImportOptions named_after(ImportOptions options, const std::string& path, const std::string& output);

// Writes the text to `output` (`digits.mlir`, or "-" for standard output) and the weights beside it
// (`digits.safetensors`). Files appear complete or not at all; the weights come first, so that a text never lacks them.
// With "-" no weights are written. No file that was read is replaced. False after an error.
[[nodiscard]] bool write_imported(const ImportedModel& imported, const std::string& path, const std::string& output,
                                  DiagnosticEngine& engine);
// The same of a module that several files became. Precondition: at least one path.
[[nodiscard]] bool write_imported(const ImportedModel& imported, std::span<const std::string> paths,
                                  const std::string& output, DiagnosticEngine& engine);

// A note where a model has weights and nothing is written but its text.
void note_weights_left_out(const ImportedModel& imported, const std::string& path, DiagnosticEngine& engine);
void note_weights_left_out(const ImportedModel& imported, std::span<const std::string> paths, DiagnosticEngine& engine);

// Imports `path` and writes it, under the names that named_after() gives. Gives what became calls of PyTorch; nothing
// after an error.
[[nodiscard]] std::optional<FallbackLedger> import_model_file(const std::string& path, const std::string& output,
                                                              const ImportOptions& options, DiagnosticEngine& engine,
                                                              const std::shared_ptr<Context>& context);

}  // namespace mlgc
