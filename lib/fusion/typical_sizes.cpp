// See typical_sizes.h.
#include "fusion/typical_sizes.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "text/module_report.h"

namespace mlgc {

double typical_size(const IndexPool& index, IndexExpr size, const Facts& facts) {
  constexpr std::int64_t kTypical = 64;
  if (const auto known = index.as_constant(size)) return static_cast<double>(std::max<std::int64_t>(*known, 0));
  const auto value = index.evaluate(size, [&](AtomId symbol) -> std::optional<std::int64_t> {
    return std::clamp(kTypical, facts.lower(symbol).value_or(0),
                      std::max(facts.lower(symbol).value_or(0), facts.upper(symbol).value_or(kTypical)));
  });
  return value ? static_cast<double>(std::max<std::int64_t>(*value, 0)) : static_cast<double>(kTypical);
}

double typical_product(const IndexPool& index, std::span<const AtomId> labels, const Facts& facts) {
  double product = 1;
  for (const AtomId label : labels) product *= typical_size(index, index.atom(label).a, facts);
  return product;
}

SizeRatio typical_ratio(IndexPool& index, IndexExpr a, IndexExpr b, const Facts& facts) {
  const double over = typical_size(index, a, facts), under = typical_size(index, b, facts);
  if (under == 0) return {};
  // a : b is what it is at the typical sizes whatever they are, where a*b' == b*a'.
  constexpr double kExact = 1e15;
  const bool exact = over < kExact && under < kExact &&
                     index.equal(index.mul(a, index.constant(static_cast<std::int64_t>(under))),
                                 index.mul(b, index.constant(static_cast<std::int64_t>(over)))) == Truth::Yes;
  return {over / under, exact};
}

std::map<std::string, double> typical_symbols(IndexPool& index, IndexExpr e, const Facts& facts) {
  std::map<std::string, double> out;
  index.for_each_atom(e, [&](AtomId atom) {
    if (index.atom(atom).kind == AtomKind::Symbol)
      out.emplace(index.symbol_name(atom), typical_size(index, index.from_atom(atom), facts));
  });
  return out;
}

std::string at_typical_sizes(IndexPool& index, IndexExpr e, const Facts& facts) {
  std::string out;
  for (const auto& [size, value] : typical_symbols(index, e, facts))
    out += (out.empty() ? " at " : ", ") + size + " = " + short_number(value);
  return out;
}

}  // namespace mlgc
