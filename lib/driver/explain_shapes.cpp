// mlgc explain shapes: what types values have, and where the symbols in their sizes come from.
#include "driver/view_flags.h"
#include "inspect/shape_report.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainShapesExamples =
    "  mlgc explain shapes model.pt2 --dim=B=8     types, bytes, and the ops that make new sizes\n"
    "  mlgc explain shapes model.mlir %y           one value\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_shapes(const Words& words) {
  Arguments arguments("explain shapes", "Says what types values have, and where the symbols in their sizes come from.",
                      kExplainShapesExamples);
  ViewFlags flags;
  add_view_flags(arguments, flags, ViewOf::Value);
  if (const auto over = arguments.parse(words)) return *over;
  return run_view(arguments, flags, "explain shapes", [&](const Module& module) {
    return flags.format == ReportFormat::Json ? shape_json(module, flags.options) : shape_text(module, flags.options);
  });
}

}  // namespace mlgc
