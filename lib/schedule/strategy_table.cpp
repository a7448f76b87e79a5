// The strategies of each target, in the order in which they are asked.
#include <array>

#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

namespace {

constexpr std::array kCpuStrategies{
    &kFusedRowTilesStrategy,                 // rows
    &kRowTilesStrategy,                      // rows
    &kSplitReductionStrategy,                // split
    &kSplitContractionStrategy,              // split
    &kTransposeInRegistersStrategy,          // nest
    &kWindowLanesStrategy,                   // nest
    &kGatheredWindowLanesStrategy,           // nest
    &kOuterProductTilesOfOuterLoopStrategy,  // products
    &kOuterProductTilesStrategy,             // products
    &kDotProductPerLaneStrategy,             // products
    &kDotProductGroupsStrategy,              // products
    &kDotProductTilesStrategy,               // products
    &kBlockedColumnReductionStrategy,        // lanes
    &kLanesOverProductColumnsStrategy,       // lanes
    &kLanesOverColumnsStrategy,              // lanes
    &kElementwiseLanesStrategy,              // lanes
    &kExtremumThenPositionStrategy,          // lanes
    &kReductionLanesStrategy,                // lanes
};

constexpr std::array kGpuStrategies{
    &kSplitReductionStrategy,                 // split
    &kTransposeInSharedMemoryStrategy,        // nest
    &kAttentionTilesStrategy,                 // nest
    &kAttentionPartsStrategy,                 // nest
    &kTensorCoreTilesStrategy,                // nest
    &kProductTilesStrategy,                   // nest
    &kSplitScanStrategy,                      // nest
    &kScanInBlockStrategy,                    // nest
    &kThreadsOverColumnsStrategy,             // nest
    &kNestPerLoopStrategy,                    // nest
    &kSplitRowsStrategy,                      // nest
    &kWindowsInTilesStrategy,                 // grid
    &kBlockPerTileStrategy,                   // grid
    &kThreadPerElementStrategy,               // grid
    &kBlockPerRowStrategy,                    // grid
    &kThreadPerRowStrategy,                   // grid
    &kExtremumThenPositionInThreadsStrategy,  // lanes
    &kThreadsOverInnerRowStrategy,            // lanes
    &kThreadsOverRowStrategy,                 // lanes
};

}  // namespace

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::Rows: return "rows";
    case Stage::Split: return "split";
    case Stage::Nest: return "nest";
    case Stage::Products: return "products";
    case Stage::Grid: return "grid";
    case Stage::Lanes: return "lanes";
  }
  return {};
}

std::span<const StrategyDef* const> strategies(MachineKind kind) {
  if (kind == MachineKind::Gpu) return kGpuStrategies;
  return kCpuStrategies;
}

const StrategyDef* find_strategy(MachineKind kind, std::string_view name) {
  for (const StrategyDef* strategy : strategies(kind))
    if (strategy->name == name) return strategy;
  return nullptr;
}

}  // namespace mlgc::schedule
