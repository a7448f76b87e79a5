// The table of passes: every pass there is, in one explicit list.
#pragma once

#include <span>

#include "pass/pass.h"

namespace mlgc {

// In alphabetical order of their names. A span lives until the next add_pass().
[[nodiscard]] std::span<const PassDef* const> all_passes();

// For programs that bring passes of their own, before they use the list; not thread-safe. The row must outlive its use,
// and its name must be new (InternalError).
void add_pass(const PassDef& pass);

}  // namespace mlgc
