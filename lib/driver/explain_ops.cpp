// mlgc explain ops: which ops a model has, by opcode, and what they compute and move.
#include "driver/view_flags.h"
#include "inspect/op_report.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainOpsExamples =
    "  mlgc explain ops model.pt2 --dim=B=8        opcodes, the most operations first\n"
    "  mlgc explain ops model.mlir %y              one op, with its formula, operands and attributes\n"
    "docs/inspecting.md describes what is said.\n";

}  // namespace

ExitCode run_explain_ops(const Words& words) {
  Arguments arguments("explain ops", "Says which ops a model has, by opcode, and what they compute and move.",
                      kExplainOpsExamples);
  ViewFlags flags;
  add_view_flags(arguments, flags, ViewOf::Value);
  if (const auto over = arguments.parse(words)) return *over;
  return run_view(arguments, flags, "explain ops", [&](const Module& module) {
    return flags.format == ReportFormat::Json ? op_json(module, flags.options) : op_text(module, flags.options);
  });
}

}  // namespace mlgc
