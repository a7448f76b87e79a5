// See roof.h.
#include "machine/roof.h"

#include <algorithm>

namespace mlgc {

double Roof::seconds(double operations, double bytes) const {
  const double computing = gflops > 0 ? operations / gflops : 0, moving = memory_gbs > 0 ? bytes / memory_gbs : 0;
  return std::max(computing, moving) * 1e-9;
}

Roof roof_of(const Machine& machine) {
  constexpr double kOperations = 2;  // of a multiply-add
  constexpr double kBytes = 4;       // of f32
  if (machine.kind() == MachineKind::Gpu) {
    const GpuMachine& gpu = machine.gpu();
    return {kOperations * static_cast<double>(gpu.multiprocessors * gpu.fma_lanes) * gpu.clock_ghz, gpu.memory_gbs};
  }
  const CpuMachine& cpu = machine.cpu();
  const double lanes = static_cast<double>(cpu.vector_bytes) / kBytes;
  return {kOperations * lanes * static_cast<double>(cpu.fma_ports * cpu.cores) * cpu.clock_ghz, cpu.all_memory_gbs};
}

}  // namespace mlgc
