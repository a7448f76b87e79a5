// Attributes of MLIR that are none of our kinds (`5 : i8`, `unit`, dictionaries, affine maps, other dialects'), kept as
// their text in MLIR's syntax. Only attributes whose names have a dot can hold them: no op's row asks for one.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ir/attribute.h"

namespace mlgc::text {

// An array whose first item is no attribute, which no other text makes.
inline Attribute make_mlir_attribute(AttributePool& pool, std::string_view text) {
  const std::array<Attribute, 2> items{Attribute(), pool.string(text)};
  return pool.array(items);
}

// The text; nothing for an attribute of our own kinds.
inline std::optional<std::string_view> as_mlir_attribute(const AttributePool& pool, Attribute attribute) {
  if (pool.kind(attribute) != AttributeKind::Array) return std::nullopt;
  const std::span<const Attribute> items = pool.as_array(attribute);
  return items.size() == 2 && !items[0].valid() ? pool.as_string(items[1]) : std::nullopt;
}

}  // namespace mlgc::text
