// What the default schedule decides in each kernel of a module, and what the kernels are predicted to take: for people,
// and for programs.
//
// Guarantee: the same module, machine and sizes give the same bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/target.h"
#include "ir/function.h"
#include "ops/numerics.h"
#include "schedule/decisions.h"
#include "schedule/predict.h"
#include "schedule/schedule_log.h"

namespace mlgc {

struct ScheduleReportOptions {
  const TargetDef* target = targets().front();
  Numerics numerics = Numerics::LikeEager;
  std::string function;  // empty: all kernels
  schedule::PredictedSizes sizes;
  schedule::DecisionUse* decisions = nullptr;  // null: the default schedule
};

struct KernelSchedule {
  FuncRef function;
  schedule::Prediction predicted;
  double bytes = 0;                         // of its arguments, each once: the least that it can move
  std::vector<schedule::Prediction> nests;  // of each alone, where there are several
  std::vector<schedule::Decision> decisions;
  // Of strategies that matched somewhere and were not taken: what the kernel is predicted to take with each.
  std::vector<std::pair<std::string_view, double>> seconds_with;
  std::vector<std::string> refused;  // steps that the verifier refused
  std::optional<double> measured;    // seconds of all its launches in a call
  bool recorded = false;             // it had a schedule; what it decided is what its loops note
};

struct ScheduleReport {
  std::vector<KernelSchedule> kernels;
  const Machine* machine = nullptr;
  const TargetDef* target = targets().front();
  std::int64_t assumed = 0;  // used for unknown sizes
  std::size_t threads = 1;   // that measured kernels had
};

// Schedules the kernels of a module at the loop level that have no schedule, in place.
[[nodiscard]] ScheduleReport schedule_and_report(Module& module, const Machine& machine,
                                                 const ScheduleReportOptions& options);

// Adds what kernels were measured to take, in seconds by name, on so many threads.
void add_measured(ScheduleReport& report, const std::map<std::string, double>& seconds, std::size_t threads);

// Whether a module is at the loop level, all or in part.
[[nodiscard]] bool has_loop_functions(const Module& module);
// Kernels of a module at the loop level: loop functions that are launched and compute something.
[[nodiscard]] std::vector<FuncRef> kernels_of(const Module& module);
// Three digits: `12.3 us`, `4.56 ms`.
[[nodiscard]] std::string seconds_text(double seconds);

[[nodiscard]] std::string schedule_text(const Module& module, const ScheduleReport& report);

inline constexpr int kScheduleJsonVersion = 1;
// docs/loops.md describes the members.
[[nodiscard]] std::string schedule_json(const Module& module, const ScheduleReport& report);

}  // namespace mlgc
