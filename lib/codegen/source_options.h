// What may be said of how source is printed, whatever the language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formula/scalar_function.h"

namespace mlgc {

// What computes exp, tanh and the like.
enum class Mathematics : std::uint8_t {
  Prelude,  // vectors, within the errors that docs/codegen.md states
  Library,  // the C library in f64, rounded once, lane by lane: the interpreter's bits. Of C++ alone
};

// Whether the two may give other last bits of a float: the function is neither exact nor one instruction.
[[nodiscard]] bool prelude_rounds(ScalarFn fn);

struct SourceOptions {
  Mathematics mathematics = Mathematics::Prelude;
  std::string version;  // of the compiler
  // Text of kernels; more of it is spread over files, which compile side by side. A file costs the host compiler a
  // tenth of a second, and so much text about two.
  std::size_t bytes_per_file = std::size_t{40} << 10U;
  std::int32_t vector_bytes = 0;  // 16, 32, 64: a unit with several widths has this one alone; 0: all of them
  std::size_t most_files = 16;    // of kernels, however much text; at least 1
};

}  // namespace mlgc
