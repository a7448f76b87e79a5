// What one op computes and moves if it runs by itself.
#pragma once

#include "ir/module.h"

namespace mlgc {

struct OpWork {
  // By formula_operations(); of ops without a formula (`nonzero`, calls, control flow) nothing is known, and it is 0.
  IndexExpr operations;
  IndexExpr bytes;  // of what it reads and of its results, each value once; 0 for weights, constants and sizes
  bool is_counted = false;
};

// `facts` are those of its function.
[[nodiscard]] OpWork work_of(OpRef op, const Facts& facts);

}  // namespace mlgc
