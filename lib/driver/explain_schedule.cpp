// mlgc explain schedule: which strategy each loop nest gets, why, and what the kernels are predicted to take.
#include <map>
#include <string>
#include <vector>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "driver/dim_flag.h"
#include "driver/emit_flags.h"
#include "driver/target_flag.h"
#include "driver/timing_flags.h"
#include "loopir/module_machine.h"
#include "ops/op_table.h"
#include "reports/schedule_report.h"
#include "transforms/levels.h"
#include "tuning/kernel_timer.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainScheduleExamples =
    "  mlgc explain schedule model.mlir                               the loops of each kernel, and why they are so\n"
    "  mlgc explain schedule model.pt2 --target=cuda --dim=B=64       blocks and threads, predicted at a size\n"
    "  mlgc explain schedule model.pt2 --measure --dim=B=64           beside what each kernel takes on this machine\n"
    "  mlgc explain schedule kernels.mlir --function=forward.0.mm     of text at the loop level too\n"
    "  mlgc explain schedule model.mlir --machine=x86-64-v3,cores=2   for another machine\n"
    "  mlgc opt model.mlir -O2 --to=loops                             the text that this speaks of\n"
    "docs/loops.md describes the strategies, what is predicted, and the members of --format=json.\n";

}  // namespace

ExitCode run_explain_schedule(const Words& words) {
  Arguments arguments(
      "explain schedule",
      "Says which strategy the default schedule takes for each loop nest of a model's kernels, why, which\n"
      "others would apply, and what each kernel is predicted to take.",
      kExplainScheduleExamples);
  EmitFlags flags;
  ScheduleReportOptions options;
  std::vector<std::string> texts;
  ReportFormat format = ReportFormat::Text;
  TimingFlags timing;
  bool measure = false;
  add_emit_flags(arguments, flags);
  add_level_flags(arguments, flags.level);
  add_target_flag(arguments, flags.emit.target);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels: of so many bytes, of this CPU's, or as mlgc compile "
                        "--vector-bytes=all makes them; native with --measure");
  arguments.add_value("--function", options.function, "NAME", "Which function: this kernel alone");
  arguments.add_list("--dim", texts, "NAME=SIZE", "The size of a symbol; repeatable. Others count as 256");
  arguments.add_flag("--measure", measure,
                     "Measure: compile it too, and time what each kernel takes in a call of the model");
  add_timing_flags(arguments, timing);
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "explain schedule")) return console.report(*std::move(wrong));
  std::vector<SizeBinding> dims;
  if (auto wrong = read_dim_flags(texts, "explain schedule", dims)) return console.report(*std::move(wrong));
  options.target = flags.emit.target;
  for (const SizeBinding& dim : dims) options.sizes.known[dim.name] = dim.size;
  if (auto wrong = read_timing_flags(timing, *options.target, "explain schedule"))
    return console.report(*std::move(wrong));
  if (measure && options.target->kind() == MachineKind::Cpu) {
    flags.vectors.fallback = kNativeVectors;
    if (auto wrong = check_vectors_here(flags.vectors, "explain schedule")) return console.report(*std::move(wrong));
  } else if (flags.vectors.given && !flags.machine.empty()) {
    return console.report(diagnose<kFlagConflict>({}, "--machine", "--vector-bytes"));
  }
  timing.sizes = dims;
  options.numerics = flags.numerics;
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  ModuleData data;
  std::optional<Module> module = load_from_flags(flags, context, measure ? &data : nullptr, diagnostics);
  if (!module) return console.report(diagnostics);
  std::optional<TimedCall> call;
  if (measure) {
    call = bind_timed_call(*module, {}, timing.arguments(), diagnostics);
    if (!call) return console.report(diagnostics);
  }
  const bool has_loops = has_loop_functions(*module);
  if (has_loops && (!flags.pass_flags.empty() || flags.pipeline))
    return console.report(diagnose<kBadFlag>({}, "passes: the text is at the loop level, and is explained as it stands",
                                             "explain schedule"));
  if (!has_loops && (!run_flag_passes(*module, flags, diagnostics) ||
                     !lower_unscheduled(*options.target, *module, options.numerics, diagnostics, flags.level)))
    return console.report(diagnostics);
  const Result<Machine, Diagnostic> machine = machine_for(*module, *find_machine(options.target->machine));
  if (!machine) return console.report(context->locations(), machine.error());
  std::map<std::string, double> measured;
  if (measure) {
    if (has_loops)
      return console.report(diagnose<kBadFlag>({}, "--measure: the text is at the loop level", "explain schedule"));
    auto seconds = measure_kernels(*module, flags.level.decisions, data, *call, timing.options(flags), timing.seconds,
                                   diagnostics);
    if (!seconds) return console.report(diagnostics);
    measured = *std::move(seconds);
  }
  std::optional<schedule::DecisionUse> decisions;
  if (!flags.level.decisions.empty()) {
    decisions = schedule::DecisionUse::open(flags.level.decisions, *module, options.target->kind(), diagnostics);
    if (!decisions) return console.report(diagnostics);
    options.decisions = &*decisions;
  }
  ScheduleReport report = schedule_and_report(*module, *machine, options);
  if (decisions && !decisions->finish(diagnostics)) return console.report(diagnostics);
  add_measured(report, measured, timing.threads);
  if (!options.function.empty() && report.kernels.empty()) {
    std::vector<std::string_view> names;
    for (const FuncRef& function : functions(*module)) names.push_back(function.name());
    Diagnostic diagnostic = diagnose<kUnknownName>({}, "kernel", options.function);
    if (const auto best = closest_name(options.function, names)) diagnostic.add_note<kDidYouMean>({}, *best);
    return console.report(std::move(diagnostic));
  }
  const Status<> written = write_product(
      "-", format == ReportFormat::Json ? schedule_json(*module, report) : schedule_text(*module, report));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
