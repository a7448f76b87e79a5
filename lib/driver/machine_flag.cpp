// See machine_flag.h.
#include "driver/machine_flag.h"

#include "diag/kinds_driver.h"
#include "diag/kinds_machine.h"
#include "execution/vectors.h"
#include "loopir/module_machine.h"
#include "machine/machine_file.h"
#include "support/file.h"

namespace mlgc {

void add_machine_flag(Arguments& arguments, std::string& text) {
  arguments.add_value("--machine", text, "NAME|FILE",
                      "What schedules are made for: a machine of `mlgc explain target`, with other numbers perhaps "
                      "(x86-64-v3,cores=16), native, or a JSON file");
}

std::optional<Machine> read_machine_flag(const std::string& text, Context& context, DiagnosticEngine& diagnostics) {
  if (text == "native") return host_machine();
  if (text.find('/') == std::string::npos && !text.ends_with(".json")) {
    Result<Machine> machine = read_machine_spec(text);
    if (machine) return *std::move(machine);
    diagnostics.emit(diagnose<kUnknownMachine>({}, machine.error()));
    return std::nullopt;
  }
  Result<std::string> content = read_file(text);
  if (!content) {
    diagnostics.emit(diagnose<kCannotRead>({}, content.error()));
    return std::nullopt;
  }
  std::optional<Machine> machine =
      read_machine_file(context.locations().add_source(text, *std::move(content)), diagnostics);
  if (machine && machine->base.empty()) machine->base = default_machine(machine->kind()).name;
  return machine;
}

bool state_machine_flag(const std::string& text, Module& module, DiagnosticEngine& diagnostics) {
  if (text.empty()) return true;
  const std::optional<Machine> machine = read_machine_flag(text, module.context(), diagnostics);
  if (machine) state_machine(module, *machine);
  return machine.has_value();
}

}  // namespace mlgc
