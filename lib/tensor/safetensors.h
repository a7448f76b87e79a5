// safetensors: named tensors in one file with a JSON header. Reading maps the file and views it. The checks are those
// of the format's specification: the tensors' ranges tile the data section without gap or overlap, each as long as its
// shape and dtype say, no name twice.
#pragma once

#include <map>
#include <span>
#include <string>

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

// Deterministic: header keys sorted by name; data sorted by element size (largest first), then name, so that every
// tensor is aligned for its dtype; the data section starts at a multiple of 64 bytes. "-" writes to standard output.
[[nodiscard]] Status<> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                                         const std::map<std::string, std::string>& metadata = {});

}  // namespace mlgc
