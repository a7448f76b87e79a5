// mlgc explain fusion: which kernels the pass `fuse` would make of a model, and why not fewer. Nothing is changed.
#include <unistd.h>

#include <cstdlib>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "fusion/fusion_report.h"
#include "ops/op_table.h"

namespace mlgc {

namespace {

constexpr std::string_view kExplainFusionExamples =
    "  mlgc explain fusion model.mlir                     kernels, and each use of a result with a verdict\n"
    "  mlgc explain fusion model.pt2 --format=json        for programs\n"
    "  mlgc opt model.mlir -O2 --fuse --explain-fusion    the same of what -O2 made of it; fuses\n"
    "docs/fusion.md describes the rules and the report.\n";

}  // namespace

ExitCode run_explain_fusion(const Words& words) {
  Arguments arguments(
      "explain fusion",
      "Says which ops become one kernel, what each kernel reads, writes and computes, and of every use of\n"
      "a result why it is fused or not.",
      kExplainFusionExamples);
  std::string input = "-";
  FusionOptions options;
  auto row_bytes = static_cast<std::size_t>(options.row_bytes);
  auto tile_bytes = static_cast<std::size_t>(options.tile_bytes);
  ReportFormat format = ReportFormat::Text;
  add_module_argument(arguments, input);
  arguments.add_value("--max-ops", options.max_ops, "N", "No kernel of more ops");
  arguments.add_value("--row-bytes", row_bytes, "N", "What one row of a kernel may keep for its later steps");
  arguments.add_value("--tile-bytes", tile_bytes, "N",
                      "What passes between kernels, from which on they become one that keeps tiles of it; 0: never");
  arguments.add_flag("--factors-in-memory", options.factors_in_memory,
                     "What a contraction reads is computed by other kernels, as it is for GPUs");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (options.max_ops == 0)
    return console.report(diagnose<kBadFlag>({}, "--max-ops: it must be at least 1", "explain fusion"));
  options.row_bytes = static_cast<std::int64_t>(row_bytes);
  options.tile_bytes = static_cast<std::int64_t>(tile_bytes);

  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<Module> module = load_input(context, input, diagnostics);
  if (!module) return console.report(diagnostics);
  const FusionDecisions decisions = decide_fusion(*module, options);
  const bool color = want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"));
  const Status<> written = write_product(
      "-", format == ReportFormat::Json ? fusion_json(*module, decisions) : fusion_text(*module, decisions, color));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
