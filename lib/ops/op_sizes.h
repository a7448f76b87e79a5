// Of which sizes an op speaks, and a function.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ir/function.h"
#include "ir/module.h"

namespace mlgc {

// Calls `visit` for each symbol of which an op itself speaks, with repetitions: in the types of its results and of its
// regions' arguments, in attributes, and in the formula of a `compute`. Precondition: the op is one that verifies.
void for_each_size(OpRef op, const std::function<void(AtomId)>& visit);

// The names of those of which a function speaks.
[[nodiscard]] std::set<std::string> size_names(FuncRef function);

}  // namespace mlgc
