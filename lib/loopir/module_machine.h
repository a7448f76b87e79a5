// The machine that a module is scheduled for.
#pragma once

#include <optional>
#include <string_view>

#include "ir/module.h"
#include "machine/machine.h"

namespace mlgc {

// The attribute of a module that names it: `module attributes {machine = "x86-64-v3,cores=16"}`.
inline constexpr std::string_view kMachineAttribute = "machine";

// What the module states; nothing where it states none. Precondition: the module verifies, so that what it states can
// be read.
[[nodiscard]] std::optional<Machine> stated_machine(const Module& module);
void state_machine(Module& module, const Machine& machine);

// What the module states, where that is of the kind; else the default of the kind. Precondition: as above.
[[nodiscard]] Machine machine_of(const Module& module, MachineKind kind);

}  // namespace mlgc
