// An index expression as a linear function of one of its atoms.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/index_expr.h"

namespace mlgc {

// c where e = c*atom + rest, and the rest does not mention the atom; nothing where e is not of that form.
[[nodiscard]] std::optional<std::int64_t> linear_coefficient(const IndexPool& pool, IndexExpr e, AtomId atom);

}  // namespace mlgc
