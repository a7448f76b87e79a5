// mlgc explain MODEL: what a model is, on one screen.
#include "driver/machine_flag.h"
#include "driver/view_flags.h"
#include "inspect/overview.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainModelExamples =
    "  mlgc explain model.pt2                       ops, parameters, work, shapes of the graph\n"
    "  mlgc explain model.mlir --dim=B=8            amounts at a size\n"
    "  mlgc explain model.pt2 --machine=h200        against another machine's roof\n"
    "  mlgc explain model.pt2 --format=json         for programs\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_model(const Words& words) {
  Arguments arguments(
      "explain model",
      "Says what a model is, on one screen: ops by class and opcode, parameters, work and the roof of a\n"
      "machine, dtypes, symbols, residual connections, control flow and states.",
      kExplainModelExamples);
  ViewFlags flags;
  std::string machine;
  add_view_flags(arguments, flags, ViewOf::Module);
  add_machine_flag(arguments, machine);
  if (const auto over = arguments.parse(words)) return *over;
  return run_machine_view(arguments, flags, machine, "explain model", [&](const Module& module, const Machine& of) {
    return flags.format == ReportFormat::Json ? overview_json(module, flags.options, of)
                                              : overview_text(module, flags.options, of);
  });
}

}  // namespace mlgc
