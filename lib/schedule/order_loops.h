// Private to lib/schedule: loops of a nest in the order of the memory that they go through.
#pragma once

#include "ir/module.h"

namespace mlgc::schedule {

class StepTaker;

// Perfectly nested loops are interchanged until the inner ones iterate over the later axes of what the nest
// reads most: those that reduce one value together, as far as the numerics admit it, and those around what reduces.
// Which order that is follows from subscripts alone. Nests of contractions stay. Of those that only touch single
// elements the one along which they are read goes next to the one along which they are written.
void order_loops(StepTaker& steps, OpRef nest);

}  // namespace mlgc::schedule
