// Why rewriting with the rules of a set ends: a proof for each rule, from its text.
//
// The measure of a module, compared in this order, which every rule of phase `simplify` must make smaller whatever the
// program around it:
//   1. the number of ops that are not constants;
//   2. the sum, over all ops that are not constants, of the cost of what the op computes written out as a tree:
//   op_cost()
//      of every node, 1 for an argument;
//   3. the number of ops of two operands of which the first is a constant and the second is none.
// Rules together end because each single one makes the same measure smaller. Surely removed are the root, and ops of
// the left side of which a condition says `uses(label) == 1`.
//
// Rules of phase `once` end because they visit each op once, those of phase `grow` because each takes ops of the outer
// level into a region.
#pragma once

#include <optional>
#include <string>

#include "rewrite/rule_text.h"

namespace mlgc {

// What an op weighs in the measure, at least 1: constants and movements weigh 1; more for what computes more. From the
// row alone.
[[nodiscard]] int op_cost(const OpDef& def);

struct OrderProof {
  bool holds = false;
  // `it makes 1 op and removes 2`; when it does not hold, what stands against it.
  std::string reason;
};
[[nodiscard]] OrderProof prove_order(const Context& context, const TextRule& rule);

}  // namespace mlgc
