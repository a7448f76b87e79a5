// mlgc explain numerics: where the numbers of a compiled program may differ from its source, and of a run how wrong
// each op is and where NaN and infinities come from.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "aten/run_torch_call.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "driver/emit_flags.h"
#include "driver/input_flags.h"
#include "driver/load.h"
#include "driver/machine_flag.h"
#include "driver/pass_flags.h"
#include "interp/function_results.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/module_machine.h"
#include "ops/op_table.h"
#include "reports/numerics_report.h"
#include "reports/schedule_report.h"
#include "text/printer.h"
#include "transforms/levels.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainNumericsExamples =
    "  mlgc explain numerics model.mlir                              rewrites that may alter numbers, by class\n"
    "  mlgc explain numerics model.mlir -O2 --numerics=fast          the same with other passes, or other numerics\n"
    "  mlgc explain numerics model.pt2 --random-inputs=1 --dim=B=4   and how wrong each op of a run is\n"
    "  mlgc explain numerics model.pt2 --input=@in.npz --top=30      of 30 ops\n"
    "  mlgc explain numerics model.mlir %y --input=x=2xf32=1,2       of one value, with its operands\n"
    "  mlgc explain numerics model.mlir -O0 --random-inputs=1        of the ops as they were written\n"
    "docs/inspecting.md describes the report and --format=json.\n";

struct NumericsFlags {
  EmitFlags model;
  InputFlags run;
  LevelOptions level;
  std::string value;
  std::optional<std::uint64_t> top;
  ReportFormat format = ReportFormat::Text;
};

// Passes keep some values and rename others, so the names are those after passes.
std::optional<Diagnostic> check_value_after_passes(const Module& module, std::string& value) {
  if (value.empty()) return std::nullopt;
  if (!value.starts_with('%')) value.insert(0, "%");
  std::vector<std::string> names;
  for (const auto& [name, known] : printed_names(module)) names.push_back("%" + name);
  if (std::ranges::count(names, value) != 0) return std::nullopt;
  Diagnostic diagnostic = diagnose<kUnknownName>({}, "value", value);
  const std::vector<std::string_view> all(names.begin(), names.end());
  if (const auto best = closest_name(value, all)) diagnostic.add_note<kDidYouMean>({}, *best);
  return diagnostic;
}

// The rewrites on the way to scheduled loops, of a copy; what does not lower has none.
void find_steps(const Module& module, const NumericsFlags& flags, std::vector<AppliedRewrite>& log,
                NumericsReport& report) {
  Module lowered(module);
  if (!has_loop_functions(lowered)) {
    DiagnosticEngine diagnostics(module.context().locations());
    if (!lower_to("loops", lowered, diagnostics, {flags.model.numerics, &log}, flags.level)) {
      for (const Diagnostic& diagnostic : diagnostics.sorted())
        if (report.not_lowered.empty() && diagnostic.kind->severity == Severity::Error)
          report.not_lowered = diagnostic.message();
      return;
    }
  }
  report.functions = prelude_functions(lowered);
}

ExitCode explain(const Arguments& arguments, NumericsFlags& flags) {
  const Console& console = arguments.console();
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const ImportOptions import{.input_types = flags.model.input_types.types, .where = flags.model.input_types.where};
  std::optional<LoadedModel> model = load_model(context, flags.model.input, import, diagnostics);
  if (!model) return console.report(diagnostics);
  Module& module = model->module;
  if (!state_machine_flag(flags.model.machine, module, diagnostics)) return console.report(diagnostics);
  // Names and data are those of the module as it was given.
  std::optional<BoundRun> bound;
  NumericsReport report;
  report.numerics = flags.model.numerics;
  report.most = flags.top.value_or(report.most);
  report.color = want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"));
  if (flags.run.given()) {
    const FuncRef function = choose_function(module, flags.run.function, diagnostics);
    if (!function.valid()) return console.report(diagnostics);
    if (is_loop_function(function.op()))
      return console.report(diagnose<kBadFlag>(
          {}, "`@" + std::string(function.name()) + "` is at the loop level, whose values are memory",
          arguments.command()));
    report.function = function.name();
    DataOptions data = flags.model.data;
    data.folder = std::filesystem::path(flags.model.input).parent_path().string();
    bound = bind_run(function, flags.run, std::move(data), std::move(model->weights), diagnostics);
    if (!bound) return console.report(diagnostics);
  }
  count_casts(module, &CountedOps::source, report.casts);
  std::vector<AppliedRewrite> log;
  if (!run_flag_passes(module, flags.model, diagnostics, &log)) return console.report(diagnostics);
  if (auto wrong = check_value_after_passes(module, flags.value)) return console.report(*std::move(wrong));
  report.value = flags.value;
  count_casts(module, &CountedOps::optimised, report.casts);
  for (const OpRef op : module.top().region(0).ops())
    if (op.is(GraphOp::Weight) && op.region_count() != 0 && !op.region(0).empty()) report.weights.push_back(op);
  find_steps(module, flags, log, report);
  report.rules = rounding_rules(*context, log, rule_files_of(flags.model.pass_flags));
  if (bound) {
    const Progress progress("evaluating @" + report.function);
    RunErrorOptions options;
    options.max_trips = kMadeUpTrips;
    options.engine.torch_call = torch_calls();
    auto errors = find_run_errors(module, report.function, bound->inputs, bound->data, options);
    if (!errors) {
      diagnostics.emit(std::move(errors).error());
      return console.report(diagnostics);
    }
    report.errors = *std::move(errors);
  }
  const Status<> written = write_product(
      "-", flags.format == ReportFormat::Json ? numerics_json(module, report) : numerics_text(module, report));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_explain_numerics(const Words& words) {
  Arguments arguments(
      "explain numerics",
      "Says where the numbers of a compiled model may differ from those of its source, and by which rule. With\n"
      "inputs also how wrong each op is against f64, and where NaN and infinities come from.",
      kExplainNumericsExamples);
  NumericsFlags flags;
  add_emit_flags(arguments, flags.model);
  arguments.add_positional("value", flags.value, "%VALUE", "This value alone, as `mlgc opt` calls it after the passes");
  add_level_flags(arguments, flags.level);
  add_input_flags(arguments, flags.run);
  arguments.add_value("--top", flags.top, "N", "How many ops are listed; 0: all (default: 10)");
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags.model, arguments.command())) return console.report(*std::move(wrong));
  if (auto wrong = read_input_flags(flags.run, arguments.command())) return console.report(*std::move(wrong));
  return explain(arguments, flags);
}

}  // namespace mlgc
