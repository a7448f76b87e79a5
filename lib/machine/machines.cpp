// The built-in machines, read from their files at the first question.
#include <vector>

#include "machine/machine.h"
#include "machine/machine_file.h"
#include "machine/machine_files.h"

namespace mlgc {
namespace {

std::vector<Machine> read_all() {
  std::vector<Machine> out;
  LocationTable locations;
  DiagnosticEngine diagnostics(locations);
  for (const std::string_view text : machine_files()) {
    std::optional<Machine> machine = read_machine_file(
        locations.add_source("machine " + std::to_string(out.size()), std::string(text)), diagnostics);
    MLGC_ASSERT(machine.has_value(), "built-in " + diagnostics.sorted().front().message());
    machine->base = machine->name;
    out.push_back(*std::move(machine));
  }
  return out;
}

}  // namespace

std::span<const Machine> machines() {
  static const std::vector<Machine> all = read_all();
  return all;
}

}  // namespace mlgc
