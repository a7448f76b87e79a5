// Graph functions as kernels and host functions: the level `loops`.
//
// Guarantees
//   - Each op with a formula, and each `fusion`, becomes a loop function over buffers, `@f.N.names`, numbered as the
//     program goes; equal ones are one. The function itself becomes the host function that allocates, launches them in
//     order, with the control flow that there was, and has its results, then its new states, as last arguments
//     (`attributes {results = N}`).
//   - Views are other names of their buffers, not copies.
//   - Weights and states are read where they lie (`data`); constants with unequal elements become derived weights
//     `@f.constantN`.
//   - What the functions compute stays the same, bit for bit in native precision. Functions of the loop level stay.
//   - It is done as a whole or not at all: every op without a lowering is reported.
#pragma once

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

struct LoweredCounts {
  std::size_t functions = 0, kernels = 0;
};

// Nothing, with errors emitted, when some op has no lowering: the module is as it was.
// `for_threads`: an iteration has many threads, as on a GPU: sorts are networks of them, and running extrema are not
// carried by one.
std::optional<LoweredCounts> lower_to_loops(Module& module, DiagnosticEngine& diagnostics, bool for_threads = false);

}  // namespace mlgc
