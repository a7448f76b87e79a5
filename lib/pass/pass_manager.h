// Runs a pipeline over a module: verifies, checks that passes tell the truth, measures, counts, keeps what a reproducer
// needs.
//
// Guarantees
//   - After a failure the module is in an unspecified state: the caller discards it; the reproducer shows the program
//     before the pass that failed.
//   - An InternalError inside a pass becomes the diagnostic `pass-internal-error` (exit code 70).
//   - With a limit on rewrites the passes run all the same, and change nothing once it is reached.
//   - Between passes the module is compacted when more than half of its rows are dead; nothing else moves ids.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "pass/instrumentation.h"
#include "pass/pipeline.h"
#include "pass/statistics.h"
#include "pass/timing.h"

namespace mlgc {

// A pass that has changed the module, for the numeric checker: the module before, and what the pass counted.
struct PassedStep {
  const PassStep& step;
  std::size_t number;  // of the step in the pipeline, from 0
  const Module& before;
  Module& after;
  std::uint64_t first_rewrite, last_rewrite;  // numbers; last is first - 1 when the pass counted none
  NumericsClass widest;                       // of its rewrites
};

struct PassManagerOptions {
  bool verify_each = true;     // after each pass; what a pass broke is an internal error that names it
  bool check_changed = false;  // compare what passes answer with the structural hash
  bool timing = false;
  bool statistics = false;
  bool snapshots = false;  // copy the module before each pass, for reproducer(): costs a copy's memory
  Numerics numerics = Numerics::LikeEager;
  std::optional<std::uint64_t> rewrites_limit = {};  // of one run: the rewrites beyond are not made
  bool log_rewrites = false;                         // rewrites().log() has those that may alter numbers
  // Checks a pass that changed the module and left it valid; false after emitting errors, and the pass has failed. When
  // set, the module is copied before each pass.
  std::function<bool(const PassedStep&, DiagnosticEngine&)> check = {};
  // How a module is verified: false after emitting errors. Empty: only the store is checked.
  std::function<bool(const Module&, DiagnosticEngine&)> verify = {};
};

class PassManager {
 public:
  // The context must outlive the manager and be that of the modules.
  explicit PassManager(Context& context, PassManagerOptions options = {});

  // Called in the order of addition before a pass, in the opposite order after it. Not owned.
  void add(PassInstrumentation& instrumentation) { instrumentations_.push_back(&instrumentation); }

  // False when a pass failed; errors are in `diagnostics` then. Warnings of the pipeline are emitted first.
  bool run(Module& module, const Pipeline& pipeline, DiagnosticEngine& diagnostics);

  // What the last run counted.
  [[nodiscard]] const RewriteGate& rewrites() const { return gate_; }
  // The pass that made the last of these rewrites; null when there was none.
  [[nodiscard]] const PassDef* last_rewriting_pass() const { return last_rewriting_pass_; }

  // Scopes of what surrounds the passes (reading, writing) can be opened on it too.
  [[nodiscard]] TimingTree& timing() { return timing_; }
  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] std::string statistics_text() const { return mlgc::statistics_text(statistics_, *context_); }
  [[nodiscard]] std::string statistics_json() const { return mlgc::statistics_json(statistics_, *context_); }

  // After run() answered false, with snapshots on: what shows the failure again.
  struct Reproducer {
    Module module;         // before the pass that failed
    std::string pipeline;  // that pass and those after it
  };
  [[nodiscard]] const std::optional<Reproducer>& reproducer() const { return reproducer_; }

 private:
  PassResult run_step(Module& module, const PassStep& step, std::size_t number, const Module* before,
                      DiagnosticEngine& diagnostics);
  bool verified(const Module& module, const PassStep& step, DiagnosticEngine& diagnostics);

  Context* context_;
  PassManagerOptions options_;
  std::vector<PassInstrumentation*> instrumentations_;
  TimingTree timing_;
  Statistics statistics_;
  RewriteGate gate_;
  const PassDef* last_rewriting_pass_ = nullptr;
  std::optional<Reproducer> reproducer_;
};

}  // namespace mlgc
