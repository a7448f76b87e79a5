// How an index expression changes along a piece: the values first, first + 1, … of an atom, where `first` is a multiple
// of their number. Quotients and remainders by multiples of that number are constant along a piece, or go along with
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ir/index_expr.h"

namespace mlgc {

struct PieceChange {
  std::optional<std::int64_t> step;  // from one value to the next; nothing: it is not constant
  std::int64_t multiple = 1;         // of this the expression is one where the piece begins; at most its length
};
// Along pieces of `length` of the atoms that `is_index` names. Sound: symbols and other atoms are any
// integers.
[[nodiscard]] PieceChange piece_change(const IndexPool& pool, IndexExpr e, std::int64_t length,
                                       const std::function<bool(const Atom&)>& is_index);

}  // namespace mlgc
