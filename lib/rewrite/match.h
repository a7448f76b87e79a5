// What rules ask of values: constants, and who defines what.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/module.h"

namespace mlgc {

// The dense attribute of the `constant` that defines the value; an invalid one when something else does.
[[nodiscard]] Attribute constant_attribute(Value value);
[[nodiscard]] bool is_constant(Value value);

// The number that every element of a constant is, converted to double exactly. Nothing for integers beyond 2^53, and
// for what is no such constant.
[[nodiscard]] std::optional<double> splat_value(Value value);

// The second operand of a two-operand op as a number: a splat, or the attribute `other` where that stands for it.
[[nodiscard]] std::optional<double> second_number(OpRef op);

// Zero with that sign.
[[nodiscard]] bool is_zero(double value, bool negative);

// The op that defines `value` when it is of this kind, else an invalid handle.
[[nodiscard]] OpRef defined_by(Value value, std::string_view op);
[[nodiscard]] OpRef defined_by(Value value, Opcode opcode);

// Whether the first two operands may be swapped: the row says so, and no attribute (a factor of one side) speaks
// against it.
[[nodiscard]] bool is_commutative(OpRef op);

}  // namespace mlgc
