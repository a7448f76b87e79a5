// Loop functions as plain scalar C++17: readable, standing alone, without a flag or a header of ours.
//
// Guarantees
//   - Compiled without contraction (g++ and clang: -ffp-contract=off) the functions give the same bits as the
//     interpreter in native precision: f32 functions of the C library are computed in double and rounded once.
//   - extern "C"; signatures and return codes are those of loop_walk.h. Nothing is allocated but the text's `alloc`s.
#pragma once

#include <span>
#include <string>

#include "ir/module.h"

namespace mlgc {

// One source file with these functions, in order.
[[nodiscard]] std::string print_cpp(std::span<const OpRef> functions);
[[nodiscard]] std::string print_cpp(OpRef function);

}  // namespace mlgc
