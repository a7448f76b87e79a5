// --vector-bytes: how wide the vectors are that kernels of a CPU use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile/compile_model.h"
#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "execution/vectors.h"

namespace mlgc {

// `help` says what the width is of; what is taken without the flag is appended.
void add_vector_bytes_flag(Arguments& arguments, VectorBytes& flag, const std::string& help);

// For commands that run what they compile: error kVectorsNotHere where the flag asks for vectors wider than `widest`.
[[nodiscard]] std::optional<Diagnostic> check_vectors_here(const VectorBytes& flag, const std::string& command,
                                                           std::int32_t widest = widest_vectors());

}  // namespace mlgc
