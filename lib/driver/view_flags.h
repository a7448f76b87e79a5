// What the subjects of `mlgc explain` that show a graph have in common: their flags, and the way from a file to a view.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "driver/command.h"
#include "inspect/graph_view.h"
#include "machine/machine.h"

namespace mlgc {

struct ViewFlags {
  std::string input = "-";
  std::vector<std::string> dims;
  ReportFormat format = ReportFormat::Text;
  ViewOptions options;  // filled by run_view()
};

enum class ViewOf : std::uint8_t { Module, Value };  // Value: a second positional is the value that is asked for

// FILE, perhaps %VALUE, --dim and --format, and the flags of diagnostics.
void add_view_flags(Arguments& arguments, ViewFlags& flags, ViewOf of);

// Loads the module and writes what `view` says of it. Precondition: the arguments were parsed.
ExitCode run_view(const Arguments& arguments, ViewFlags& flags, std::string_view command,
                  const std::function<std::string(const Module&)>& view);

// The same for views against a machine: the one of `machine`, what --machine says (machine_flag.h), else the one that
// the module states, else the default CPU.
ExitCode run_machine_view(const Arguments& arguments, ViewFlags& flags, const std::string& machine,
                          std::string_view command,
                          const std::function<std::string(const Module&, const Machine&)>& view);

}  // namespace mlgc
