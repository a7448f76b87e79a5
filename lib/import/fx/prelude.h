// What PyTorch's Python layer does above ATen, in Python itself: functions of torch.nn.functional, methods of tensors
// and modules of torch.nn as calls of ATen operators. The text is prelude.cpp's; prelude_syntax.h says what Python it
// may use.
//
// A name without a def here may still be that of an ATen operator, which takes the same arguments (calls.h).
#pragma once

#include <string_view>
#include <vector>

#include "import/fx/prelude_syntax.h"

namespace mlgc::fx {

// The function of that name, such as `torch.nn.functional.relu`, `Tensor.float` or `torch.nn.modules.linear.Linear`;
// null when there is none. Parsed when it is first asked for; may be called from several threads.
[[nodiscard]] const Function* find_function(std::string_view name);

// The names of all, sorted.
[[nodiscard]] std::vector<std::string_view> function_names();

}  // namespace mlgc::fx
