// From blocks to floats. Products are rounded in the order of the reference: scale times scale, times the number, minus
// the minimum. See gguf_blocks.h.
#include "tensor/gguf_blocks.h"

#include <algorithm>
#include <array>
#include <span>

#include "support/bytes.h"
#include "tensor/float16.h"

namespace mlgc {
namespace {

constexpr int kSmall = 32, kLarge = 256;  // elements of a block

std::uint8_t byte_at(const std::byte* bytes, int at) { return std::to_integer<std::uint8_t>(bytes[at]); }

float half_at(const std::byte* bytes, int at) {
  return to_float(Half{load_little_endian<std::uint16_t>(std::span(bytes + at, 2), 0)});
}

// A scale, and 16 bytes: element j in the low bits of byte j, element 16 + j in the high ones.
void dequantise_q4_0(const std::byte* block, float* out) {
  const float scale = half_at(block, 0);
  for (int i = 0; i < kSmall / 2; ++i) {
    const std::uint8_t both = byte_at(block, 2 + i);
    out[i] = scale * static_cast<float>((both & 0xf) - 8);
    out[kSmall / 2 + i] = scale * static_cast<float>((both >> 4) - 8);
  }
}

// A scale, and 32 numbers.
void dequantise_q8_0(const std::byte* block, float* out) {
  const float scale = half_at(block, 0);
  for (int i = 0; i < kSmall; ++i) out[i] = static_cast<float>(static_cast<std::int8_t>(byte_at(block, 2 + i))) * scale;
}

// Scales of scales and of minima, 12 bytes with 6 bits for each of the 8 groups, and 4 bits an element: of 64 elements
// the first 32 in low bits.
void dequantise_q4_k(const std::byte* block, float* out) {
  constexpr int kScales = 4, kNumbers = 16, kGroup = 32;
  const float of_scales = half_at(block, 0), of_minima = half_at(block, 2);
  for (int group = 0; group < kLarge / kGroup; ++group) {
    const std::byte* const packed = block + kScales;
    int scale = 0, minimum = 0;
    if (group < 4) {
      scale = byte_at(packed, group) & 0x3f;
      minimum = byte_at(packed, group + 4) & 0x3f;
    } else {
      const std::uint8_t low = byte_at(packed, group + 4);
      scale = (low & 0xf) | ((byte_at(packed, group - 4) >> 2) & 0x30);
      minimum = (low >> 4) | ((byte_at(packed, group) >> 2) & 0x30);
    }
    const float factor = of_scales * static_cast<float>(scale), least = of_minima * static_cast<float>(minimum);
    const int shift = group % 2 * 4;
    for (int i = 0; i < kGroup; ++i) {
      const int number = (byte_at(block, kNumbers + group / 2 * kGroup + i) >> shift) & 0xf;
      const float product = factor * static_cast<float>(number);
      out[group * kGroup + i] = product - least;
    }
  }
}

// The low 4 bits of 256 elements, their high 2 bits, 16 scales, and a scale of scales. Of each half, 32 elements at a
// time have their high bits in the same 32 bytes, and their low bits in the low or high halves of 64 bytes.
void dequantise_q6_k(const std::byte* block, float* out) {
  constexpr int kHigh = 128, kScales = 192, kScale = 208, kGroup = 32;
  const float of_scales = half_at(block, kScale);
  for (int group = 0; group < kLarge / kGroup; ++group) {
    const int half = group / 4, quarter = group % 4;
    for (int i = 0; i < kGroup; ++i) {
      const int low = (byte_at(block, half * 64 + quarter % 2 * kGroup + i) >> (quarter / 2 * 4)) & 0xf;
      const int high = (byte_at(block, kHigh + half * kGroup + i) >> (quarter * 2)) & 0x3;
      const int element = group * kGroup + i;
      const auto scale = static_cast<std::int8_t>(byte_at(block, kScales + element / 16));
      const float factor = of_scales * static_cast<float>(scale);
      out[element] = factor * static_cast<float>((low | (high << 4)) - 32);
    }
  }
}

constexpr std::array kBlocks{
    GgufBlock{GgufType::F32, "F32", 1, 4, Dtype::F32, nullptr},
    GgufBlock{GgufType::F16, "F16", 1, 2, Dtype::F16, nullptr},
    GgufBlock{GgufType::BF16, "BF16", 1, 2, Dtype::BF16, nullptr},
    GgufBlock{GgufType::Q4_0, "Q4_0", kSmall, 18, Dtype::F32, dequantise_q4_0},
    GgufBlock{GgufType::Q8_0, "Q8_0", kSmall, 34, Dtype::F32, dequantise_q8_0},
    GgufBlock{GgufType::Q4_K, "Q4_K", kLarge, 144, Dtype::F32, dequantise_q4_k},
    GgufBlock{GgufType::Q6_K, "Q6_K", kLarge, 210, Dtype::F32, dequantise_q6_k},
};

}  // namespace

const GgufBlock* find_gguf_block(std::uint32_t number) {
  const auto found =
      std::ranges::find(kBlocks, number, [](const GgufBlock& block) { return static_cast<std::uint32_t>(block.type); });
  return found == kBlocks.end() ? nullptr : &*found;
}

std::string gguf_types_text() {
  std::string out;
  for (const GgufBlock& block : kBlocks) out += (out.empty() ? "" : ", ") + std::string(block.name);
  return out;
}

}  // namespace mlgc
