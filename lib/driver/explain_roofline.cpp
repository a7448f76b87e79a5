// mlgc explain roofline: the kernels of a model under the roof of a machine.
#include "driver/machine_flag.h"
#include "driver/view_flags.h"
#include "inspect/roofline_report.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainRooflineExamples =
    "  mlgc explain roofline model.pt2 --dim=B=8         kernels, what bounds them, and the least time they can take\n"
    "  mlgc explain roofline model.mlir --machine=h200   under another machine's roof\n"
    "  mlgc explain schedule model.pt2 --measure         what kernels do take\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_roofline(const Words& words) {
  Arguments arguments(
      "explain roofline",
      "Says what each kernel of a model computes and moves, whether operations or bytes bound it on a machine, and\n"
      "the least time that it can take.",
      kExplainRooflineExamples);
  ViewFlags flags;
  std::string machine;
  add_view_flags(arguments, flags, ViewOf::Module);
  add_machine_flag(arguments, machine);
  if (const auto over = arguments.parse(words)) return *over;
  return run_machine_view(arguments, flags, machine, "explain roofline", [&](const Module& module, const Machine& of) {
    return flags.format == ReportFormat::Json ? roofline_json(module, flags.options, of)
                                              : roofline_text(module, flags.options, of);
  });
}

}  // namespace mlgc
