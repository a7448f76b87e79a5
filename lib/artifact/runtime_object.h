// The runtime of lib/runtime as this program's build compiled it: position-independent code that links libc and
// pthreads alone, whatever compiler made it, so that a model costs its user the compilation of its own kernels and
// nothing else.
#pragma once

#include <string_view>

namespace mlgc {

// An object file of the machine that this program runs on.
[[nodiscard]] std::string_view runtime_object();

}  // namespace mlgc
