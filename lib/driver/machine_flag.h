// --machine: what a program is compiled for.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "ir/context.h"
#include "ir/module.h"
#include "machine/machine.h"

namespace mlgc {

// `text`: a built-in machine with other numbers perhaps, `native`, or a file; empty: nothing was said.
void add_machine_flag(Arguments& arguments, std::string& text);

// Nothing after an error, which was reported. Precondition: the text is not empty.
[[nodiscard]] std::optional<Machine> read_machine_flag(const std::string& text, Context& context,
                                                       DiagnosticEngine& diagnostics);

// States what the flag says on the module, in the place of what that says. False: an error was reported.
[[nodiscard]] bool state_machine_flag(const std::string& text, Module& module, DiagnosticEngine& diagnostics);

}  // namespace mlgc
