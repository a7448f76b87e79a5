// Host functions as source is emitted from them: each loop function has one, and they launch kernels alone.
#pragma once

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc {

// Each loop function that is not a host function and is not launched becomes `@NAME.kernel` (with `_` after it where
// that is taken), and a host function `@NAME` launches it: its results are the arguments that the kernel writes, in
// order. Then launches of what is not a kernel are replaced (inline_launches.h). Error (kCannotEmit): a kernel that
// reads what it writes, whose results would start as whatever the caller's memory holds.
[[nodiscard]] Status<Diagnostic> add_host_functions(Module& module);

}  // namespace mlgc
