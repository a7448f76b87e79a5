// Reads what models/<name>.json of a .pt2 file says, checked against torch.export's schema (major version 8). Unknown
// fields are ignored.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "import/program/program.h"

namespace mlgc::pt2 {

// `member` is how diagnostics call the text. Nothing comes back after a diagnostic.
[[nodiscard]] std::optional<program::Program> read_program(std::span<const std::byte> json, const std::string& member,
                                                           Location at, DiagnosticEngine& engine);

}  // namespace mlgc::pt2
