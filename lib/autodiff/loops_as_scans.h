// Loops in the one form that reverse mode knows: `scan`, whose carried values can be stacked.
//
// Guarantees
//   - `for` becomes a scan over positions that nobody reads; one whose index is read stays as it is.
//   - `while` runs as it is, with a counter; then its body runs again as a scan over as many positions, which is the
//   tape
//     of the loop, and its condition region once more behind it, since what that region computes is differentiated too.
//     The first run only counts: what it carries beside what decides is removed as soon as nobody reads it.
//   - Results, locations and effects stay; nested loops are converted as well.
#pragma once

#include "autodiff/fresh_sizes.h"

namespace mlgc {

// Converts the loops inside `function` that carry floats.
void loops_as_scans(OpRef function, FreshSizes& sizes);

}  // namespace mlgc
