// Which ops of the forward part backward recomputes: the cheapest choice whose memory plan meets a limit. A limit
// that is met is stated on what is made (ops/memory_limit.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/memory_limit.h"
#include "rematerialize/choose.h"
#include "reports/recompute_report.h"

namespace mlgc {

// How who asks calls what can be asked for otherwise, for messages: as options of a pass and in words, or as flags.
struct RecomputeWords {
  std::function<std::string(const RecomputeChoice&)> choice = [](const RecomputeChoice& choice) {
    return "recompute=" + std::string(recompute_name(choice.what)) +
           (choice.segments > 1 ? " segments=" + std::to_string(choice.segments) : "");
  };
  std::function<std::string(std::int64_t)> limit = [](std::int64_t bytes) {
    return "a limit of " + std::to_string(bytes) + " bytes";
  };
  std::function<std::string(const std::string&)> size = [](const std::string& symbol) {
    return "a size for `" + symbol + "`";
  };
};

struct RecomputeOptions {
  std::optional<RecomputeChoice> asked = {};  // this one alone; nothing: the cheapest of all that does
  std::optional<std::int64_t> limit = {};     // bytes that the temporaries of a call may take
  bool explain = false;                       // the decision has a report
  RecomputeWords words = {};
};

struct RecomputeRequest {
  std::string function;     // with gradients
  std::size_t results = 0;  // how many of its results, the first ones, are not gradients
  std::string finish;       // passes after `rematerialize`, each after a comma
  SymbolSizes sizes;        // of symbols; of others the upper ends of their ranges count
};

// The step of a pipeline that makes the choice.
[[nodiscard]] std::string rematerialize_step(const RecomputeRequest& request, const RecomputeChoice& choice);

struct RecomputeDecision {
  RecomputeChoice choice;
  std::optional<RecomputeReport> report;  // where one was asked for
  // Where there is a limit: what it leaves each function for temporaries, beside what forward saves for backward.
  std::optional<MemoryLimit> limit;
};
// The module is planned as it would be compiled by default, once for each candidate that is looked at; without a limit
// and a report nothing is planned. Nothing when an error was reported: no choice meets the limit (kMemoryLimit, exit
// code 5), a size has no value, or a plan cannot be made. Precondition: `derived` has the function.
[[nodiscard]] std::optional<RecomputeDecision> choose_recompute(const Module& derived, const RecomputeRequest& request,
                                                                const RecomputeOptions& options,
                                                                DiagnosticEngine& diagnostics);

// States the limit on the function that was asked for, or on those that it was split into: `module` is `derived` after
// the passes that finish it.
void state_limit(const Module& derived, Module& module, const RecomputeRequest& request, const MemoryLimit& limit);

}  // namespace mlgc
