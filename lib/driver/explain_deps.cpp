// mlgc explain deps: what each op reads and who reads it.
#include "driver/view_flags.h"
#include "inspect/dependence_report.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainDepsExamples =
    "  mlgc explain deps model.mlir                dependences of all values\n"
    "  mlgc explain deps model.pt2 %conv1          where one value comes from, and where it goes\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_deps(const Words& words) {
  Arguments arguments("explain deps", "Says what each op reads and who reads it.", kExplainDepsExamples);
  ViewFlags flags;
  add_view_flags(arguments, flags, ViewOf::Value);
  if (const auto over = arguments.parse(words)) return *over;
  return run_view(arguments, flags, "explain deps", [&](const Module& module) {
    return flags.format == ReportFormat::Json ? dependence_json(module, flags.options)
                                              : dependence_text(module, flags.options);
  });
}

}  // namespace mlgc
