// Whether any sizes can satisfy `where` constraints.
#pragma once

#include "ir/constraint.h"

namespace mlgc {

// False where one of these shows that none do:
//   - the equations have no solution in integers (`B mod 8 == 0, B mod 8 == 3`, `2*S == 2*T + 1`);
//   - differences of two sizes add up to less than nothing (`B < T, T < B`), or bounds leave a size no value;
//   - no value that the bounds of one size leave satisfies what is said of it (`B mod 8 == 0, 1 <= B <= 7`).
// Sound and incomplete: a contradiction of another kind shows when a function runs.
[[nodiscard]] bool some_sizes_fit(const Constraints& constraints, IndexPool& pool);

}  // namespace mlgc
