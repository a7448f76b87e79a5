// NumPy's .npz: a zip of .npy members, in order. Reads stored (savez) and deflated (savez_compressed) members, writes
// stored ones with elements at multiples of 64 bytes; equal tensors give equal bytes.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/result.h"
#include "tensor/npy.h"
#include "tensor/tensor.h"

namespace mlgc {

using NamedTensor = std::pair<std::string, Tensor>;
using NamedTensors = std::vector<NamedTensor>;

// Names come without ".npy", in the order of the archive.
[[nodiscard]] Result<NamedTensors> parse_npz(const SharedBytes& file, const std::string& name,
                                             NpyVoid2 void2 = NpyVoid2::Refuse);
[[nodiscard]] Result<NamedTensors> read_npz(const std::string& path, NpyVoid2 void2 = NpyVoid2::Refuse);

// Error: bf16, a name that is twice there or cannot name a zip member, or a failed write. "-" writes to standard
// output.
[[nodiscard]] Status<> write_npz(const std::string& path, std::span<const NamedTensor> tensors);

}  // namespace mlgc
