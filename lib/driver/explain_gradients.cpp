// mlgc explain gradients: which arguments, weights and states have a gradient, through which ops it flows, which ops
// end it and why, by what rule each op sends gradients back, and what is saved for that.
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "interp/function_results.h"
#include "ops/op_table.h"
#include "reports/gradient_flow.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainGradientsExamples =
    "  mlgc explain gradients mlp.mlir                      of the only float result, by all float arguments and "
    "weights\n"
    "  mlgc explain gradients step.mlir --of=loss           of this result\n"
    "  mlgc explain gradients mlp.mlir --wrt=x,@fc0.weight  by these alone\n"
    "  mlgc explain gradients mlp.mlir --format=json        for programs\n"
    "docs/inspecting.md describes the report; `mlgc grad` makes the gradients.\n";

struct GradientsFlags {
  std::string input = "-", function;
  std::vector<std::string> of, wrt;
  ReportFormat format = ReportFormat::Text;
};

ExitCode explain(const Console& console, const GradientsFlags& flags) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::optional<Module> module = load_input(context, flags.input, diagnostics);
  if (!module) return console.report(diagnostics);
  const FuncRef chosen = choose_function(*module, flags.function, diagnostics);
  if (!chosen.valid()) return console.report(diagnostics);
  const auto flow = find_gradient_flow(*module, std::string(chosen.name()), flags.of, flags.wrt, diagnostics);
  if (!flow) return console.report(diagnostics);
  const Status<> written =
      write_product("-", flags.format == ReportFormat::Json ? render_json(*flow) : render_text(*flow));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_explain_gradients(const Words& words) {
  Arguments arguments("explain gradients",
                      "Says which values have a gradient, through which ops it flows and which end it, by what rule\n"
                      "each op sends gradients back, and what is saved for that.",
                      kExplainGradientsExamples);
  GradientsFlags flags;
  arguments.add_positional("model", flags.input, "FILE",
                           "Text of a module, or a model file; - or nothing: standard input");
  add_function_flag(arguments, flags.function);
  add_derivative_flags(arguments, flags.of, flags.wrt);
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  return explain(arguments.console(), flags);
}

}  // namespace mlgc
