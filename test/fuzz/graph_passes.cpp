// The passes of graphs, which the targets run. Those below the graph are no input of theirs, and would make the build
// longer by a quarter.
#include <array>

#include "transforms/all_passes.h"
#include "transforms/passes.h"

namespace mlgc {

std::span<const PassDef* const> all_passes() {
  static constexpr std::array kAll{&kApplyRulesPass,
                                   &kAttachLossPass,
                                   &kCanonicalizePass,
                                   &kComposeViewsPass,
                                   &kConstantFoldPass,
                                   &kContractionOrderPass,
                                   &kCsePass,
                                   &kDcePass,
                                   &kDeriveWeightsPass,
                                   &kExpandPass,
                                   &kFewChannelConvolutionsPass,
                                   &kGradPass,
                                   &kInlinePass,
                                   &kJvpPass,
                                   &kLoopInvariantCodeMotionPass,
                                   &kReplaceOpPass,
                                   &kSimplifyControlFlowPass,
                                   &kSimplifyShapesPass,
                                   &kSplitGradientPass,
                                   &kTopologicalSortPass,
                                   &kTrainingStepPass,
                                   &kTransposedConvolutionsPass};
  return kAll;
}

}  // namespace mlgc
