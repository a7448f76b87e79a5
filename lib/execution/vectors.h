// How wide the vectors are that kernels of a CPU use, and the CPU that runs this program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"
#include "machine/machine.h"

namespace mlgc {

// Widths beside 16, 32 and 64 bytes.
inline constexpr std::int32_t kAllVectors = 0;      // of these widths, chosen when the model is loaded
inline constexpr std::int32_t kNativeVectors = -1;  // of the CPU that runs this program

struct VectorBytes {
  std::optional<std::int32_t> given = {};
  std::int32_t fallback = kNativeVectors;  // where none was given

  // As CompileOptions::vector_bytes.
  [[nodiscard]] std::int32_t bytes() const;
};

// States the machine that schedules are made for. A number: what the module states, but for vectors, their registers
// and instructions where it has others, or the plainest built-in CPU with such vectors; native: what the module states,
// or this CPU, with this CPU's vectors; all: nothing. A module that states a GPU stays.
void state_vectors(const VectorBytes& vectors, Module& module);

// The built-in CPUs whose kernels the CPU that runs this program can run, from the plainest on: one at least.
[[nodiscard]] std::vector<const Machine*> host_machines();
// The last of them.
[[nodiscard]] const Machine& host_machine();
// The first built-in CPU with vectors of so many bytes: 16, 32 or 64.
[[nodiscard]] const Machine& machine_with_vectors(std::int64_t bytes);

}  // namespace mlgc
