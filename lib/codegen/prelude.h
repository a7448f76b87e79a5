// What emitted source defines for itself: vectors, conversions, mathematics, how kernels run. The texts stand in the
// folders `prelude` of lib/codegen and of its languages.
//
// Guarantee: what is printed for a source suffices for it (of C++ with nothing included, of CUDA with the toolkit's
// headers), and holds no piece that it does not use.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlgc::codegen {

// The files of a language, in the order in which their pieces may use each other; they live as long as the program.
using PreludeFiles = std::span<const std::string_view>;
[[nodiscard]] PreludeFiles cpp_prelude();
[[nodiscard]] PreludeFiles cuda_prelude();

// The pieces whose names `source` uses, and those that they use, in an order in which they compile.
[[nodiscard]] std::string print_prelude(std::string_view source, PreludeFiles files);

}  // namespace mlgc::codegen
