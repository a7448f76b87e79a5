// Replaces regions that only say how PyTorch runs their operators by the operators: gradient modes, checkpoints, strict
// mode and autocast, whose casts become nodes. What is left to hold a graph is control flow.
//
// What is computed where gradients are not enabled (`torch.no_grad`) and used where they are passes through `detach`:
// no gradient leads into it.
//
// Inside of `torch.autocast` an exporter records operators as they were called, and results of the types that autocast
// gave them (PyTorch, "Automatic Mixed Precision package", Autocast Op Reference). Where the recorded float type is not
// the one that the operands promote to, autocast has cast the operands to it: no list of operators is needed.
#pragma once

#include "diag/diagnostic.h"
#include "import/program/program.h"

namespace mlgc::program {

// False after a diagnostic: a region that does not fit its node. Linear in the nodes.
[[nodiscard]] bool inline_regions(Program& program, LocationTable& locations, DiagnosticEngine& engine);

}  // namespace mlgc::program
