// What `mlgc opt` says about single values of the module that it prints: --why-not and --explain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "support/result.h"

namespace mlgc {

// Why the rule does not apply to the op with that result, for each such op: what its left side or its conditions want
// and do not find, or the class that the mode does not admit. `question` is RULE@%VALUE; values are called as in the
// pretty form of the module. Rules are those of built-in files and of `files`.
[[nodiscard]] Result<std::string, Diagnostic> explain_why_not(const Module& module, std::string_view question,
                                                              const std::vector<std::string>& files, Numerics mode);

// The rules that made the value, the last one first, and the ops of the input from which it comes. `name` is %VALUE.
[[nodiscard]] Result<std::string, Diagnostic> explain_origin(const Module& module, std::string_view name);

}  // namespace mlgc
