// See vector_bytes_flag.h.
#include "driver/vector_bytes_flag.h"

#include <array>
#include <utility>

#include "diag/kinds_driver.h"
#include "driver/machine_flag.h"
#include "loopir/module_machine.h"
#include "machine/machine.h"

namespace mlgc {

std::int32_t VectorBytesFlag::bytes() const {
  const std::int32_t said = given.value_or(fallback);
  return said == kNativeVectors ? widest_vectors() : said;
}

void add_vector_bytes_flag(Arguments& arguments, VectorBytesFlag& flag, const std::string& help) {
  arguments.add_choice<std::optional<std::int32_t>>(
      "--vector-bytes", flag.given,
      {{"all", kAllVectors}, {"native", kNativeVectors}, {"16", 16}, {"32", 32}, {"64", 64}},
      help + " (default: " + (flag.fallback == kAllVectors ? "all" : "native") + ")");
}

void state_vectors(const VectorBytesFlag& flag, Module& module) {
  const std::int32_t bytes = flag.bytes();
  if (bytes == kAllVectors) return;
  const bool native = flag.given.value_or(flag.fallback) == kNativeVectors;
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

std::optional<Diagnostic> check_vectors_here(const VectorBytesFlag& flag, const std::string& command,
                                             std::int32_t widest) {
  if (flag.bytes() <= widest) return std::nullopt;
  return diagnose<kVectorsNotHere>({}, flag.bytes(), command, widest);
}

}  // namespace mlgc
