// C++ with vectors, for CPUs.
#pragma once

#include "codegen/target.h"

namespace mlgc {

extern const TargetDef kCppTarget;

}  // namespace mlgc
