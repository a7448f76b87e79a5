// Functions that state their gradient: `func @f(…) -> … gradient @g`.
//
// @g computes the adjoints of a call of @f in the place of what @f's body would derive. It takes the arguments of @f,
// then a cotangent for each float result, in order, and returns a gradient for each float argument, in order: the
// vector-Jacobian product as one pure function (compare JAX's `custom_vjp`, whose pair of functions with residuals it
// replaces: what @g recomputes merges with what @f computes once both are inlined).
//
// A gradient is stated for arguments, of results: a function that states one reads no float weight or state, itself or
// by a call, and updates nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

// Numbers of the types that have gradients: float tensors.
[[nodiscard]] std::vector<std::size_t> float_numbers(const Context& context, std::span<const Type> types);

// Whether the op is a call of a function that states its gradient.
[[nodiscard]] bool calls_stated_gradient(OpRef op);
// The function that a call names. Precondition: the op is a call of a module that verifies.
[[nodiscard]] FuncRef callee_of(OpRef call);

// Leaves a function without one, whose gradient is that of its body.
void remove_stated_gradient(FuncRef function);

// What is wrong with the gradient that the function states: there is no such function, or it has another signature. Its
// sizes may have other names, as those of a callee. Nothing when the function states none. Time is linear in both
// signatures.
[[nodiscard]] std::optional<Diagnostic> check_stated_gradient(FuncRef function);

}  // namespace mlgc
