// See usual_size.h.
#include "transforms/usual_size.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ir/assumed_size.h"

namespace mlgc {

double usual_size(const IndexPool& index, IndexExpr size, const Facts& facts) {
  const auto value = index.evaluate(size, [&](AtomId symbol) -> std::optional<std::int64_t> {
    if (index.atom(symbol).kind != AtomKind::Symbol) return std::nullopt;
    const std::int64_t least = facts.lower(symbol).value_or(0), most = facts.upper(symbol).value_or(INT64_MAX);
    return std::max(least, std::min(most, kAssumedSize));
  });
  return static_cast<double>(value.value_or(kAssumedSize));
}

}  // namespace mlgc
