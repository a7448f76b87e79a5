// --target: a back end of the table (codegen/target.h).
#pragma once

#include "codegen/target.h"
#include "driver/arguments.h"

namespace mlgc {

// `target` is the default, and never null.
void add_target_flag(Arguments& arguments, const TargetDef*& target);

}  // namespace mlgc
