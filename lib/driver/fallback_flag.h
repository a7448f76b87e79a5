// --fallback and --fallback-report: what an imported model may leave to PyTorch, and the ledger of it.
#pragma once

#include <span>
#include <string>

#include "driver/arguments.h"
#include "import/program/fallback.h"
#include "import/program/import_program.h"

namespace mlgc {

struct FallbackFlags {
  Fallback mode = Fallback::Error;
  std::string report;  // empty: none
};
void add_fallback_flags(Arguments& arguments, FallbackFlags& flags);

// Writes the report that was asked for: JSON when the name ends in .json. Reports what went wrong.
[[nodiscard]] ExitCode write_fallback_report(const Console& console, const FallbackFlags& flags,
                                             const FallbackLedger& ledger);

// The same of models of which one was refused: what would have become a call with --fallback=allow, where that imports
// it.
[[nodiscard]] ExitCode write_refused_report(const Console& console, const FallbackFlags& flags,
                                            std::span<const std::string> paths, ImportOptions options);

}  // namespace mlgc
