// Private to lib/memory: which kernels copy.
#pragma once

#include "ir/module.h"

namespace mlgc {

// Whether a loop function stores every element of its first argument at the same place of its second, and nothing else.
[[nodiscard]] bool is_copy_kernel(OpRef kernel);

}  // namespace mlgc
