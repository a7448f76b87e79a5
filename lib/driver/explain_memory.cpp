// mlgc explain memory: what a call of a compiled model takes for temporaries, and which of them make the peak.
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/dim_flag.h"
#include "driver/emit_flags.h"
#include "memory/memory_report.h"
#include "ops/op_table.h"
#include "transforms/levels.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainMemoryExamples =
    "  mlgc explain memory model.pt2 --dim=B=64 --dim=S=128   bytes, places and lives of temporaries\n"
    "  mlgc explain memory model.mlir --dim=B=8 --steps       when each begins and ends, and what is live then\n"
    "  mlgc explain memory model.mlir -O1 --format=json       for programs\n"
    "Steps are the ops of the host function that `mlgc opt MODEL -O2 --to=plan` prints. * are live at the peak.\n";

}  // namespace

ExitCode run_explain_memory(const Words& words) {
  Arguments arguments("explain memory",
                      "Says what memory a call takes for temporaries, how little it could be, and which are live at "
                      "the peak.",
                      kExplainMemoryExamples);
  EmitFlags flags;
  std::vector<std::string> texts;
  ReportFormat format = ReportFormat::Text;
  bool steps = false;
  add_emit_flags(arguments, flags);
  add_level_flags(arguments, flags.level);
  arguments.add_list("--dim", texts, "NAME=SIZE", "The size of a symbol; repeatable");
  arguments.add_flag("--steps", steps, "Also each step: what is live in it, and which buffers nothing reads after it");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "explain memory")) return console.report(*std::move(wrong));
  std::vector<SizeBinding> dims;
  if (auto wrong = read_dim_flags(texts, "explain memory", dims)) return console.report(*std::move(wrong));
  SymbolSizes sizes;
  for (const SizeBinding& dim : dims) sizes[dim.name] = dim.size;
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::optional<Module> module = load_from_flags(flags, context, nullptr, diagnostics);
  if (!module) return console.report(diagnostics);
  // Of a plan that breaks a limit this is what is asked for.
  for (const FuncRef& function : functions(*module)) remove_memory_limit(function);
  if (!run_flag_passes(*module, flags, diagnostics) ||
      !lower_to("loops", *module, diagnostics, {.numerics = flags.numerics}, flags.level))
    return console.report(diagnostics);
  Module unplanned = *module;
  if (!lower_to("plan", *module, diagnostics, {.numerics = flags.numerics})) return console.report(diagnostics);
  const auto plans = plan_memory(*module, &unplanned, sizes);
  if (!plans) return console.report(context->locations(), plans.error());
  const Status<> written =
      write_product("-", format == ReportFormat::Json ? memory_json(*plans) : memory_text(*plans, steps));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
