// See vectors.h.
#include "execution/vectors.h"

#include <utility>

#include "compile/compile_model.h"
#include "loopir/module_machine.h"

namespace mlgc {

std::int32_t VectorBytes::bytes() const {
  const std::int32_t said = given.value_or(fallback);
  return said == kNativeVectors ? widest_vectors() : said;
}

void state_vectors(const VectorBytes& vectors, Module& module) {
  const std::int32_t bytes = vectors.bytes();
  if (bytes == kAllVectors) return;
  const bool native = vectors.given.value_or(vectors.fallback) == kNativeVectors;
  const CpuMachine& with = machine_with_vectors(bytes).cpu();
  Machine machine = stated_machine(module).value_or(native ? host_machine() : machine_with_vectors(bytes));
  if (machine.kind() != MachineKind::Cpu) return;
  auto& cpu = std::get<CpuMachine>(machine.numbers);
  if (cpu.vector_bytes != with.vector_bytes) {
    cpu.vector_bytes = with.vector_bytes;
    cpu.vector_registers = with.vector_registers;
    cpu.bf16_terms = with.bf16_terms;
  }
  state_machine(module, machine);
}

const Machine& machine_with_vectors(std::int64_t bytes) {
  for (const Machine& machine : machines())
    if (machine.kind() == MachineKind::Cpu && machine.cpu().vector_bytes == bytes) return machine;
  MLGC_ASSERT(false, "no built-in CPU with vectors of that width");
  return default_machine(MachineKind::Cpu);
}

std::vector<const Machine*> host_machines() {
  std::vector<const Machine*> out;
  for (const Machine& machine : machines())
    if (machine.kind() == MachineKind::Cpu && runs_here(machine.cpu())) out.push_back(&machine);
  MLGC_ASSERT(!out.empty(), "no built-in CPU for this one");
  return out;
}

const Machine& host_machine() { return *host_machines().back(); }

}  // namespace mlgc
