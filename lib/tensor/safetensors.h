// safetensors: named tensors in one file with a JSON header. Reading maps the file and views it. The checks are those
// of the format's specification: the tensors' ranges tile the data section without gap or overlap, each as long as its
// shape and dtype say, no name twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"
#include "tensor/npz.h"
#include "tensor/tensor.h"

namespace mlgc {

struct Safetensors {
  NamedTensors tensors;  // sorted by name
  std::map<std::string, std::string> metadata;

  [[nodiscard]] const Tensor* find(std::string_view name) const;  // null when there is none
};

// Errors name the file and the byte offset or the tensor at fault, and what was expected.
[[nodiscard]] Result<Safetensors> parse_safetensors(const SharedBytes& file, const std::string& name);
[[nodiscard]] Result<Safetensors> read_safetensors(const std::string& path);

// Where everything lies in a file.
struct SafetensorsLayout {
  std::string start;                   // what stands before the data: the length of the header, and the header
  std::vector<std::size_t> order;      // numbers of the tensors in the order of their data
  std::vector<std::uint64_t> offsets;  // of each tensor's data, from the start of the file
  std::uint64_t bytes = 0;             // of the file
};

// Deterministic, and the same whatever the tensors' values: header keys sorted by name; the data section starts at a
// multiple of 64 bytes, first in it stand the tensors whose bytes are a multiple of 64, which are thus aligned to it;
// in each half data are sorted by element size (largest first), then name, so that every tensor is aligned for its
// dtype. Error: a name or a metadata text that the format cannot hold.
[[nodiscard]] Result<SafetensorsLayout> lay_out_safetensors(std::span<const NamedTensor> tensors,
                                                            const std::map<std::string, std::string>& metadata = {});

// Laid out as above. "-" writes to standard output.
[[nodiscard]] Status<> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                                         const std::map<std::string, std::string>& metadata = {});

}  // namespace mlgc
