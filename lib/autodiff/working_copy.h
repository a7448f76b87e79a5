// The function that a pass of this folder works on in the place of one that it leaves alone.
#pragma once

#include <string_view>

#include "ir/function.h"

namespace mlgc {

// A copy under another name, at the end of the module: its arguments, sizes, results and updates. Of a function that
// states its gradient it is a call of that function, so that what differentiates the copy meets the gradient. Names of
// arguments are kept; those of results the caller sets.
[[nodiscard]] FuncRef working_copy(FuncRef function, Module& module, std::string_view name);

}  // namespace mlgc
