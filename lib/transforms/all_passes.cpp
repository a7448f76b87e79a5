// The list of passes.
#include "transforms/all_passes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "transforms/passes.h"

namespace mlgc {

namespace {

std::vector<const PassDef*>& list() {
  static std::vector<const PassDef*> all{&kApplyRulesPass,
                                         &kAttachLossPass,
                                         &kBlockColumnsPass,
                                         &kCanonicalizePass,
                                         &kCollapsePass,
                                         &kComposeViewsPass,
                                         &kConstantFoldPass,
                                         &kContractionOrderPass,
                                         &kCsePass,
                                         &kDcePass,
                                         &kDeriveWeightsPass,
                                         &kDistributePass,
                                         &kExpandPass,
                                         &kFewChannelConvolutionsPass,
                                         &kFissionPass,
                                         &kFusePass,
                                         &kFuseTilesPass,
                                         &kGradPass,
                                         &kInlinePass,
                                         &kInsertDeallocsPass,
                                         &kInterchangePass,
                                         &kJamPass,
                                         &kJvpPass,
                                         &kLayoutPass,
                                         &kLoopInvariantCodeMotionPass,
                                         &kLowerToLoopsPass,
                                         &kNarrowPass,
                                         &kPackPass,
                                         &kPadLoadPass,
                                         &kParallelizePass,
                                         &kPartitionPass,
                                         &kPlanPass,
                                         &kQuantizeWeightsPass,
                                         &kRematerializePass,
                                         &kReplaceOpPass,
                                         &kRfactorPass,
                                         &kSchedulePass,
                                         &kSimplifyControlFlowPass,
                                         &kSimplifyShapesPass,
                                         &kSpecializeDimsPass,
                                         &kSplitGradientPass,
                                         &kSplitRangePass,
                                         &kStagePass,
                                         &kTilePass,
                                         &kTopologicalSortPass,
                                         &kTrainingStepPass,
                                         &kTransposeTilesPass,
                                         &kTransposedConvolutionsPass,
                                         &kUnrollPass,
                                         &kVectorizePass,
                                         &kWeightPanelsPass};
  return all;
}

}  // namespace

std::span<const PassDef* const> all_passes() { return list(); }

void add_pass(const PassDef& pass) {
  MLGC_ASSERT(find_pass(list(), pass.name) == nullptr, "two passes are called " + std::string(pass.name));
  const auto place = std::find_if(list().begin(), list().end(), [&](const PassDef* p) { return pass.name < p->name; });
  list().insert(place, &pass);
}

}  // namespace mlgc
