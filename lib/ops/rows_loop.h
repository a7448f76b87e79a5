// Rows of the loop level: nests over buffers. Scalar arithmetic has no rows here: the formula rows apply to scalars.
//
//     func @add(%a: buffer<[B]x3xf32, argument>, %b: buffer<3xf32, argument>, %y: buffer<[B]x3xf32, argument>) {
//       for [0, B] (%i: index) {
//         for [0, 3] (%j: index) {
//           %0 = load %a[%i, %j] : f32
//           %1 = load %b[%j] : f32
//           %2 = add %0, %1 : f32
//           store %2, %y[%i, %j]
//         }
//       }
//       return
//     }
#pragma once

#include <span>

#include "ir/op_def.h"

namespace mlgc {

[[nodiscard]] std::span<const OpDef* const> loop_rows();

}  // namespace mlgc
