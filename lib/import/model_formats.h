// The formats of model files that are read: a row for each. A format is a folder of lib/import and its row.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "import/program/import_program.h"

namespace mlgc {

using ImportFunction = std::optional<ImportedModel> (*)(const std::shared_ptr<Context>& context,
                                                        const std::string& path, const ImportOptions& options,
                                                        DiagnosticEngine& engine);

struct ModelFormat {
  std::string_view name;     // as PyTorch calls it: `torch.export`
  std::string_view suffix;   // of file names; formats are told apart by it
  std::string_view file;     // as help and messages call such a file: `.pt2 of torch.export`
  bool states_types = true;  // of inputs, which --input-type may then not state
  ImportFunction read = nullptr;
};

[[nodiscard]] std::span<const ModelFormat> model_formats();
// That of torch.export, whose files are known by what they hold where the name does not say it.
[[nodiscard]] const ModelFormat& exported_format();
// By the name, as PyTorch calls it. Precondition: there is such a format.
[[nodiscard]] const ModelFormat& model_format(std::string_view name);
// By the suffix of the path; null: it is not the path of a model file.
[[nodiscard]] const ModelFormat* model_format_of(std::string_view path);
// `.pt2 of torch.export, .pt of TorchScript, or FX JSON`.
[[nodiscard]] std::string model_files_text();

}  // namespace mlgc
