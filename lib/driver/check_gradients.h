// `mlgc grad --check`: the function on inputs that are given or generated, and the report.
#pragma once

#include <string>
#include <vector>

#include "driver/arguments.h"
#include "driver/input_flags.h"
#include "driver/load.h"
#include "execution/check_gradients.h"

namespace mlgc {

struct GradientCheckFlags {
  bool check = false;
  std::vector<std::string> dims;
  ArgumentOptions arguments = flag_arguments();
  DataOptions data;
  ReportFormat format = ReportFormat::Text;
};
// --check and what goes with it.
void add_gradient_check_flags(Arguments& arguments, GradientCheckFlags& flags);
// Reads what parse() leaves as text; `input` is the file that is differentiated. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_gradient_check_flags(const std::string& input, GradientCheckFlags& flags);

// Takes what flags say of inputs and data into the request; `input` is the file that is differentiated. Prints the
// report on standard output. Exit code 4 when a gradient is wrong.
[[nodiscard]] ExitCode check_gradients(const Console& console, LoadedModel model, GradientCheckRequest request,
                                       const std::string& input, const GradientCheckFlags& flags,
                                       DiagnosticEngine& diagnostics);

}  // namespace mlgc
