// --fallback and --fallback-report: what an imported model may leave to PyTorch, and the ledger of it.
#pragma once

#include <string>

#include "driver/arguments.h"
#include "import/program/fallback.h"

namespace mlgc {

struct FallbackFlags {
  Fallback mode = Fallback::Error;
  std::string report;  // empty: none
};
void add_fallback_flags(Arguments& arguments, FallbackFlags& flags);

// Writes the report that was asked for: JSON when the name ends in .json. Reports what went wrong.
[[nodiscard]] ExitCode write_fallback_report(const Console& console, const FallbackFlags& flags,
                                             const FallbackLedger& ledger);

}  // namespace mlgc
