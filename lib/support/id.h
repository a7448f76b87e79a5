// Dense 32-bit ids. An id is an index into one table of one owner; ids of different tables have different types, so a
// value id cannot be used where an op id is meant. A default-constructed id is invalid.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace mlgc {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kInvalid = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kInvalid;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kInvalid; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace mlgc

template <class Tag>
struct std::hash<mlgc::Id<Tag>> {
  std::size_t operator()(mlgc::Id<Tag> id) const noexcept { return id.value * 0x9E3779B97F4A7C15ULL; }
};
