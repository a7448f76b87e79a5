// See run_passes.h.
#include "transforms/run_passes.h"

#include <optional>
#include <utility>

#include "diag/kinds_check.h"
#include "ir/function.h"
#include "pass/pass_manager.h"
#include "pass/replay.h"
#include "support/reproducer.h"
#include "transforms/all_passes.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

// Of what a pass did that it may not. The passes run once more on the module that they began with, now keeping what
// each one read.
void write_pass_reproducer(Module module, const Pipeline& pipeline, Numerics numerics, DiagnosticEngine& diagnostics) {
  DiagnosticEngine again(diagnostics.locations());
  PassManager manager(module.context(), {.snapshots = true, .numerics = numerics, .verify = verify});
  if (manager.run(module, pipeline, again) || !manager.reproducer()) return;
  std::string failure;
  for (const Diagnostic& diagnostic : again.sorted())
    if (diagnostic.kind->exit == ExitCode::Internal && failure.empty()) failure = diagnostic.message();
  const auto& [before, rest] = *manager.reproducer();
  const ReproducerHead head{rest, numerics, {}, "mlgc opt --pass-pipeline='" + pipeline.print() + "'", failure};
  const Result<std::string> path = write_reproducer_file(reproducer_text(head, before));
  diagnostics.emit(path ? diagnose<kReproducerWritten>({}, *path) : diagnose<kReproducerNotWritten>({}, path.error()));
}

std::optional<Pipeline> parsed(const Module& module, std::string_view text, DiagnosticEngine& diagnostics) {
  Result<Pipeline, Diagnostic> pipeline =
      parse_pipeline(text, all_passes(), &module.context().locations(), "<pass-pipeline>");
  if (pipeline) return *std::move(pipeline);
  diagnostics.emit(std::move(pipeline).error());
  return std::nullopt;
}

}  // namespace

bool run_passes(Module& module, const Pipeline& pipeline, DiagnosticEngine& diagnostics,
                const RunPassesOptions& options) {
  Module before(module);
  PassManager manager(module.context(),
                      {.numerics = options.numerics, .log_rewrites = options.log != nullptr, .verify = verify});
  if (manager.run(module, pipeline, diagnostics)) {
    if (options.log != nullptr)
      options.log->insert(options.log->end(), manager.rewrites().log().begin(), manager.rewrites().log().end());
    return true;
  }
  if (diagnostics.exit_code() == ExitCode::Internal)
    write_pass_reproducer(std::move(before), pipeline, options.numerics, diagnostics);
  return false;
}

bool run_passes(Module& module, std::string_view text, DiagnosticEngine& diagnostics, const RunPassesOptions& options) {
  const std::optional<Pipeline> pipeline = parsed(module, text, diagnostics);
  return pipeline && run_passes(module, *pipeline, diagnostics, options);
}

bool run_pipeline(Module& module, std::string_view text, DiagnosticEngine& diagnostics) {
  const std::optional<Pipeline> pipeline = parsed(module, text, diagnostics);
  return pipeline && PassManager(module.context(), {.verify = verify}).run(module, *pipeline, diagnostics);
}

std::vector<std::string> new_functions(const Module& before, const Module& after) {
  std::vector<std::string> names;
  for (const FuncRef& function : functions(after))
    if (!find_function(before, function.name()).valid()) names.emplace_back(function.name());
  return names;
}

}  // namespace mlgc
