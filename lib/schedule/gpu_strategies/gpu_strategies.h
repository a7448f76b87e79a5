// The strategies of a GPU, one file each; strategy_table.cpp lists them. `split-reduction` is that of a CPU.
#pragma once

#include "schedule/strategy.h"

namespace mlgc::schedule {

extern const StrategyDef kTransposeInSharedMemoryStrategy;
extern const StrategyDef kAttentionTilesStrategy;
extern const StrategyDef kAttentionPartsStrategy;
extern const StrategyDef kTensorCoreTilesStrategy;
extern const StrategyDef kProductTilesStrategy;
extern const StrategyDef kSplitScanStrategy;
extern const StrategyDef kScanInBlockStrategy;
extern const StrategyDef kThreadsOverColumnsStrategy;
extern const StrategyDef kNestPerLoopStrategy;
extern const StrategyDef kSplitRowsStrategy;
extern const StrategyDef kWindowsInTilesStrategy;
extern const StrategyDef kBlockPerTileStrategy;
extern const StrategyDef kThreadPerElementStrategy;
extern const StrategyDef kBlockPerRowStrategy;
extern const StrategyDef kThreadPerRowStrategy;
extern const StrategyDef kExtremumThenPositionInThreadsStrategy;
extern const StrategyDef kThreadsOverInnerRowStrategy;
extern const StrategyDef kThreadsOverRowStrategy;

}  // namespace mlgc::schedule
