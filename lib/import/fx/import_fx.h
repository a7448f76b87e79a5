// Reads a graph of torch.fx (FX JSON, written by scripts/export_fx.py) as a module. No torch is needed.
//
// Arguments are the placeholders that are tensors, and those that are numbers and have no default; results are what the
// graph gives back, laid out flat. Sizes that were dynamic when the graph was written are symbols. `input_types` of the
// options overrides what the file says of an input.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "import/program/import_program.h"

namespace mlgc {

// As import_program() says. Time is linear in the file and in what its calls come down to.
[[nodiscard]] std::optional<ImportedModel> import_fx(const std::shared_ptr<Context>& context, const std::string& path,
                                                     const ImportOptions& options, DiagnosticEngine& engine);

// What becomes of one node that is neither an input nor the output.
struct FxVerdict {
  std::string node, target;
  std::string reason;                 // why it cannot be imported; empty: it can
  Location at;                        // of the user's line
  std::vector<std::size_t> operands;  // other such nodes whose results it reads, by their places in the list
};
// Of an op that a node came to: why it is not wanted; empty: it is.
using RefuseOp = std::function<std::string(OpRef)>;

// One for each such node, in the order of the graph. A node that uses one that cannot be imported is checked as if that
// had given what was recorded of it. Nothing after a diagnostic: the file or an input is no good.
[[nodiscard]] std::optional<std::vector<FxVerdict>> fx_verdicts(const std::shared_ptr<Context>& context,
                                                                const std::string& path, const RefuseOp& refuse,
                                                                DiagnosticEngine& engine);

// What `torch.fx.Graph.print_tabular()` printed of the graph. Nothing after a diagnostic.
[[nodiscard]] std::optional<std::string> fx_listing(Context& context, const std::string& path,
                                                    DiagnosticEngine& engine);

}  // namespace mlgc
