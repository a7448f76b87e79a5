// Rows of quantised tensors: integers with scales along the last axis.
//
// The last axis is in groups of `group` elements, the last one of which may be shorter; without `group` the axis is one
// group. Scales and zero points have the shape of the tensor with the number of groups as last axis; the other axes
// broadcast.
//
// With 4 bits two elements share a byte of ui8. Of a group of G elements, byte j has element j in its low bits and
// element G/2 + j in its high ones: both halves of a group are contiguous, so that lanes read bytes once and need no
// interleaving. GGUF's Q4_0 packs its blocks in the same way.
#pragma once

#include <span>

#include "ir/op_def.h"

namespace mlgc {

[[nodiscard]] std::span<const OpDef* const> quantisation_rows();

}  // namespace mlgc
