// Modules from files of texts and model files, or from standard input.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "import/import_model.h"
#include "import/load_module.h"
#include "ir/module.h"
#include "support/result.h"
#include "tensor/npz.h"

namespace mlgc {

struct NamedText {
  std::string name;  // for messages: the path, or `<stdin>`
  std::string text;
};
// "-" is standard input. Error: the file cannot be read, or is of a kind that another command takes (file_kind.h).
[[nodiscard]] Result<NamedText, Diagnostic> read_text(const std::string& path);

// The same, or the text that a model file is imported as; its weights are left out, with a note. Nothing when an error
// was reported.
[[nodiscard]] std::optional<NamedText> read_program(const std::shared_ptr<Context>& context, const std::string& path,
                                                    DiagnosticEngine& diagnostics);

struct LoadedModel {
  Module module;
  NamedTensors weights;     // that came with a model file
  FallbackLedger fallback;  // what became calls of PyTorch
};

// Of a model file, or of a text; "-" is standard input. Nothing when errors were reported.
[[nodiscard]] std::optional<LoadedModel> load_model(const std::shared_ptr<Context>& context, const std::string& path,
                                                    const ImportOptions& options, DiagnosticEngine& diagnostics);
// The same without its data.
[[nodiscard]] std::optional<Module> load_input(const std::shared_ptr<Context>& context, const std::string& path,
                                               DiagnosticEngine& diagnostics);

}  // namespace mlgc
