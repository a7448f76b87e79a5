// Private to lib/codegen: what the build files of emitted folders have in common (target.h).
#pragma once

#include <string>
#include <string_view>

#include "codegen/target.h"

namespace mlgc::codegen {

// What differs between languages in a project of CMake that builds a model with the runtime as a shared library.
struct CmakeProject {
  std::string_view needs;       // beside libc: `libc`, `a CUDA driver and libc`
  std::string_view minimum;     // the version of CMake
  std::string_view languages;   // `CXX`
  std::string_view options;     // of the compiler
  std::string properties = {};  // more of the library: ` CUDA_ARCHITECTURES 90`
};
[[nodiscard]] std::string cmake_text(const EmittedFolder& folder, const CmakeProject& project);

// The sources, separated by blanks, as a command line has them.
[[nodiscard]] std::string source_list(const EmittedFolder& folder);

// The line of a README about the file of weights; empty where there is none.
[[nodiscard]] std::string weights_line(const EmittedFolder& folder);

}  // namespace mlgc::codegen
