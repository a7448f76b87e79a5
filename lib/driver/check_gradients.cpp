// See check_gradients.h.
#include "driver/check_gradients.h"

#include <utility>

#include "diag/kinds_driver.h"
#include "driver/dim_flag.h"
#include "import/import_model.h"
#include "reports/gradient_report.h"

namespace mlgc {

void add_gradient_check_flags(Arguments& arguments, GradientCheckFlags& flags) {
  arguments.add_flag("--check", flags.check,
                     "Check: print no module; compare every adjoint and gradient with differences in f64, on one run");
  arguments.add_list("--input", flags.arguments.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, with --check, as `mlgc eval` takes them; repeatable");
  arguments.add_value("--random-inputs", flags.arguments.random_seed, "SEED",
                      "Random values for arguments without --input, with --check");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE",
                     "The size of a symbol, with --check, --memory-limit and --explain; repeatable");
  arguments.add_value("--weights", flags.data.weights, "FILE",
                      "The weights, with --check, instead of the file that the module names");
  arguments.add_value("--random-weights", flags.data.random_seed, "SEED", "Made-up weights, with --check");
  arguments.add_format_flag(flags.format, "--format", "How the report is written: that of --check and --explain");
  for (const char* const flag : {"--input", "--random-inputs", "--weights", "--random-weights"})
    arguments.needs(flag, "--check");
}

std::optional<Diagnostic> read_gradient_check_flags(const std::string& input, GradientCheckFlags& flags) {
  if (auto wrong = read_dim_flags(flags.dims, "grad", flags.arguments.dims)) return wrong;
  if (flags.data.random_seed && !flags.data.weights.empty())
    return diagnose<kFlagConflict>({}, "--weights", "--random-weights");
  const std::size_t slash = input.rfind('/');
  flags.data.folder = slash == std::string::npos ? "" : input.substr(0, slash);
  return std::nullopt;
}

ExitCode check_gradients(const Console& console, LoadedModel model, GradientCheckRequest request,
                         const std::string& input, const GradientCheckFlags& flags, DiagnosticEngine& diagnostics) {
  request.arguments = flags.arguments;
  request.data = flags.data;
  request.has_data = is_model_file(input);
  auto checked = check_gradients(std::move(model.module), std::move(model.weights), request, diagnostics);
  if (!checked) return console.report(diagnostics);
  const GradientReport report{std::move(checked->function), std::move(checked->inputs), std::move(checked->ops),
                              std::move(checked->values)};
  const LocationTable& locations = diagnostics.locations();
  const Status<> written = write_product(
      "-", flags.format == ReportFormat::Json ? render_json(report, locations) : render_text(report, locations));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
