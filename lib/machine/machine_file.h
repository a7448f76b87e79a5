// Machines as files: what `--machine=FILE` reads and `mlgc explain target --measure` writes.
//
//     { "mlgc-machine": 1, "name": "my-server", "base": "x86-64-v4", "cores": 64, "l3_bytes": 268435456 }
//
// Guarantees
//   - A file is read whole or not at all: a member that is not known, repeated, or out of bounds is an error where it
//     stands.
//   - With `base`, a built-in machine, numbers that are not said are its own; without it there must be all numbers of
//     the `kind` (machine_fields()).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "machine/machine.h"

namespace mlgc {

inline constexpr std::int64_t kMachineFormat = 1;

// `base` is empty where the file names none. Nothing after an error, which was reported.
[[nodiscard]] std::optional<Machine> read_machine_file(const SourceFile& file, DiagnosticEngine& diagnostics);

// A line for each number, all of them, with the base.
[[nodiscard]] std::string machine_file_text(const Machine& machine);

}  // namespace mlgc
