// Pieces of formula text.
#include "ops/build_text.h"

#include <algorithm>

#include "diag/kinds_ops.h"

namespace mlgc {

std::string labels(std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) out += (out.empty() ? "d" : ", d") + std::to_string(i);
  return out;
}

std::string labels_with(std::size_t rank, std::size_t axis, const std::string& replacement) {
  return joined({labels(0, axis), replacement, labels(axis + 1, rank)});
}

std::string dim_text(const OpTypes& types, std::size_t operand, std::size_t axis) {
  return "dim(" + types.name(operand) + ", " + std::to_string(axis) + ")";
}

std::string item_text(std::string_view list, std::size_t i) { return std::string(list) + "." + std::to_string(i); }

std::string joined(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out += ", ";
    out += part;
  }
  return out;
}

Result<std::size_t, Diagnostic> axis_of(const Attrs& attrs, std::string_view name, std::string_view op,
                                        std::size_t rank) {
  const auto axis = attrs.integer(name);
  const auto r = static_cast<std::int64_t>(rank);
  if (!axis) return Failure{diagnose<kAttributeValue>({}, name, op, "an axis must be a constant")};
  if (*axis < -r || *axis >= r) return Failure{diagnose<kAxisOutOfRange>({}, *axis, name, r)};
  return static_cast<std::size_t>(*axis < 0 ? *axis + r : *axis);
}

std::string position_text(const OpTypes& types, const Attrs& attrs, std::string_view name, std::size_t axis,
                          bool clamped) {
  const std::string size = dim_text(types, 0, axis);
  const auto constant = attrs.integer(name);
  if (!constant) return std::string(name);
  const auto known = types.index().as_constant(types.dim(0, axis));
  if (known) {
    std::int64_t at = *constant < 0 ? *constant + *known : *constant;
    if (clamped) at = std::min(std::max<std::int64_t>(at, 0), *known);
    return at < 0 ? "(" + std::to_string(at) + ")" : std::to_string(at);
  }
  std::string number = std::to_string(*constant);
  if (*constant < 0) return clamped ? "max(" + size + number + ", 0)" : "(" + size + number + ")";
  if (*constant == 0 || !clamped) return number;
  return *constant >= (std::int64_t{1} << 48) ? size : "min(" + number + ", " + size + ")";
}

}  // namespace mlgc
