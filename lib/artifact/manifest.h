// manifest.json of a compiled model: what it is, what it wants of a machine, and its signature.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "runtime/unit.h"
#include "support/result.h"
#include "tensor/dtype.h"

namespace mlgc {

inline constexpr std::int64_t kManifestFormat = 1;

struct ManifestValue {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<std::string> dims;           // as in a type: `784`, `[2*S + 1]`
  std::string updates;                     // of outputs: `@state` or an input that this is the new value of; else empty
  [[nodiscard]] std::string type() const;  // `tensor<[B]x784xf32>`
};

struct ManifestSymbol {
  std::string name;
  std::int64_t low = 0;
  std::optional<std::int64_t> high;
};

// A launch of a kernel, or of a segment that a target computes.
struct ManifestLaunch {
  std::string name;
  std::string target;                   // empty: a kernel
  std::vector<std::string> ops;         // of a segment
  std::string within;                   // the ops around it; empty: it runs once
  std::vector<ManifestValue> operands;  // those that it writes last
  std::size_t written = 0;
};

struct ManifestFunction {
  std::string name;
  std::vector<ManifestValue> inputs, outputs;
  std::vector<ManifestSymbol> symbols;
  std::vector<std::string> constraints;  // beyond the ranges
  std::vector<ManifestLaunch> launches;  // in the order of the program
  // Ranges and constraints as a `where` clause has them; empty when there are none.
  [[nodiscard]] std::string where() const;
};

struct ManifestFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Manifest {
  std::string mlgc;          // version of the compiler
  std::string name;          // of the module
  std::string unit;          // the symbol that gives its table
  std::string target;        // `cpp`, `cuda`
  std::string architecture;  // `x86_64-linux`
  std::vector<std::string> cpu_features;
  std::string numerics;
  std::string compiler, flags;
  std::vector<std::string> externals;  // targets whose callback tables it needs
  std::vector<ManifestFunction> functions;
  std::vector<ManifestValue> states;
  std::vector<ManifestFile> files;
  [[nodiscard]] const ManifestFile* file(std::string_view name) const;  // null: it has none of that name
};

// The machine that this program was built for.
[[nodiscard]] std::string_view this_architecture();

// What a unit's table says of its functions and states.
void describe_unit(const mlgc_unit& unit, Manifest& manifest);

[[nodiscard]] std::string print_manifest(const Manifest& manifest);
// `path` is the artefact's, for messages; the field that is missing or no good is named.
[[nodiscard]] Result<Manifest, Diagnostic> parse_manifest(std::string_view text, const std::string& path);

}  // namespace mlgc
