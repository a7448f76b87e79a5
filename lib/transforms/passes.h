// The rows of the passes, one file each. all_passes() lists them.
#pragma once

#include "pass/pass.h"

namespace mlgc {

extern const PassDef kApplyRulesPass;
extern const PassDef kAttachLossPass;
extern const PassDef kBlockColumnsPass;
extern const PassDef kCanonicalizePass;
extern const PassDef kCollapsePass;
extern const PassDef kComposeViewsPass;
extern const PassDef kConstantFoldPass;
extern const PassDef kContractionOrderPass;
extern const PassDef kCsePass;
extern const PassDef kDcePass;
extern const PassDef kDeriveWeightsPass;
extern const PassDef kDistributePass;
extern const PassDef kFewChannelConvolutionsPass;
extern const PassDef kFissionPass;
extern const PassDef kFuseTilesPass;
extern const PassDef kExpandPass;
extern const PassDef kFusePass;
extern const PassDef kGradPass;
extern const PassDef kInlinePass;
extern const PassDef kInsertDeallocsPass;
extern const PassDef kInterchangePass;
extern const PassDef kJamPass;
extern const PassDef kJvpPass;
extern const PassDef kLayoutPass;
extern const PassDef kLoopInvariantCodeMotionPass;
extern const PassDef kLowerToLoopsPass;
extern const PassDef kNarrowPass;
extern const PassDef kPackPass;
extern const PassDef kPadLoadPass;
extern const PassDef kParallelizePass;
extern const PassDef kPartitionPass;
extern const PassDef kPlanPass;
extern const PassDef kQuantizeWeightsPass;
extern const PassDef kRematerializePass;
extern const PassDef kReplaceOpPass;
extern const PassDef kRfactorPass;
extern const PassDef kSchedulePass;
extern const PassDef kSimplifyControlFlowPass;
extern const PassDef kSimplifyShapesPass;
extern const PassDef kSpecializeDimsPass;
extern const PassDef kSplitGradientPass;
extern const PassDef kStagePass;
extern const PassDef kTilePass;
extern const PassDef kTopologicalSortPass;
extern const PassDef kTrainingStepPass;
extern const PassDef kSplitRangePass;
extern const PassDef kTransposeTilesPass;
extern const PassDef kTransposedConvolutionsPass;
extern const PassDef kUnrollPass;
extern const PassDef kVectorizePass;
extern const PassDef kWeightPanelsPass;

}  // namespace mlgc
