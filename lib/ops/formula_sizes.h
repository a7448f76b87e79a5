// Of which sizes a formula speaks, and an op.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ir/module.h"
#include "ops/formula.h"

namespace mlgc {

// The symbols in shapes, extents of letters, subscripts, guards and bodies; each once, by id. Linear in the text.
[[nodiscard]] std::vector<AtomId> sizes_of(FormulaPool& pool, const Formula& formula);

// Calls `visit` for each symbol of which an op itself speaks, with repetitions: in the types of its results and of its
// regions' arguments, in attributes, and in the formula of a `compute`. Precondition: the op is one that verifies.
void for_each_size(OpRef op, const std::function<void(AtomId)>& visit);

// The names of those of which a function speaks.
[[nodiscard]] std::set<std::string> size_names(FuncRef function);

}  // namespace mlgc
