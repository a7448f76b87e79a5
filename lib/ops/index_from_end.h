// Subscripts that count from the end of an axis.
#pragma once

#include <cstddef>

#include "ir/module.h"

namespace mlgc {

// Whether subscript `axis` of an access counts from the end, in the form that the lowering writes:
// `%i + where(%i < 0, size of the axis, 0)`. Where it is below 0, the index that the program was given is smaller by
// that size. Messages state the given index.
[[nodiscard]] bool counts_from_end(OpRef access, Value buffer, std::size_t axis);

}  // namespace mlgc
