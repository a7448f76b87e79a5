// Reads a graph of torch.fx (FX JSON, written by scripts/export_fx.py) as a module. No torch is needed.
//
// Arguments are the placeholders that are tensors, and those that are numbers and have no default; results are what the
// graph gives back, laid out flat. Sizes that were dynamic when the graph was written are symbols. `input_types` of the
// options overrides what the file says of an input.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/program/import_program.h"

namespace mlgc {

// As import_program() says. Time is linear in the file and in what its calls come down to.
[[nodiscard]] std::optional<ImportedModel> import_fx(const std::shared_ptr<Context>& context, const std::string& path,
                                                     const ImportOptions& options, DiagnosticEngine& engine);

// What `torch.fx.Graph.print_tabular()` printed of the graph. Nothing after a diagnostic.
[[nodiscard]] std::optional<std::string> fx_listing(Context& context, const std::string& path,
                                                    DiagnosticEngine& engine);

}  // namespace mlgc
