// --vector-bytes: how wide the vectors are that kernels of a CPU use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile/compile_model.h"
#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "ir/module.h"

namespace mlgc {

// What the flag says beside 16, 32 and 64.
inline constexpr std::int32_t kAllVectors = 0;      // of these widths, chosen when the model is loaded
inline constexpr std::int32_t kNativeVectors = -1;  // of the CPU that runs this program

struct VectorBytesFlag {
  std::optional<std::int32_t> given;
  std::int32_t fallback = kNativeVectors;  // without the flag

  // As CompileOptions::vector_bytes.
  [[nodiscard]] std::int32_t bytes() const;
};

// `help` says what the width is of; what is taken without the flag is appended.
void add_vector_bytes_flag(Arguments& arguments, VectorBytesFlag& flag, const std::string& help);

// States the machine that schedules are made for. A number: what the module states, but for vectors, their registers
// and instructions where it has others, or the plainest built-in CPU with such vectors; native: what the module states,
// or this CPU, with this CPU's vectors; all: nothing. A module that states a GPU stays.
void state_vectors(const VectorBytesFlag& flag, Module& module);

// For commands that run what they compile: error kVectorsNotHere where the flag asks for vectors wider than `widest`.
[[nodiscard]] std::optional<Diagnostic> check_vectors_here(const VectorBytesFlag& flag, const std::string& command,
                                                           std::int32_t widest = widest_vectors());

}  // namespace mlgc
