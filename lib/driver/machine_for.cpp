// See machine_for.h.
#include "driver/machine_for.h"

#include "support/result.h"

namespace mlgc {

const Machine& machine_for(const Module& module, Target target) {
  (void)module;  // no module says it yet
  const Machine* machine = find_machine(target == Target::Cuda ? "h200" : "x86-64-v4");
  MLGC_ASSERT(machine != nullptr, "machine_for: a built-in machine is missing");
  return *machine;
}

}  // namespace mlgc
