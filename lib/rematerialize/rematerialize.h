// Applies a choice of what to recompute to a function with gradients.
//
// Guarantees
//   - The function computes what it computed, bit for bit. Where an op is recomputed, backward reads a copy of it. The
//     copy is in front of the first op of backward that needs it.
//   - A chain of copies begins at an `optimization_barrier`, which waits for what backward has computed by then, so
//   that
//     copies are neither merged with their originals nor computed early.
//   - An op is copied at most once. Linear.
#pragma once

#include <cstddef>

#include "rematerialize/choose.h"

namespace mlgc {

// How many ops were copied. Precondition: both are of the function as it is.
std::size_t rematerialize(const ForwardPart& part, const Recomputed& recomputed);

}  // namespace mlgc
