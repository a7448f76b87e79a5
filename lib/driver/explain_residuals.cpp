// mlgc explain residuals: where values are added to what was computed of them.
#include "driver/view_flags.h"
#include "inspect/residual_report.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainResidualsExamples =
    "  mlgc explain residuals model.pt2            each connection, with its body and its shortcut\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_residuals(const Words& words) {
  Arguments arguments("explain residuals", "Says where values are added to what was computed of them.",
                      kExplainResidualsExamples);
  ViewFlags flags;
  add_view_flags(arguments, flags, ViewOf::Module);
  if (const auto over = arguments.parse(words)) return *over;
  return run_view(arguments, flags, "explain residuals", [&](const Module& module) {
    return flags.format == ReportFormat::Json ? residual_json(module, flags.options)
                                              : residual_text(module, flags.options);
  });
}

}  // namespace mlgc
