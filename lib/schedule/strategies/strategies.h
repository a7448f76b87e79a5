// The strategies of a CPU, one file each; strategy_table.cpp lists them.
#pragma once

#include "schedule/strategy.h"

namespace mlgc::schedule {

extern const StrategyDef kFusedRowTilesStrategy;
extern const StrategyDef kRowTilesStrategy;
extern const StrategyDef kSplitReductionStrategy;
extern const StrategyDef kSplitContractionStrategy;
extern const StrategyDef kTransposeInRegistersStrategy;
extern const StrategyDef kWindowLanesStrategy;
extern const StrategyDef kGatheredWindowLanesStrategy;
extern const StrategyDef kOuterProductTilesOfOuterLoopStrategy;
extern const StrategyDef kOuterProductTilesStrategy;
extern const StrategyDef kDotProductPerLaneStrategy;
extern const StrategyDef kDotProductGroupsStrategy;
extern const StrategyDef kDotProductTilesStrategy;
extern const StrategyDef kBlockedColumnReductionStrategy;
extern const StrategyDef kLanesOverProductColumnsStrategy;
extern const StrategyDef kLanesOverColumnsStrategy;
extern const StrategyDef kElementwiseLanesStrategy;
extern const StrategyDef kExtremumThenPositionStrategy;
extern const StrategyDef kReductionLanesStrategy;

}  // namespace mlgc::schedule
