// What a size counts as where a pass weighs the work of two ways.
#pragma once

#include "ir/index_expr.h"

namespace mlgc {

// The value of `size`, of which each symbol is 256, or the bound of `facts` that keeps it from being so.
[[nodiscard]] double usual_size(const IndexPool& index, IndexExpr size, const Facts& facts);

}  // namespace mlgc
