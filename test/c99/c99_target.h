// A third target, outside of the compiler: models as one file of plain C99, scalar and freestanding, but for functions
// of libm where a model calls such. It shows what a back end takes: this folder, and the row.
//
// A program allocates nothing, and its caller gives it an arena. For each function f of a model m:
//
//     int64_t m_f_arena(const int64_t* symbols, int64_t* offsets);   bytes of the arena; fills `offsets`
//     int32_t m_f(const mlgc_call* call);                            0, or 1 with call->failure filled
#pragma once

#include "codegen/target.h"

namespace mlgc::c99 {

extern const TargetDef kC99Target;

}  // namespace mlgc::c99
