// `mlgc grad --memory-limit`, `--recompute` and `--explain`: which ops of the forward part are computed again. A limit
// that is met is stated on what is made (ops/memory_limit.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "driver/bind_arguments.h"
#include "ir/module.h"
#include "ops/memory_limit.h"
#include "rematerialize/choose.h"

namespace mlgc {

struct RecomputeFlags {
  std::string recompute, limit_text;
  std::optional<std::int64_t> limit;  // bytes
  std::size_t segments = 1;
  bool explain = false;
  [[nodiscard]] bool given() const { return !recompute.empty() || limit || explain; }
};
void add_recompute_flags(Arguments& arguments, RecomputeFlags& flags);
// Reads what parse() leaves as text. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_recompute_flags(RecomputeFlags& flags);

struct RecomputeRequest {
  std::string function;       // with gradients
  std::size_t results = 0;    // how many of its results, the first ones, are not gradients
  std::string finish;         // passes behind `rematerialize`, each behind a comma
  std::vector<DimFlag> dims;  // sizes of symbols; else the upper ends of their ranges
};

// Names of the functions of `after` that `before` does not have, in program order.
[[nodiscard]] std::vector<std::string> new_functions(const Module& before, const Module& after);

// The step of a pipeline that makes the choice.
[[nodiscard]] std::string rematerialize_step(const RecomputeRequest& request, const RecomputeChoice& choice);

struct RecomputeDecision {
  RecomputeChoice choice;
  std::string report;  // with --explain
  // With --memory-limit: what it leaves each function for temporaries, beside what forward saves for backward.
  std::optional<MemoryLimit> limit;
};
// The module is planned as `mlgc compile` would, once for each candidate that is looked at. Nothing when an error was
// reported: no choice meets the limit (exit code 5), a size has no value, or a plan cannot be made.
[[nodiscard]] std::optional<RecomputeDecision> choose_recompute(const Module& derived, const RecomputeRequest& request,
                                                                const RecomputeFlags& flags, ReportFormat format,
                                                                DiagnosticEngine& diagnostics);

// States the limit on the function that was asked for, or on those that it was split into: `module` is `derived` behind
// the passes that finish it.
void state_limit(const Module& derived, Module& module, const RecomputeRequest& request, const MemoryLimit& limit);

}  // namespace mlgc
