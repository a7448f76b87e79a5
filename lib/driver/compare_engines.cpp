// See compare_engines.h.
#include "driver/compare_engines.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "diag/kinds_driver.h"
#include "driver/load.h"
#include "driver/pass_flags.h"
#include "execution/compare_engines.h"
#include "interp/function_results.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "text/module_report.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

// Those that are named, each once; the interpreter beside one alone. Error: one that there is not, or nothing to
// compare with.
Result<std::vector<const EngineDef*>, Diagnostic> named_engines(const std::vector<std::string>& names) {
  std::vector<const EngineDef*> defs;
  for (const std::string& name : names) {
    const auto found = find_engine(name);
    if (!found) return Failure{found.error()};
    if (std::ranges::count(defs, *found) == 0) defs.push_back(*found);
  }
  if (defs.size() != 1) return defs;
  if (defs.front() == &engines().front())
    return Failure{diagnose<kBadFlag>({}, "--against: `interp` is compared with nothing but itself", "compare")};
  defs.push_back(&engines().front());
  return defs;
}

// What the flags give, or draws for each function. Nothing when an error was reported.
std::optional<std::vector<FunctionRuns>> runs_of(LoadedModel& model, const CompareEnginesFlags& flags,
                                                 DiagnosticEngine& diagnostics) {
  if (!flags.run.given()) {
    std::vector<FunctionRuns> runs = draw_runs(model.module, flags.run.function, flags.seed, diagnostics);
    if (!flags.run.function.empty() && runs.empty() && !diagnostics.has_errors())
      (void)choose_function(model.module, flags.run.function, diagnostics);  // says that there is none
    return runs;
  }
  const FuncRef function = choose_function(model.module, flags.run.function, diagnostics);
  if (!function.valid()) return std::nullopt;
  DataOptions data = flags.data;
  data.folder = std::filesystem::path(flags.input).parent_path().string();
  auto bound = bind_run(function, flags.run, std::move(data), std::move(model.weights), diagnostics);
  if (!bound) return std::nullopt;
  FunctionRuns given{std::string(function.name()), {}};
  given.runs.push_back({"the inputs that were given", std::move(bound->inputs), std::move(bound->data)});
  return std::vector{std::move(given)};
}

}  // namespace

std::string engines_help() {
  std::size_t width = 0;
  for (const EngineDef& def : engines()) width = std::max(width, def.name.size());
  std::string out = "Engines of --against:\n";
  for (const EngineDef& def : engines())
    out +=
        "  " + std::string(def.name) + std::string(width + 2 - def.name.size(), ' ') + std::string(def.summary) + "\n";
  return out;
}

ExitCode run_compare_engines(const Console& console, const CompareEnginesFlags& flags) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const auto defs = named_engines(flags.engines);
  if (!defs) return console.report(defs.error());
  const auto opened = open_engines(*defs);
  if (!opened) return console.report(opened.error());
  const auto pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), pipeline.error());
  std::optional<LoadedModel> model = load_model(context, flags.input, {}, diagnostics);
  if (!model) return console.report(diagnostics);
  const auto runs = runs_of(*model, flags, diagnostics);
  if (!runs) return console.report(diagnostics);
  if (!PassManager(*context, {.verify = verify}).run(model->module, *pipeline, diagnostics))
    return console.report(diagnostics);
  std::string names;
  for (const EngineDef* const def : *defs) names += (names.empty() ? "" : ", ") + std::string(def->name);
  const Progress progress("comparing " + names);
  const EnginesCompared counts = compare_engines(model->module, *runs, *opened, diagnostics);
  const std::string line =
      names + ": " + counted(counts.functions, "function") + ", " + counted(counts.runs, "run") + ", " +
      counted(counts.values, "value") +
      (counts.parted == 0 ? ", all agree\n" : ", " + counted(counts.parted, "function") + " parted\n");
  if (!runs->empty())
    if (const Status<> written = write_product("-", line); !written)
      diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
