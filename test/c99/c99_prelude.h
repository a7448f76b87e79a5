// The prelude of the C99 target (prelude.h), as text.
#pragma once

#include "codegen/prelude.h"

namespace mlgc::c99 {

[[nodiscard]] codegen::PreludeFiles prelude();

}  // namespace mlgc::c99
