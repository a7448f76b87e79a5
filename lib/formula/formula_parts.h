// A formula of several statements as formulas of one statement each.
#pragma once

#include <string>
#include <vector>

#include "formula/formula.h"

namespace mlgc {

// A statement as the attribute `formula` of an op `compute`.
struct FormulaPart {
  std::string text;
  std::vector<TensorId> operands;  // what x0, x1, … of the text are in the whole formula
  TensorId result;
};

// One part for each statement, in order: what a part reads is an operand of the formula or the result of a part before.
[[nodiscard]] std::vector<FormulaPart> formula_parts(FormulaPool& pool, const Formula& formula);

}  // namespace mlgc
