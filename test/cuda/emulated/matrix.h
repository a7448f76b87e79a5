// The matrix unit on the host, and copies that run beside a thread, for tests: the functions that
// lib/codegen/cuda/prelude/matrix.cuh and split.cuh have as instructions (cuda_runtime.h).
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace emulated {

inline void note_fault(const std::string& what) {
  Block& all = block();
  if (all.fault.empty())
    all.fault = "thread " + std::to_string(all.now) + " of block " + std::to_string(blockIdx.x) + " " + what;
}

inline bool is_on_chip(const void* place, size_t bytes) {
  const char* const at = static_cast<const char*>(place);
  return at >= emulated_chip() && at + bytes <= emulated_chip() + kMostChipBytes;
}

// What each thread of the warp gives, in their order. A thread may give again before others have read: two tables are
// used in turns, and no thread comes to the second next call before all have come to the next one.
constexpr size_t kMostGiven = 32;
template <class T>
std::array<T, kWarp> exchange(const T& own, int line) {
  static_assert(sizeof(T) <= kMostGiven, "what a thread gives");
  static thread_local unsigned char tables[2][1024][kMostGiven];
  Block& all = block();
  const unsigned int number = all.now;
  Thread& thread = all.threads[number];
  unsigned char(&table)[1024][kMostGiven] = tables[thread.exchange++ % 2];
  memcpy(table[number], &own, sizeof own);
  thread.mask = 0xffffffffu;
  thread.from = number;
  all.wait(Thread::Waits::Shuffle, line);
  std::array<T, kWarp> given;
  for (unsigned int lane = 0; lane < kWarp; ++lane)
    memcpy(&given[lane], table[number / kWarp * kWarp + lane], sizeof(T));
  return given;
}

// A bf16 (8 bits of exponent) or an f16 (5 bits); of an f16 the exponent is that of f32 after a product by 2^112, which
// is exact.
inline float half_value(uint32_t bits, int exponent_bits) {
  if (exponent_bits == 8) return __bfloat162float({static_cast<uint16_t>(bits)});
  const bool is_finite = (bits & 0x7c00u) != 0x7c00u;
  const uint32_t wide = (bits & 0x8000u) << 16 | (bits & 0x7fffu) << 13 | (is_finite ? 0 : 0x7f800000u);
  float value;
  memcpy(&value, &wide, sizeof value);
  return is_finite ? value * 0x1p112f : value;
}

}  // namespace emulated

// The memory is noise until the thread waits.
template <int kWidth>
void mlgc_copy_ahead(void* to, const void* from, int bytes) {
  if (reinterpret_cast<uintptr_t>(to) % kWidth != 0 || !emulated::is_on_chip(to, kWidth))
    return emulated::note_fault("copies to a place that is not as many aligned bytes on the chip");
  if (bytes < 0 || bytes > kWidth || (bytes > 0 && reinterpret_cast<uintptr_t>(from) % kWidth != 0))
    return emulated::note_fault("copies from a place that is not aligned");
  emulated::fill_with_noise(to, kWidth);
  emulated::Block& all = emulated::block();
  all.threads[all.now].copies.back().push_back({static_cast<char*>(to), from, bytes, kWidth});
}
inline void mlgc_end_group() {
  emulated::Block& all = emulated::block();
  all.threads[all.now].copies.emplace_back();
}
template <int kGroups>
void mlgc_wait_for_groups() {
  emulated::Block& all = emulated::block();
  auto& groups = all.threads[all.now].copies;
  while (groups.size() > kGroups + 1) {
    for (const emulated::Copy& copy : groups.front()) {
      memset(copy.to, 0, copy.width);
      if (copy.bytes > 0) memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
    }
    groups.erase(groups.begin());
  }
}

inline void mlgc_split(uint32_t* parts, int apart, float first, float second) {
  const auto nearest = [](float& rest) {
    uint32_t bits;
    memcpy(&bits, &rest, sizeof bits);
    bits = rest != rest ? 0x7fff0000u : (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
    float rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    rest -= rounded;
    return bits >> 16;
  };
  for (int part = 0; part < 3; ++part) {
    const uint32_t low = nearest(first);
    parts[part * apart] = low | nearest(second) << 16;
  }
}

template <class T>
uint32_t mlgc_pair_of_halves(float low, float high, T) {
  const auto bits = [](float value) {
    if constexpr (T::kExponentBits == 8) return uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(value))};
    return uint32_t{__half_as_ushort(__float2half_rn(value))};
  };
  return bits(low) | bits(high) << 16;
}

template <bool kTransposed>
void mlgc_read_matrices(uint32_t* to, const void* row, int line = __builtin_LINE()) {
  if (reinterpret_cast<uintptr_t>(row) % 16 != 0 || !emulated::is_on_chip(row, 16))
    emulated::note_fault("reads a row of a matrix that is not 16 aligned bytes on the chip");
  const auto rows = emulated::exchange(static_cast<const unsigned char*>(row), line);
  const unsigned int lane = threadIdx.x % 32, fixed = lane / 4;
  for (unsigned int matrix = 0; matrix < 4; ++matrix) {
    uint16_t pair[2];
    for (unsigned int e = 0; e < 2; ++e) {
      const unsigned int moving = lane % 4 * 2 + e;
      memcpy(&pair[e], rows[matrix * 8 + (kTransposed ? moving : fixed)] + (kTransposed ? fixed : moving) * 2, 2);
    }
    to[matrix] = pair[0] | static_cast<uint32_t>(pair[1]) << 16;
  }
}

// Products are exact, and rounded once with the sum: the unit may be off by more (lib/analysis/matrix_nest.h).
template <class T>
void mlgc_multiply_matrices(float* sums, const uint32_t* left, const uint32_t* right, T, int line = __builtin_LINE()) {
  struct Given {
    uint32_t left[4], right[2];
  } own;
  memcpy(own.left, left, sizeof own.left);
  memcpy(own.right, right, sizeof own.right);
  const auto given = emulated::exchange(own, line);
  const unsigned int lane = threadIdx.x % 32;
  float rows[2][16], columns[2][16];
  for (unsigned int i = 0; i < 2; ++i)
    for (unsigned int k = 0; k < 16; ++k) {
      const auto value = [&](uint32_t pair) {
        return emulated::half_value(pair >> (k % 2 * 16) & 0xffffu, T::kExponentBits);
      };
      rows[i][k] = value(given[lane / 4 * 4 + k % 8 / 2].left[k / 8 * 2 + i]);
      columns[i][k] = value(given[(lane % 4 * 2 + i) * 4 + k % 8 / 2].right[k / 8]);
    }
  for (unsigned int element = 0; element < 4; ++element) {
    double sum = 0;
    for (unsigned int k = 0; k < 16; ++k) sum += static_cast<double>(rows[element / 2][k]) * columns[element % 2][k];
    sums[element] = static_cast<float>(sums[element] + sum);
  }
}
