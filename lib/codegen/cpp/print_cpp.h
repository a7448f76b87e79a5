// Loop functions as C++ with vectors: readable, standing alone, without a flag, a header or an allocation.
//
// Guarantees
//   - The file is a unit (unit.h); its functions are exported as extern "C" with the signatures of print_function.h,
//   and call
//     nothing but the runtime (lib/runtime/unit.h) and functions of the C library.
//   - The bits do not depend on the compiler, its flags (-ffast-math aside), the width of vectors or the number of
//   threads.
//     With Mathematics::Library they are those of the interpreter in native precision.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/print_function.h"
#include "codegen/source_options.h"

namespace mlgc {

struct CppOptions {
  Mathematics mathematics = Mathematics::Prelude;
  std::string file_name = "unit.cpp";  // the file includes itself by this name
};

struct CppUnit {
  std::string text;
  std::vector<codegen::PrintedFunction> functions;  // in the order that was asked for
};

// One source file with these functions. Error: kCannotEmit.
[[nodiscard]] Result<CppUnit, Diagnostic> print_cpp(std::span<const OpRef> functions, const CppOptions& options = {});

namespace codegen {

// Declarations of the vector types that a text names.
[[nodiscard]] std::string vector_types(const std::string& text);
// Whether a function among these adds products of bf16 in pairs (Unit::bf16_pairs).
[[nodiscard]] bool adds_pairs(std::span<const PrintedFunction> functions);

}  // namespace codegen

}  // namespace mlgc
