// mlgc explain partition: what the pass `partition` would do with a model, and why. Nothing is changed.
#include <unistd.h>

#include <cstdlib>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "ops/op_table.h"
#include "partition/report.h"

namespace mlgc {

namespace {

constexpr std::string_view kExplainPartitionExamples =
    "  mlgc explain partition model.mlir --registry=accel.json                segments, and each op outside with a "
    "reason\n"
    "  mlgc explain partition model.pt2 --registry=accel.json --min-ops=4     the same of a model file\n"
    "  mlgc explain partition model.mlir --registry=everything --format=json  for programs\n"
    "  mlgc opt model.mlir --partition=registry=accel.json                    does it\n"
    "docs/partition.md describes registries and the report.\n";

}  // namespace

ExitCode run_explain_partition(const Words& words) {
  Arguments arguments("explain partition",
                      "Says which ops a target takes, in which segments, what crosses their boundaries, and why the\n"
                      "other ops are in none.",
                      kExplainPartitionExamples);
  std::string input = "-", registry_path;
  std::size_t min_ops = 1;
  ReportFormat format = ReportFormat::Text;
  add_module_argument(arguments, input);
  arguments.add_value("--registry", registry_path, "FILE", "What the target supports; `everything` is built in");
  arguments.add_value("--min-ops", min_ops, "N", "No segment of fewer ops");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (registry_path.empty())
    return console.report(diagnose<kBadFlag>({}, "--registry: a registry file must be named", "explain partition"));
  if (min_ops == 0)
    return console.report(diagnose<kBadFlag>({}, "--min-ops: it must be at least 1", "explain partition"));

  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const auto registry = read_registry(*context, registry_path, diagnostics);
  const std::optional<Module> module = registry ? load_input(context, input, diagnostics) : std::nullopt;
  if (!module) return console.report(diagnostics);
  const Dependences dependences(*module);
  const Partitioning partitioning =
      partition_ops(*module, *registry, dependences, {.min_ops = min_ops, .explain = true});
  const bool color = want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"));
  const Status<> written = write_product(
      "-", format == ReportFormat::Json ? partition_json(*module, *registry, partitioning, dependences)
                                        : partition_text(*module, *registry, partitioning, dependences, color));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
