// Which strategy is fastest for each kernel of a model, by measurement.
//
// Each version of the model gives every kernel another one of its candidates, so few versions measure all candidates of
// all kernels, each where it stands: with what the kernels before it left in the caches. Versions take turns, several
// times; of a candidate counts the median.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/memory_limit.h"
#include "schedule/decisions.h"
#include "schedule/predict_strategy.h"
#include "tuning/kernel_timer.h"

namespace mlgc {

struct TuneOptions {
  TimingOptions timing = {};
  SymbolSizes sizes = {};      // that kernels are predicted for; others count as PredictedSizes says
  double seconds = 0.5;        // of measuring each version of the model, all rounds together
  std::size_t candidates = 4;  // of a kernel that are measured, by what they are predicted to take; at least one
  double margin = 0.03;        // of the default's time that another strategy must save
  std::size_t rounds = 5;
};

struct TunedKernel {
  struct Candidate {
    schedule::StrategyChoice choice;
    double predicted = 0, measured = 0;  // seconds; measured 0: it was not
  };
  std::string name;  // of the first kernel with these loops
  std::uint64_t hash = 0;
  std::size_t kernels = 1;            // with the same loops
  std::vector<Candidate> candidates;  // the default first
  std::size_t best = 0;
};

struct TuneReport {
  std::string machine;  // Machine::spec()
  std::size_t threads = 1;
  SymbolSizes sizes;
  std::vector<TunedKernel> kernels;  // in the order of the module, those with one candidate alone too
  double before = 0, after = 0;      // seconds of all kernels in one call, measured side by side
};

// `loops`: of lower_unscheduled(), for the target of `options`. Nothing after an error, which was reported: a folder or
// file that cannot be written, a version that does not compile or run.
[[nodiscard]] std::optional<TuneReport> tune_kernels(const Module& loops, const ModuleData& data, const TimedCall& call,
                                                     const TuneOptions& options, DiagnosticEngine& diagnostics);

// What a file of decisions holds of them (schedule/decisions.h).
[[nodiscard]] schedule::Decisions decisions_of(const TuneReport& report);

}  // namespace mlgc
