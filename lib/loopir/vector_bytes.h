// The width of vectors that a module is scheduled for.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace mlgc {

// How wide the vectors are that schedules make their tiles for, in bytes: `module attributes {vector_bytes = "32"}`, or
// 64. Results are the same bits for each.
[[nodiscard]] std::int64_t vector_bytes(const Module& module);
[[nodiscard]] bool states_vector_bytes(const Module& module);
// Precondition: 16, 32 or 64.
void set_vector_bytes(Module& module, std::int64_t bytes);

}  // namespace mlgc
