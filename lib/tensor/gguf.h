// GGUF: named tensors, many of them quantised by blocks, behind metadata. Reading maps the file and views it.
//
// Guarantees
//   - Nothing in the file is trusted: counts, lengths and ranges are checked against its bytes before memory is taken
//     for them; names and keys differ; tensors do not overlap.
//   - What a tensor of quantised blocks reads as is what the package `gguf` dequantises it to, bit for bit.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

// Types of tensors that are read; numbers are those of the format.
enum class GgufType : std::uint8_t { F32 = 0, F16 = 1, Q4_0 = 2, Q8_0 = 8, Q4_K = 12, Q6_K = 14, BF16 = 30 };
[[nodiscard]] std::string_view gguf_type_name(GgufType type);

struct GgufTensor {
  std::string name;
  GgufType type = GgufType::F32;
  Shape shape;  // the innermost axis last; blocks lie along it
  SharedBytes data;

  // F32, F16 and BF16: a view. Others: f32. Error: too little memory.
  [[nodiscard]] Result<Tensor> read() const;
};

struct Gguf {
  std::map<std::string, std::string, std::less<>> strings;  // metadata that are texts, by key
  std::map<std::string, std::int64_t, std::less<>> integers;
  std::set<std::string, std::less<>> keys;  // of all metadata, arrays and floats too
  std::vector<GgufTensor> tensors;          // in the order of the file

  [[nodiscard]] const GgufTensor* find(std::string_view name) const;  // null when there is none
};

// Errors name the file and the byte offset or the tensor at fault, and what was expected.
[[nodiscard]] Result<Gguf> parse_gguf(const SharedBytes& file, const std::string& name);
[[nodiscard]] Result<Gguf> read_gguf(const std::string& path);

}  // namespace mlgc
