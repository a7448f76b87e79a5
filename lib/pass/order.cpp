// The table of order facts.
#include "pass/order.h"

#include <array>

namespace mlgc {

namespace {

constexpr std::array kFacts{
    OrderFact{"replace-op", "expand", OrderStrength::Required,
              "expand dissolves composites, so that replace-op would no longer find them"},
    OrderFact{"inline", "canonicalize", OrderStrength::Advised,
              "what callers pass becomes visible to the rules only where the callee is inlined"},
    OrderFact{"inline", "cse", OrderStrength::Advised,
              "two calls of one function become equal ops only where the callee is inlined"},
    OrderFact{"inline", "derive-weights", OrderStrength::Advised,
              "what a callee computes from weights that callers pass depends on weights only where it is inlined"},
    OrderFact{"apply-rules", "derive-weights", OrderStrength::Advised,
              "rules that fold ops into weights leave arithmetic on weights in the function"},
    OrderFact{"canonicalize", "derive-weights", OrderStrength::Advised,
              "rules that fold ops into weights leave arithmetic on weights in the function"},
    OrderFact{"inline", "simplify-shapes", OrderStrength::Advised,
              "sizes of a callee are those of the caller only where it is inlined"},
    OrderFact{"simplify-shapes", "cse", OrderStrength::Advised, "equal sizes are equal ops only after it"},
    OrderFact{"simplify-shapes", "dce", OrderStrength::Advised,
              "the sizes from which a size was computed are left without a reader"},
    OrderFact{"simplify-control-flow", "loop-invariant-code-motion", OrderStrength::Advised,
              "a carried value that never changes is one from outside the loop only after it"},
    OrderFact{"compose-views", "dce", OrderStrength::Advised, "ops in the middle of a chain are left without a reader"},
    OrderFact{"derive-weights", "cse", OrderStrength::Advised,
              "what several places computed from weights is a read of one weight in each of them"},
    OrderFact{"loop-invariant-code-motion", "cse", OrderStrength::Advised,
              "what several loops computed stands side by side before them"},
    OrderFact{"constant-fold", "dce", OrderStrength::Advised,
              "folding leaves the operands of what it folded without a reader"},
};

}  // namespace

std::span<const OrderFact> order_facts() { return kFacts; }

}  // namespace mlgc
