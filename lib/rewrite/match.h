// What rewrites ask of values: whether they are constants, and which.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace mlgc {

// The dense attribute of the `constant` that defines the value; an invalid one when something else does.
[[nodiscard]] Attribute constant_attribute(Value value);
[[nodiscard]] bool is_constant(Value value);

// The number that every element of a constant is, converted to double exactly. Nothing for integers beyond 2^53, and
// for what is no such constant.
[[nodiscard]] std::optional<double> splat_value(Value value);

// Whether the first two operands may be swapped: the row says so, and no attribute (a factor of one side) speaks
// against it.
[[nodiscard]] bool is_commutative(OpRef op);

}  // namespace mlgc
