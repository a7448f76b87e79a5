// The blocks that tensors of GGUF files consist of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/dtype.h"
#include "tensor/gguf.h"

namespace mlgc {

struct GgufBlock {
  GgufType type;
  std::string_view name;
  std::int64_t elements, bytes;  // of a block
  Dtype dtype;                   // of what it is read as
  // From the bytes of a block to its elements; null: they are elements of `dtype`.
  void (*dequantise)(const std::byte* block, float* out);
};

// By the format's number; null: it is not read.
[[nodiscard]] const GgufBlock* find_gguf_block(std::uint32_t number);
// `F32, F16, Q4_0, …`.
[[nodiscard]] std::string gguf_types_text();

}  // namespace mlgc
