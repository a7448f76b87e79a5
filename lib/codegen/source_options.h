// What may be said of how source is printed, whatever the language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mlgc {

// What computes exp, tanh and the like.
enum class Mathematics : std::uint8_t {
  Prelude,  // vectors, within the errors that docs/codegen.md states
  Library,  // the C library in f64, rounded once, lane by lane: the interpreter's bits. Of C++ alone
};

struct SourceOptions {
  Mathematics mathematics = Mathematics::Prelude;
  std::string version;                // of the compiler
  std::size_t kernels_per_file = 24;  // more of them are spread over files, which compile side by side
};

}  // namespace mlgc
