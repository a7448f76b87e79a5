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

}  // namespace mlgc
