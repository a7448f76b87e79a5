// An emitted model as a folder that builds by itself: source, the runtime's source, weights, a CMakeLists.txt, a
// README.
//
// Guarantees
//   - It appears whole or not at all; it replaces an older one of its kind, or an empty folder, and nothing else.
#pragma once

#include <string>

#include "compile/emit_model.h"

namespace mlgc {

// Error: kEmittedInTheWay, kCannotWrite.
[[nodiscard]] Status<Diagnostic> write_emitted(const std::string& folder, const EmittedModel& model);

}  // namespace mlgc
