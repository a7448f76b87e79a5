// Numbers for expressions over sizes, where people or decisions need one: sizes that are symbols count as typical ones.
#pragma once

#include <map>
#include <span>
#include <string>

#include "ir/index_expr.h"

namespace mlgc {

// A number to use for a size where a decision needs one: itself, where it is constant; a symbol counts as 64,
// or as the nearest bound that its function states.
[[nodiscard]] double typical_size(const IndexPool& index, IndexExpr size, const Facts& facts);

// The product of the extents of index labels.
[[nodiscard]] double typical_product(const IndexPool& index, std::span<const AtomId> labels, const Facts& facts);

struct SizeRatio {
  double value = 0;    // 0 where b is 0
  bool exact = false;  // whatever the sizes are
};
// a over b.
[[nodiscard]] SizeRatio typical_ratio(IndexPool& index, IndexExpr a, IndexExpr b, const Facts& facts);

// The symbols in an expression, by name.
[[nodiscard]] std::map<std::string, double> typical_symbols(IndexPool& index, IndexExpr e, const Facts& facts);
// ` at B = 64, S = 64`, of these; empty without any.
[[nodiscard]] std::string at_typical_sizes(IndexPool& index, IndexExpr e, const Facts& facts);

}  // namespace mlgc
