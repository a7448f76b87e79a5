// Of which sizes a formula speaks.
#pragma once

#include <vector>

#include "formula/formula.h"

namespace mlgc {

// The symbols in shapes, extents of labels, subscripts, guards and bodies; each once, by id. Linear in the text.
[[nodiscard]] std::vector<AtomId> sizes_of(FormulaPool& pool, const Formula& formula);

}  // namespace mlgc
