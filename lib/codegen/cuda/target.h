// CUDA, for GPUs of NVIDIA.
#pragma once

#include "codegen/target.h"

namespace mlgc {

extern const TargetDef kCudaTarget;

}  // namespace mlgc
