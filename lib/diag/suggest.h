// "Did you mean": the nearest of a list of names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace mlgc {

// Edits (insert, delete, replace, swap neighbours) that turn a into b, or limit + 1 when it takes more. Time is
// O(limit * length).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate nearest to `name`, at most a third of its length away (at least one edit is allowed for names of two
// and more characters); the first in alphabetical order among equally near ones. Nothing when none is near, or when
// `name` is longer than 64 bytes.
[[nodiscard]] std::optional<std::string_view> closest_name(std::string_view name,
                                                           std::span<const std::string_view> candidates);

}  // namespace mlgc
