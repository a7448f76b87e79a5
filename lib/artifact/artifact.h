// Compiled models on disk.
//
//     model.mlgcx/manifest.json        what it is (manifest.h)
//     model.mlgcx/model.so             the kernels with the runtime: one shared object that needs libc alone
//     model.mlgcx/weights.safetensors  weights, derived ones computed, and the first values of states
//
// or the same three as members of one stored zip archive, aligned to 64 bytes so that the weights are used in place.
//
// Guarantees
//   - A model appears whole, by a rename; what was there before is whole until then. It replaces only another model.
//   - Equal calls make equal bytes, but for what the C++ compiler does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "artifact/compile.h"
#include "artifact/manifest.h"
#include "diag/diagnostic.h"
#include "runtime/unit.h"
#include "support/bytes.h"
#include "support/result.h"
#include "tensor/npz.h"

namespace mlgc {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kSharedObjectName = "model.so";
inline constexpr std::string_view kWeightsName = "weights.safetensors";

// Which of these features (`avx2`, as __builtin_cpu_supports names them) this CPU does not have. One that this program
// knows nothing of is one that is not there.
[[nodiscard]] std::vector<std::string> missing_cpu_features(std::span<const std::string> wanted);

// What a unit's table says of its weights file (unit.h): the emitter prints these numbers.
struct WeightsTable {
  std::vector<std::int64_t> offsets;  // of each tensor
  std::int64_t file_bytes = 0, header_bytes = 0;
  std::uint64_t header_hash = 0;
};
// Tensors are the weights and the first values of states, each under its name; values do not matter. Without any there
// is no file. Error: a name that safetensors cannot hold, or one that is there twice.
[[nodiscard]] Result<WeightsTable> lay_out_weights(std::span<const NamedTensor> tensors);

// Such a file in memory, aligned to 64 bytes: for who runs a model without writing it.
[[nodiscard]] Result<SharedBytes> weights_in_memory(std::span<const NamedTensor> tensors);

struct ArtifactRequest {
  const CompiledUnit* unit = nullptr;
  std::string symbol;  // that gives the unit's table
  std::string numerics;
  std::span<const NamedTensor> weights;  // laid out as above
  bool single_file = false;
};
[[nodiscard]] Status<Diagnostic> write_artifact(const std::string& path, const ArtifactRequest& request);

// The parts of a model: its manifest was read, its files are there in full, the shared object has the hash that the
// manifest says. (The hash of the weights is not computed: they are read where they are used.)
struct ArtifactFiles {
  Manifest manifest;
  std::string path;           // of the model
  std::string shared_object;  // of a folder: the path; of an archive: empty
  SharedBytes code;           // the content of the shared object
  SharedBytes weights;        // aligned to 64 bytes; empty when the model has none
};
[[nodiscard]] Result<ArtifactFiles, Diagnostic> open_artifact(const std::string& path);

}  // namespace mlgc
