// Removes dead stores of a loop function: statements of a formula whose results a caller does not ask for.
//
// Guarantees
//   - What arguments hold afterwards, and whether and where the program ends with an error, stays as it was.
#pragma once

#include "ir/module.h"

namespace mlgc::loops {

// Linear in the function.
void drop_unread(OpRef func);

}  // namespace mlgc::loops
