// Which functions of a program compute something that has changed.
#pragma once

#include <set>
#include <string>

#include "ir/module.h"

namespace mlgc {

// Names of functions of `after` that have another structural hash than in `before`, or are new, or call or read, at any
// depth, what is so.
[[nodiscard]] std::set<std::string> changed_functions(const Module& before, const Module& after);

}  // namespace mlgc
