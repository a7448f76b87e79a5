// What emitted C++ defines for itself: vectors, conversions, mathematics. The texts stand in lib/codegen/cpp/prelude.
//
// Guarantee: what is printed for a source suffices for it, with nothing included, and holds no piece that it does not
// use.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlgc::codegen {

// The pieces whose names `source` uses, and those that they use, in an order in which they compile.
[[nodiscard]] std::string print_prelude(std::string_view source);

// Private: the files of the folder, in the order in which their pieces may use each other.
[[nodiscard]] std::span<const std::string_view> prelude_files();

}  // namespace mlgc::codegen
