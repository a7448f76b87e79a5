// The table of back ends: a line for each.
#include <array>

#include "codegen/cpp/target.h"
#include "codegen/cuda/target.h"
#include "codegen/target.h"

namespace mlgc {

std::span<const TargetDef* const> targets() {
  static constexpr std::array kTargets{&kCppTarget, &kCudaTarget};
  return kTargets;
}

MachineKind TargetDef::kind() const {
  const Machine* found = find_machine(machine);
  MLGC_ASSERT(found != nullptr, "a target whose machine is not built in");
  return found->kind();
}

}  // namespace mlgc
