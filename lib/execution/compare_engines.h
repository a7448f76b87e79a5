// Runs functions with several engines (engines.h), and names the first value where one of them is further from f64 than
// it may be.
//
// Guarantees
//   - What is allowed is agrees() (tensor/compare.h): 4 ulp, or twice what the peer of an engine
//     (check/peer_agreement.h) is wrong by on the same inputs, or on neighbours of them.
//   - Values are checked in the order in which the interpreter computes them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "execution/engines.h"
#include "execution/run_inputs.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc {

struct OpenEngine {
  const EngineDef* def;  // of the table, never null
  std::unique_ptr<Engine> engine;
};
// In the same order. Error: that of the first one that cannot be used here.
[[nodiscard]] Result<std::vector<OpenEngine>, Diagnostic> open_engines(std::span<const EngineDef* const> defs,
                                                                       const EngineSettings& settings = {});

struct FunctionRuns {
  std::string function;
  std::vector<RunInputs> runs;
};
// Plain values for each choice of sizes (check/draw_inputs.h), for every graph function or the one of that name. A
// function for which none can be generated is left out, with a warning.
[[nodiscard]] std::vector<FunctionRuns> draw_runs(const Module& module, std::string_view function, std::uint64_t seed,
                                                  DiagnosticEngine& diagnostics);

struct EnginesCompared {
  std::uint64_t functions = 0, runs = 0, values = 0;
  std::uint64_t parted = 0;  // functions; their further runs are left out
};
// Where an engine parts, or cannot run, an error is reported. Precondition: two engines at least; the module is not
// changed.
[[nodiscard]] EnginesCompared compare_engines(Module& module, std::span<const FunctionRuns> runs,
                                              std::span<const OpenEngine> engines, DiagnosticEngine& diagnostics);

}  // namespace mlgc
