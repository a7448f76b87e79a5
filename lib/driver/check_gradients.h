// `mlgc grad --check`: the function on inputs that are given or drawn, and the report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/arguments.h"
#include "driver/bind_arguments.h"
#include "driver/load.h"
#include "driver/module_data.h"

namespace mlgc {

struct GradientCheckFlags {
  bool check = false;
  std::vector<std::string> dims;
  ArgumentFlags arguments;
  DataFlags data;
  ReportFormat format = ReportFormat::Text;
};
// --check and what goes with it.
void add_gradient_check_flags(Arguments& arguments, GradientCheckFlags& flags);
// Reads what parse() leaves as text; `input` is the file that is differentiated. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_gradient_check_flags(const std::string& input, GradientCheckFlags& flags);

// What is differentiated, as the flags of `mlgc grad` say it.
struct GradientCheckRequest {
  std::string input, function;
  std::vector<std::string> of, wrt;
  bool seed = false;
  std::string straighten;                               // passes in front of `grad`
  std::function<std::string(const FuncRef&)> pipeline;  // all passes, for the function of this name
};

// Without inputs they are drawn as --verify-each=numeric draws them; so are weights of a text, unless they are given
// too. Prints the report on standard output. Exit code 4 when a gradient is wrong.
[[nodiscard]] ExitCode check_gradients(const Console& console, LoadedModel model, const GradientCheckRequest& request,
                                       const GradientCheckFlags& flags, DiagnosticEngine& diagnostics);

}  // namespace mlgc
