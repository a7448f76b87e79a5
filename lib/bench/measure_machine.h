// This computer as a machine: what `mlgc explain target --measure` writes.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "machine/machine.h"
#include "support/result.h"

namespace mlgc::bench {

// Rates from the small program of machine_limits.h, sizes of caches and the number of cores from the system. Registers,
// ports, latencies, and what a parallel region costs, are the base's: they are not measured. Precondition: the base is
// a CPU. Error: the program cannot be compiled.
[[nodiscard]] Result<Machine, Diagnostic> measure_machine(const Machine& base, const std::string& host_compiler,
                                                          DiagnosticEngine& diagnostics);

}  // namespace mlgc::bench
