// Loops in the one form that reverse mode knows: `scan`, whose carried values can be stacked.
//
// Guarantees
//   - `for` becomes a scan over positions without uses; one whose index is read stays as it is.
//   - `while` runs as it is, with a counter. Then its body runs again as a scan over as many positions: the tape of the
//     loop. Its condition region runs once more after it, since what that region computes is differentiated too.
//     The first run only counts: carried values that its condition does not need are removed once they have no uses.
//   - Results, locations and effects stay; nested loops are converted as well.
#pragma once

#include "autodiff/fresh_sizes.h"

namespace mlgc {

// Converts the loops inside `function` that carry floats.
void loops_as_scans(OpRef function, FreshSizes& sizes);

}  // namespace mlgc
