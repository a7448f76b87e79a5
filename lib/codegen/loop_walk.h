// The one walk over loop ops that prints C-like source; a back end supplies the leaves.
//
// Guarantees
//   - Each function is `int name(buffers in the order of its arguments, sizes in the order of their names)`; it returns
//     0, or the number of the failure, which its comment lists.
//   - Each nest is preceded by the text that it was printed from.
//   - Values are computed in the order of the text; names come from the text and are unique in a function.
#pragma once

#include <string>

#include "codegen/leaves.h"
#include "ir/module.h"

namespace mlgc::codegen {

// Precondition (InternalError): a loop function that the interpreter accepts.
[[nodiscard]] std::string print_loop_function(OpRef func, const Leaves& leaves);

}  // namespace mlgc::codegen
