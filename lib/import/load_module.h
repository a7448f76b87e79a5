// Modules from texts: parsed, with the types inferred that a text leaves out, and verified.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "text/parser.h"

namespace mlgc {

// Inference from the rows, for the parser: symbols' facts come from the `where` clause of the function around the op.
[[nodiscard]] InferFunction row_inference(Context& context);

struct LoadOptions {
  TextRange range{0, static_cast<std::size_t>(-1)};
  bool verify = true;
  bool any_order = false;  // values may be used before their definition: the caller sorts the module
};
// Nothing when errors were reported. `file` belongs to the context's location table.
[[nodiscard]] std::optional<Module> load_module(const std::shared_ptr<Context>& context, const SourceFile& file,
                                                DiagnosticEngine& diagnostics, const LoadOptions& options = {});

}  // namespace mlgc
