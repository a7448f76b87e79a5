// Several model files as one module: what `mlgc import prefill.pt2 decode.pt2` writes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "import/import_model.h"

namespace mlgc {

// Imports the models, links them where there are several (link_models.h), and writes module and weights as
// write_imported() does, under the names that named_after() gives for the first of them. The ledger counts the calls of
// all. Nothing is written after an error. Precondition: at least one path, and find_equal_names() finds none equal.
[[nodiscard]] std::optional<FallbackLedger> import_model_files(std::span<const std::string> paths,
                                                               const std::string& output, const ImportOptions& options,
                                                               DiagnosticEngine& engine,
                                                               const std::shared_ptr<Context>& context);

}  // namespace mlgc
