// The machine that a module is scheduled for.
#pragma once

#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "machine/machine.h"
#include "support/result.h"

namespace mlgc {

// The attribute of a module that names it: `module attributes {machine = "x86-64-v3,cores=16"}`.
inline constexpr std::string_view kMachineAttribute = "machine";

// What the module states; nothing where it states none. Precondition: the module verifies, so that what it states can
// be read.
[[nodiscard]] std::optional<Machine> stated_machine(const Module& module);
void state_machine(Module& module, const Machine& machine);

// What the module states, where that is of the kind; else the default of the kind. Precondition: as above.
[[nodiscard]] Machine machine_of(const Module& module, MachineKind kind);

// What the module states, or `otherwise`, where it states none. Error: what it states is of another kind than that
// (kMachineOfOtherKind). Precondition: as above.
[[nodiscard]] Result<Machine, Diagnostic> machine_for(const Module& module, const Machine& otherwise);

}  // namespace mlgc
