// One file of emitted C++: what it declares, its functions for each width of vectors, the choice between them, and
// functions that are the same for all widths.
//
// Guarantees
//   - The file includes nothing but itself, once for each width; the functions are printed once.
//   - It builds with g++ >= 10 and clang++ >= 14 as C++14 or later, without a flag. The widest vectors that the CPU has
//     are chosen when the file is loaded; -DMLGC_ONLY=64 (or 32, 16) leaves the other widths out.
//   - Products and sums stay two operations, whatever the flags but -ffast-math: the widths give the same bits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc::codegen {

// A string literal, quotes included, that holds the text whatever stands in it.
[[nodiscard]] std::string c_string(std::string_view text);

// A width of vectors, with what g++ 10 calls the features of x86-64 that it takes, which are also the names of
// __builtin_cpu_supports; none for what every CPU has.
struct VectorWidth {
  int bytes;
  std::vector<std::string_view> features;
};
// Widest first; the last one is there on every CPU.
[[nodiscard]] std::span<const VectorWidth> vector_widths();

// What __builtin_cpu_supports calls the instruction for pairs of products of bf16 in vectors of 64 bytes.
inline constexpr std::string_view kBf16Feature = "avx512bf16";

// A function of the unit that may be called from outside: `type name(parameters)`.
struct UnitFunction {
  std::string type, name, parameters;
  std::string arguments;  // the names in `parameters`, separated by commas
};

struct Unit {
  std::string file_name;                // without folders: the file includes itself by it
  std::string head;                     // declarations that do not depend on the width; may be empty
  std::string functions;                // in the language of the prelude; static, in a namespace for each width
  std::span<const UnitFunction> entry;  // those of `functions` that are exported under their names
  // Where they are, and all of the unit's own names; empty: as extern "C".
  std::string name_space;
  // Chooses the widest vectors, or those of so many bytes. Static without a namespace.
  std::string prepare = "mlgc_prepare";
  // After all of it, in the namespace; may be empty. MLGC_FEATURES is a string there: `avx2, fma`, what -DMLGC_ONLY
  // makes the unit need.
  std::string tail;
  // What touches no vectors, and calls the entries: compiled once. In the language of the prelude, static.
  std::string hosts = {};
  std::span<const UnitFunction> declared = {};  // those of `hosts` that the tail speaks of
  // `functions`, or those of another file of the model, add products of bf16 in pairs: vectors of 64 bytes are for CPUs
  // that have kBf16Feature.
  bool bf16_pairs = false;
  std::int32_t only = 0;  // the width that it has without -DMLGC_ONLY; 0: all
};

[[nodiscard]] std::string print_unit(const Unit& unit);

}  // namespace mlgc::codegen
