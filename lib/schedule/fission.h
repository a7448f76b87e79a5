// Private to lib/schedule: what loop fission would make of a loop, for what decides on it.
#pragma once

#include <cstdint>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc::schedule {

// Whether the op, in the body of `rows`, holds a contraction that reads what iterations of `rows` share.
[[nodiscard]] bool holds_shared_product(OpRef op, OpRef rows);
// Bytes that an iteration of the loop keeps for what a later one of the loops made by fission() reads; sizes that
// are unknown count as `usual`. Error: why it would be refused.
[[nodiscard]] Result<std::int64_t, Diagnostic> bytes_between(OpRef rows, std::int64_t usual);

}  // namespace mlgc::schedule
