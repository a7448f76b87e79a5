// See module_machine.h.
#include "loopir/module_machine.h"

namespace mlgc {

std::optional<Machine> stated_machine(const Module& module) {
  const auto stated = module.context().attributes().as_string(module.top().attr(kMachineAttribute));
  if (!stated) return std::nullopt;
  Result<Machine> machine = read_machine_spec(*stated);
  MLGC_ASSERT(machine.ok(), "a module with a machine that cannot be read");
  return *std::move(machine);
}

void state_machine(Module& module, const Machine& machine) {
  module.top().set_attr(kMachineAttribute, module.context().attributes().string(machine.spec()));
}

Machine machine_of(const Module& module, MachineKind kind) {
  std::optional<Machine> stated = stated_machine(module);
  return stated && stated->kind() == kind ? *std::move(stated) : default_machine(kind);
}

}  // namespace mlgc
