// The rows of the passes, one file each. all_passes() lists them.
#pragma once

#include "pass/pass.h"

namespace mlgc {

extern const PassDef kDcePass;

}  // namespace mlgc
