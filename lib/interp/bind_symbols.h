// Private to lib/interp: values of symbols from the shapes of tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/evaluate_formula.h"
#include "ir/function.h"

namespace mlgc {

// Gives a value to every symbol without one that a dim of `type` determines alone: `[B]`, `[2*S + 1]`.
void bind_dims(Context& context, Type type, const Shape& shape, SymbolValues& symbols);
// The shape has the rank of the type, and every dim that has a value agrees.
[[nodiscard]] bool shape_fits(const Context& context, Type type, const Shape& shape, const SymbolValues& symbols);
[[nodiscard]] std::optional<Shape> shape_of(const Context& context, Type type, const SymbolValues& symbols);

// Throws a Diagnostic when one of the constraints is broken.
void check_constraints(const Constraints& constraints, const IndexPool& index, const SymbolValues& symbols,
                       Location at);

// Binds a function's arguments and checks types and constraints; throws a Diagnostic located at the function. An
// element type may be f64 instead of another float when `in_f64`.
[[nodiscard]] SymbolValues bind_arguments(FuncRef func, std::span<const Value> arguments,
                                          std::span<const Tensor> inputs, bool in_f64);

}  // namespace mlgc
