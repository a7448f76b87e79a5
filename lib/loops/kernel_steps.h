// Private to lib/loops: the steps of a kernel's rows, and the nests that statements of one step share. Makes no ops.
//
// A row's steps are those of KernelShape: what a step needs of the row is there when it begins, or, for statements of
// the same step, element by element. Reductions that are one value of a row and elementwise statements over the same
// axes are one nest, which carries the accumulators.
#pragma once

#include <cstddef>
#include <vector>

#include "fusion/kernel_formula.h"

namespace mlgc::loops {

// Loops that statements of one step share: one for each axis.
struct SharedNest {
  struct Part {
    std::size_t statement = 0;
    ExprId reduce;         // of a statement that is one value of a row: a reduction in it; else the statement itself
    bool running = false;  // `reduce` iterates over the innermost loop: the statement itself too, after each element
  };
  std::vector<AtomId> labels;  // of the first part
  std::vector<Part> parts;
};

struct KernelSteps {
  struct Step {
    std::vector<SharedNest> nests;
    std::vector<std::size_t> values;  // statements that are one value of a row, computed after the nests
  };
  std::vector<AtomId> rows;                 // outermost first; each has a loop
  std::vector<Step> steps;                  // of each row
  std::vector<bool> stored;                 // by tensor: another nest than the one that computes it reads it
  std::vector<std::vector<bool>> row_dims;  // by tensor, by dim: rows iterate over it; empty for operands and results
};

// Precondition: each statement of the kernel is in gather form and has no guard and no base.
[[nodiscard]] KernelSteps plan_steps(FormulaPool& pool, const KernelFormula& kernel);

}  // namespace mlgc::loops
