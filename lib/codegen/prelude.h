// What emitted source defines for itself: vectors, conversions, mathematics, how kernels run. The texts stand in the
// folders `prelude` of lib/codegen and of its languages.
//
// Guarantee: what is printed for a source suffices for it (of C++ with nothing included, of CUDA with the toolkit's
// headers), and holds no piece that it does not use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mlgc::codegen {

enum class Language : std::uint8_t { Cpp, Cuda };

// The pieces whose names `source` uses, and those that they use, in an order in which they compile.
[[nodiscard]] std::string print_prelude(std::string_view source, Language language);

// Private: the files of a language, in the order in which their pieces may use each other.
[[nodiscard]] std::span<const std::string_view> prelude_files(Language language);

}  // namespace mlgc::codegen
