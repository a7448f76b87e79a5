// Where the pieces of a vector loop begin.
//
// A lane of a vector loop with `per_lane = P` takes P neighbouring iterations at a time, a piece. Pieces begin at the
// first iteration; where the brackets have a third expression S, from 0 to P - 1, they begin S iterations before it,
// and the first piece has P - S. So pieces are aligned in memory, wherever the row begins.
#pragma once

#include <optional>

#include "ir/index_expr.h"
#include "loopir/loop_ops.h"

namespace mlgc {

// The third expression, whose opaque atoms number the loop's operands; nothing where there is none.
[[nodiscard]] std::optional<IndexExpr> skew_of(ForRef loop);
// Likewise over values.
[[nodiscard]] std::optional<IndexExpr> skew_over_values(ForRef loop);
// Whether the expression is from 0 to per_lane - 1 by its form: it is such a number, or a remainder, or
// a number times one.
[[nodiscard]] bool is_skew(const IndexPool& pool, IndexExpr e, std::int64_t per_lane);

}  // namespace mlgc
