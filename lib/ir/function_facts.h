// What is known of the sizes around an op: the `where` clause of its function, and those of the ops inside that
// introduce sizes. What an op states holds wherever its size may be used, which is after it.
#pragma once

#include <unordered_set>

#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc {

// Remembers the function that was asked for last, so that a walk in program order pays once for each function.
// Constraints of functions and sizes of ops must not change meanwhile; a function may still grow.
class FunctionFacts {
 public:
  // Of the function that holds the op, or is it; no facts outside of functions. The reference holds until the next
  // question.
  [[nodiscard]] const Facts& of(OpRef op);

 private:
  OpId function_;
  Constraints constraints_;
  std::unordered_set<OpId> taken_;  // ops whose constraints these are
  Facts facts_;
};

}  // namespace mlgc
