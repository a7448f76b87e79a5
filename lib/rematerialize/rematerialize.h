// Puts a choice of what to compute again into a function with gradients.
//
// Guarantees
//   - The function computes what it computed, bit for bit. What backward reads of an op that is computed again, it
//   reads
//     of a copy, which
//     stands in front of the first op of backward that needs it.
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
