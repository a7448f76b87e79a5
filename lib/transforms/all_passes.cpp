// The list of passes.
#include "transforms/all_passes.h"

#include <array>

#include "transforms/passes.h"

namespace mlgc {

std::span<const PassDef* const> all_passes() {
  static constexpr std::array kAll{&kApplyRulesPass,    &kCanonicalizePass,
                                   &kComposeViewsPass,  &kConstantFoldPass,
                                   &kCsePass,           &kDcePass,
                                   &kDeriveWeightsPass, &kExpandPass,
                                   &kInlinePass,        &kLoopInvariantCodeMotionPass,
                                   &kReplaceOpPass,     &kSimplifyControlFlowPass,
                                   &kSimplifyShapesPass};
  return kAll;
}

}  // namespace mlgc
