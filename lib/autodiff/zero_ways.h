// Where the way from a value to a result ends, for warnings about derivatives that are zero.
#pragma once

#include <span>

#include "autodiff/fresh_sizes.h"
#include "autodiff/gradient_rules.h"
#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

// Notes kGradientEnds for the first ops that depend on one of `from` and lead to one of `results`, but pass no
// derivative on. The function is one whose loops are scans (loops_as_scans); linear in its ops.
void note_ends(Diagnostic& warning, FuncRef function, std::span<const Value> from, std::span<const std::size_t> results,
               GradientRules& rules, FreshSizes& sizes);

}  // namespace mlgc
