// See predict_strategy.h.
#include "schedule/predict_strategy.h"

#include <algorithm>
#include <unordered_set>

#include "ir/clone.h"
#include "ir/structural_hash.h"
#include "loopir/module_machine.h"
#include "schedule/schedule_kernel.h"

namespace mlgc::schedule {

namespace {

// A copy of a kernel in a module of its own, with its schedule.
struct CopyWithCandidate {
  Module module;
  OpRef func;
  ScheduleLog log;

  CopyWithCandidate(OpRef of, MachineKind kind, Numerics numerics, const StrategyChoice& choice, const Machine& machine)
      : module(of.module().shared_context()) {
    state_machine(module, machine);
    func = clone_function(of, module, of.symbol());
    RewriteGate gate;
    TransformReview review;
    (void)schedule_kernel(func, kind, numerics, gate, review,
                          {.forced = choice.strategy, .tile = choice.tile, .without = choice.without, .log = &log});
  }
};

}  // namespace

std::optional<Prediction> predict_strategy(OpRef func, MachineKind kind, Numerics numerics, const StrategyDef* forced,
                                           const Machine& machine, const PredictedSizes& sizes) {
  const CopyWithCandidate copy(func, kind, numerics, {.strategy = forced, .without = nullptr, .tile = {}}, machine);
  if (forced != nullptr && copy.log.forced == 0) return std::nullopt;
  return predict(copy.func, machine, sizes);
}

std::vector<StrategyCandidate> strategy_candidates(OpRef func, Numerics numerics, const Machine& machine,
                                                   const Machine& runs_on, const PredictedSizes& sizes) {
  const MachineKind kind = machine.kind();
  std::vector<StrategyCandidate> out;
  std::unordered_set<std::uint64_t> seen;
  const auto add = [&](const StrategyChoice& choice) {
    const CopyWithCandidate copy(func, kind, numerics, choice, machine);
    if (choice.strategy != nullptr && copy.log.forced == 0) return ScheduleLog();
    if (seen.insert(structural_hash(copy.func)).second) out.push_back({choice, predict(copy.func, runs_on, sizes)});
    return copy.log;
  };
  const std::vector<Decision> decisions = add({}).decisions;
  for (const StrategyDef* row : strategies(kind)) {
    const bool taken =
        std::any_of(decisions.begin(), decisions.end(), [&](const Decision& d) { return d.taken == row; });
    const bool left = std::any_of(decisions.begin(), decisions.end(), [&](const Decision& d) {
      return std::any_of(d.others.begin(), d.others.end(),
                         [&](const Decision::Asked& asked) { return asked.row == row && asked.matches; });
    });
    if (left) (void)add({.strategy = row, .without = nullptr, .tile = {}});
    if (left || taken)
      for (const TileShape tile : row->tiles) (void)add({.strategy = row, .without = nullptr, .tile = tile});
    if (taken) (void)add({.strategy = nullptr, .without = row, .tile = {}});
  }
  return out;
}

}  // namespace mlgc::schedule
