// Makes a program functional: operators that change tensors in place become operators with results, and what other
// views of the same memory read from then on follows. States and inputs that are changed become outputs of the program.
//
// A view remembers the node that made it. After a change it is made again from what it is a view of when it is next
// read; a change through a view is carried back, view by view, to the tensor whose memory it is. PyTorch's own
// functionalisation does the same on tensors ("functionalization", torch/_subclasses/functional_tensor.py); here it is
// a rewriting of plain data, so that the conversion never sees an operator with effects.
#pragma once

#include "diag/diagnostic.h"
#include "import/program/program.h"

namespace mlgc::program {

// What is functional by its level stays as it is. False after a diagnostic: a change that cannot be followed, located
// at the node. Linear in the nodes, but for views that are made again.
[[nodiscard]] bool functionalise(Program& program, LocationTable& locations, DiagnosticEngine& engine);

}  // namespace mlgc::program
