// The ground formula of an op as it is remembered, for those who read it and change nothing.
#pragma once

#include <memory>
#include <span>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "ir/module.h"

namespace mlgc {

// What instantiate_op() (instantiate_op.h) copies: the same object for equal ops under the same facts.
[[nodiscard]] Result<std::shared_ptr<const Formula>, Diagnostic> known_formula(Context& context, Opcode opcode,
                                                                               std::span<const Type> operands,
                                                                               AttrDict attrs, const Facts& facts = {});

}  // namespace mlgc
