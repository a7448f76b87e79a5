// Ground formulas as loop nests over buffers: a function of the loop level for each formula.
//
// Guarantees
//   - The function computes what the formula says, guards and order of reductions included: interpreted in native
//     precision its results are bit-equal to evaluate()'s.
//   - Accumulators are part of the text: sums and products of floats are carried in f64 and rounded once, extrema in
//     the type of what they compare. 16-bit floats are computed in f32 and rounded where the formula casts or stores.
//   - Subscripts that may lie outside their buffer are marked `checked`; every other access is inside by the formula's
//     extents and guards.
//   - Nothing is special to an op: only statements, reductions and scalar expressions are known here.
#pragma once

#include <string_view>

#include "formula/formula.h"
#include "fusion/fusion_kernel.h"
#include "ir/module.h"

namespace mlgc {

// Appends `func @name` to the module: one argument buffer per operand of the formula, then one per result, in order.
// Formula and module share a context: the formula's pool is formulas(module.context()), whose table has the rows that
// the formula's scalar functions need (InternalError otherwise).
OpRef lower_formula(Module& module, const Formula& formula, std::string_view name, const Facts& facts = {});

// The same for a fusion's kernel. What its statements have in common, its rows, are the outer loops, which are
// parallel; inside stand the steps of a row, and those of one step share loops. What only one row needs, and some later
// step reads, is a buffer of the row; everything else that is not a result is a value.
OpRef lower_kernel(Module& module, const FusionKernel& kernel, std::string_view name, const Facts& facts = {});

}  // namespace mlgc
