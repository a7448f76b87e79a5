// Private to lib/schedule: how strategies speak of loops and numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace mlgc::schedule {

// `%i`.
[[nodiscard]] std::string loop_text(OpRef loop);
// How often the loop runs: `512`, `3*B`, or, where that depends on other loops or on data, `some`.
[[nodiscard]] std::string count_text(OpRef loop);
// `512 iterations of %i`.
[[nodiscard]] std::string iterations_text(OpRef loop);
// Likewise of loops in each other: `4 * 14 * 14`, `4 * 14 * 14 iterations of %n, %h, %w`.
[[nodiscard]] std::string count_text(const std::vector<OpRef>& loops);
[[nodiscard]] std::string iterations_text(const std::vector<OpRef>& loops);
// `1 load`, `3 loads`.
[[nodiscard]] std::string number_of(std::size_t count, const std::string& noun);

}  // namespace mlgc::schedule
