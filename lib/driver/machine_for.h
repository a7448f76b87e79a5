// Which machine a module is compiled for.
#pragma once

#include "codegen/target.h"
#include "ir/module.h"
#include "machine/machine.h"

namespace mlgc {

[[nodiscard]] const Machine& machine_for(const Module& module, Target target);

}  // namespace mlgc
