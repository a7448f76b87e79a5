// Takes effect tokens out of a program: inputs and results that only say in which order operators with effects run,
// which is the order of the nodes anyway. `with_effects(token, operator, …)` becomes a call of the operator.
#pragma once

#include "import/program/program.h"

namespace mlgc::pt2 {

// Precondition: an input and an output of the graph for each spec.
void drop_tokens(program::Program& program);

}  // namespace mlgc::pt2
