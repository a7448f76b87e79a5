// Formatting of texts with their comments (`mlgc fmt`): a pass over tokens, not over the program.
//
// Guarantees
//   - Tokens and comments stay, in their order; only white space changes. The result parses to the same module.
//   - format(format(t)) == format(t).
//   - Lines are indented by two blanks for each open brace; one blank between tokens as in printed programs; at most
//   one
//     empty line in a row. Line breaks stay where they were, and are added where a region begins or ends.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"

namespace mlgc {

// Nothing when the text has tokens that are none (reported). What is no program but has good tokens is formatted too.
[[nodiscard]] std::optional<std::string> format_text(const LocationTable& locations, const SourceFile& file,
                                                     DiagnosticEngine& diagnostics);

}  // namespace mlgc
