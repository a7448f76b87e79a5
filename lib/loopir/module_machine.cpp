// See module_machine.h.
#include "loopir/module_machine.h"

#include <utility>
#include <vector>

#include "diag/kinds_machine.h"

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

Result<Machine, Diagnostic> machine_for(const Module& module, const Machine& otherwise) {
  std::optional<Machine> stated = stated_machine(module);
  if (!stated) return otherwise;
  if (stated->kind() == otherwise.kind()) return *std::move(stated);
  std::vector<std::string> fitting;
  for (const Machine& machine : machines())
    if (machine.kind() == otherwise.kind()) fitting.push_back(machine.name);
  return Failure{diagnose<kMachineOfOtherKind>(module.top().location(), stated->spec(),
                                               machine_kind_name(stated->kind()), machine_kind_name(otherwise.kind()),
                                               std::move(fitting))};
}

}  // namespace mlgc
