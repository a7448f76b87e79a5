// Runs a pipeline.
#include "pass/pass_manager.h"

#include <algorithm>
#include <utility>

#include "diag/kinds_pass.h"
#include "ir/structural_hash.h"
#include "support/activity.h"

namespace mlgc {

PassManager::PassManager(Context& context, PassManagerOptions options)
    : context_(&context), options_(std::move(options)), timing_(options_.timing) {}

bool PassManager::run(Module& module, const Pipeline& pipeline, DiagnosticEngine& diagnostics) {
  MLGC_ASSERT(&module.context() == context_, "a module of another context");
  reproducer_.reset();
  gate_ = RewriteGate(options_.rewrites_limit);
  if (options_.log_rewrites) gate_.keep_log();
  last_rewriting_pass_ = nullptr;
  for (const Diagnostic& warning : pipeline.warnings) diagnostics.emit(warning);
  Activity running("running passes");
  running.does(pipeline.steps.size());
  for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
    running.next();
    const PassStep& step = pipeline.steps[i];
    std::optional<Module> snapshot;
    if (options_.snapshots || options_.check) snapshot.emplace(module);
    for (PassInstrumentation* instrumentation : instrumentations_) instrumentation->before_pass(step, i, module);
    const PassResult result = run_step(module, step, i, snapshot ? &*snapshot : nullptr, diagnostics);
    for (auto it = instrumentations_.rbegin(); it != instrumentations_.rend(); ++it)
      (*it)->after_pass(step, i, result, module);
    if (result == PassResult::Failed) {
      if (snapshot) {
        Pipeline rest;
        rest.steps.assign(pipeline.steps.begin() + static_cast<std::ptrdiff_t>(i), pipeline.steps.end());
        reproducer_.emplace(Reproducer{std::move(*snapshot), rest.print()});
      }
      return false;
    }
    if (i + 1 < pipeline.steps.size() && module.dead_op_count() > module.op_count()) {
      const TimingTree::Scope scope(timing_, "compact");
      module.compact();
    }
  }
  if (options_.statistics) {
    const OpCounts counts = count_ops(module);
    statistics_.module.resize(std::max(statistics_.module.size(), counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) statistics_.module[i] += counts[i];
  }
  return true;
}

PassResult PassManager::run_step(Module& module, const PassStep& step, std::size_t number, const Module* before,
                                 DiagnosticEngine& diagnostics) {
  const TimingTree::Scope scope(timing_, step.pass->name);
  const Activity running("running pass", "`" + std::string(step.pass->name) + "`");
  PassContext context(*step.pass, diagnostics, options_.numerics, &gate_);
  const std::uint64_t rewrites_before = gate_.count();
  gate_.start_pass(step.pass->name);
  PassStatistics* statistics = nullptr;
  if (options_.statistics) {
    statistics = &statistics_.passes.emplace_back();
    statistics->pass = print(step);
    statistics->before = count_ops(module);
  }
  const std::uint64_t hash = options_.check_changed ? structural_hash(module) : 0;

  PassResult result = PassResult::Failed;
  try {
    result = step.pass->body.run(module, step.options.get(), context);
  } catch (const InternalError& error) {
    diagnostics.emit(diagnose<kPassInternalError>(step.at, step.pass->name, error.what()));
  }
  MLGC_ASSERT(result != PassResult::Failed || diagnostics.has_errors(), "a pass failed without saying why");

  if (result != PassResult::Failed && options_.check_changed) {
    const bool changed = structural_hash(module) != hash;
    if (changed != (result == PassResult::Changed)) {
      diagnostics.emit(diagnose<kPassUntruthful>(step.at, step.pass->name,
                                                 changed ? "changed nothing" : "changed the module",
                                                 changed ? "is another one" : "is the same as before"));
      result = PassResult::Failed;
    }
  }
  if (result == PassResult::Changed && options_.verify_each && !verified(module, step, diagnostics))
    result = PassResult::Failed;
  if (gate_.count() != rewrites_before) last_rewriting_pass_ = step.pass;
  if (result == PassResult::Changed && options_.check) {
    const TimingTree::Scope check_time(timing_, "check");
    const Activity checking("checking pass", "`" + std::string(step.pass->name) + "`");
    const PassedStep passed{step, number, *before, module, rewrites_before + 1, gate_.count(), gate_.widest()};
    if (!options_.check(passed, diagnostics)) result = PassResult::Failed;
  }
  if (statistics != nullptr) {
    statistics->result = result;
    statistics->after = count_ops(module);
    statistics->counters = context.counters();
    statistics->rules = context.rules();
  }
  return result;
}

bool PassManager::verified(const Module& module, const PassStep& step, DiagnosticEngine& diagnostics) {
  const TimingTree::Scope scope(timing_, "verify");
  if (const std::string broken = module.check_store(); !broken.empty()) {
    diagnostics.emit(diagnose<kPassBrokeModule>(step.at, step.pass->name, ": " + broken));
    return false;
  }
  if (options_.verify && !options_.verify(module, diagnostics)) {
    // What was not in order could not be verified as a whole before.
    if (!step.pass->takes_any_order) diagnostics.emit(diagnose<kPassBrokeModule>(step.at, step.pass->name, ""));
    return false;
  }
  return true;
}

}  // namespace mlgc
