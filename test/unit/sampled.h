// Random cases of which CI takes a part (docs/checking.md lists it).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace mlgc::test {

// Each how many-th seed is taken: `in_ci`, or every one where MLGC_TEST_ALL is set (scripts/test --all).
inline std::uint32_t seed_step(std::uint32_t in_ci) { return std::getenv("MLGC_TEST_ALL") != nullptr ? 1 : in_ci; }

}  // namespace mlgc::test
