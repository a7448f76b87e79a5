// Copies that the device makes by maps (TMA), phases that threads wait for, and products of groups of four warps on the
// host, for tests: the functions that lib/codegen/cuda/prelude/wgmma.cuh has as instructions (cuda_runtime.h).
//
// Guarantees
//   - A copy arrives when no thread can go on without it, in the order of the blocks' threads; until then its place is
//     noise, from the moment at which it is asked for.
//   - Products read their factors when a thread of the group waits for them. Until a thread waits its sums are noise.
#pragma once

namespace emulated {

// What the driver makes of a factor.
struct Map {
  const char* address;
  uint64_t sizes[4], distances[3];
  uint32_t rank, lines, width;
};

// The elements of a line, all bytes of which are one permutation: 128, 64 or 32.
inline bool is_permuted_line(uint32_t elements, int permuted) {
  return elements == (permuted == 3 ? 64u : permuted == 2 ? 32u : permuted == 1 ? 16u : 0u);
}

inline int encode(void* map, int type, uint32_t rank, void* address, const uint64_t* sizes, const uint64_t* distances,
                  const uint32_t* box, const uint32_t* steps, int interleave, int permuted, int, int fill) {
  Map made = {static_cast<const char*>(address), {1, 1, 1, 1}, {}, rank, box[1], box[0]};
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || reinterpret_cast<uintptr_t>(address) % 16 != 0) return 1;
  if (type != 1 || rank < 2 || rank > 4 || interleave != 0 || fill != 0) return 1;
  if (!is_permuted_line(box[0], permuted) || box[1] == 0 || box[1] > 256) return 1;
  for (uint32_t axis = 0; axis < rank; ++axis) {
    if (sizes[axis] == 0 || sizes[axis] > uint64_t{1} << 32 || steps[axis] != 1 || (axis > 1 && box[axis] != 1))
      return 1;
    made.sizes[axis] = sizes[axis];
    if (axis == 0) continue;
    if (distances[axis - 1] % 16 != 0 || distances[axis - 1] >= uint64_t{1} << 40) return 1;
    made.distances[axis - 1] = distances[axis - 1];
  }
  memcpy(map, &made, sizeof made);
  return 0;
}

// Pieces of 16 bytes are permuted in eight lines of so many bytes.
inline char* permuted(const char* start, size_t offset, size_t line_bytes = 128) {
  const size_t at = static_cast<size_t>(start - emulated_chip()) + offset;
  return emulated_chip() + (at ^ (at >> 7 & (line_bytes / 16 - 1)) << 4);
}

// In the eight bytes of phases.
struct Phases {
  uint8_t threads, left, phase, unused;
  int32_t bytes;

  void end_if_complete() {
    if (left != 0 || bytes != 0) return;
    phase ^= 1;
    left = threads;
  }
};
static_assert(sizeof(Phases) == 8, "what a place of phases has");
inline Phases& phases_at(uint64_t* place) {
  if (reinterpret_cast<uintptr_t>(place) % 8 != 0 || !is_on_chip(place, 8))
    note_fault("has phases at a place that is not 8 aligned bytes on the chip");
  return *reinterpret_cast<Phases*>(place);
}
inline void come(uint64_t* place, int bytes) {
  Phases& phases = phases_at(place);
  if (phases.left == 0) note_fault("comes to a phase that has all its threads");
  --phases.left;
  phases.bytes += bytes;
  phases.end_if_complete();
}

inline const std::vector<float>& halves(int exponent_bits) {
  static const auto table = [](int bits) {
    std::vector<float> all(65536);
    for (uint32_t i = 0; i < 65536; ++i) all[i] = static_cast<float>(half_value(i, bits));
    return all;
  };
  static const std::vector<float> bf16 = table(8), f16 = table(5);
  return exponent_bits == 8 ? bf16 : f16;
}

// Of 64 rows and so many columns, by all threads of a group.
struct Products {
  float* sums;
  const char *left, *right;
  int columns, exponent_bits;
  bool left_by_terms, right_by_terms, goes_on;
  size_t line_bytes = 128;         // of a factor by terms
  std::vector<double> given = {};  // a left factor that is not in shared memory: 16 terms of the thread's two rows

  [[nodiscard]] size_t offset(bool by_terms, unsigned int line, unsigned int term) const {
    return by_terms ? line * line_bytes + term * 2 : line / 64 * 8192 + term * 128 + line % 64 * 2;
  }
  void add(unsigned int thread) const {
    const std::vector<float>& values = halves(exponent_bits);
    const auto element = [&](const char* factor, bool by_terms, unsigned int line, unsigned int term) {
      uint16_t bits;
      memcpy(&bits, permuted(factor, offset(by_terms, line, term), by_terms ? line_bytes : 128), sizeof bits);
      return static_cast<double>(values[bits]);
    };
    const unsigned int lane = thread % 32, warp = thread % 128 / 32;
    for (unsigned int low = 0; low < 2; ++low) {
      double row[16];
      for (unsigned int k = 0; k < 16; ++k)
        row[k] = given.empty() ? element(left, left_by_terms, warp * 16 + lane / 4 + low * 8, k) : given[low * 16 + k];
      for (unsigned int j = 0; j < static_cast<unsigned int>(columns) / 8; ++j)
        for (unsigned int e = 0; e < 2; ++e) {
          double sum = 0;
          for (unsigned int k = 0; k < 16; ++k)
            sum += row[k] * element(right, right_by_terms, j * 8 + lane % 4 * 2 + e, k);
          float& own = sums[j * 4 + low * 2 + e];
          own = static_cast<float>(goes_on ? own + sum : sum);
        }
    }
  }
};
// What a thread has under way: groups of products, and what its sums are without them.
struct Unfinished {
  std::vector<std::vector<Products>> groups = {{}};  // the last one is not ended
  std::map<float*, std::vector<float>> before;

  void hide(const Products& of) {
    const size_t count = static_cast<size_t>(of.columns) / 2;
    if (before.try_emplace(of.sums, of.sums, of.sums + count).second) fill_with_noise(of.sums, count * sizeof(float));
  }
  void finish(size_t left, unsigned int thread) {
    if (groups.size() <= left + 1) return;
    for (const auto& [sums, values] : before) std::copy(values.begin(), values.end(), sums);
    before.clear();
    while (groups.size() > left + 1) {
      for (const Products& of : groups.front()) of.add(thread);
      groups.erase(groups.begin());
    }
    for (const std::vector<Products>& group : groups)
      for (const Products& of : group) hide(of);
  }
};
inline std::map<unsigned int, Unfinished>& unfinished() {
  static thread_local std::map<unsigned int, Unfinished> all;
  return all;
}

}  // namespace emulated

inline void mlgc_init_barriers(uint64_t* place, int threads) {
  emulated::phases_at(place) = {static_cast<uint8_t>(threads), static_cast<uint8_t>(threads), 0, 0, 0};
}
inline void mlgc_show_barriers() {}
inline void mlgc_arrive(uint64_t* place) { emulated::come(place, 0); }
inline void mlgc_arrive_expect(uint64_t* place, int bytes) { emulated::come(place, bytes); }
inline void mlgc_wait_for_parity(uint64_t* place, uint32_t which, int line = __builtin_LINE()) {
  const emulated::Phases* const phases = &emulated::phases_at(place);
  emulated::block().wait_until([=] { return phases->phase != which; }, line);
}
inline uint32_t mlgc_read_thread() { return threadIdx.x; }
inline int mlgc_launched_bytes() { return static_cast<int>(emulated::block().chip_bytes); }
inline void mlgc_named_barrier(int number, int threads, int line = __builtin_LINE()) {
  emulated::Block& all = emulated::block();
  auto& [come, round] = all.meetings[number];
  const int own = round;
  if (++come == threads) {
    come = 0;
    ++round;
  }
  all.wait_until([&all, number, own] { return all.meetings[number].second != own; }, line);
}

template <int kRank, class Map>
void mlgc_copy_box(char* to, const Map& given, uint64_t* place, int64_t a, int64_t b, int64_t c, int64_t d) {
  emulated::Map map;
  memcpy(&map, &given, sizeof map);
  const size_t line_bytes = size_t{map.width} * 2, bytes = map.lines * line_bytes;
  if ((to - emulated_chip()) % 1024 != 0 || !emulated::is_on_chip(to, bytes) || map.rank != kRank)
    return emulated::note_fault("copies a box to a place that is not 1024 aligned bytes on the chip");
  emulated::fill_with_noise(to, bytes);
  const std::array<int64_t, 4> first = {a, b, kRank > 2 ? c : 0, kRank > 3 ? d : 0};
  emulated::block().arriving.push_back([=] {
    for (size_t line = 0; line < map.lines; ++line)
      for (size_t element = 0; element < map.width; ++element) {
        const int64_t at[4] = {first[0] + static_cast<int64_t>(element), first[1] + static_cast<int64_t>(line),
                               first[2], first[3]};
        bool inside = true;
        int64_t offset = at[0] * 2;
        for (size_t axis = 0; axis < 4; ++axis) {
          inside = inside && at[axis] >= 0 && at[axis] < static_cast<int64_t>(map.sizes[axis]);
          if (axis > 0) offset += at[axis] * static_cast<int64_t>(map.distances[axis - 1]);
        }
        uint16_t value = 0;
        if (inside) memcpy(&value, map.address + offset, sizeof value);
        memcpy(emulated::permuted(to, line * line_bytes + element * 2, line_bytes), &value, sizeof value);
      }
    emulated::Phases& phases = emulated::phases_at(place);
    phases.bytes -= static_cast<int32_t>(bytes);
    phases.end_if_complete();
  });
}

inline void mlgc_begin_products() {}
template <class T, int kColumns, bool kLeftByTerms, bool kRightByTerms, int kBox = 64>
void mlgc_add_products(float (&sums)[kColumns / 2], const char* left, const char* right, int goes_on) {
  emulated::Unfinished& own = emulated::unfinished()[emulated::block().now];
  const emulated::Products products = {sums,         left,          right,        kColumns, T::kExponentBits,
                                       kLeftByTerms, kRightByTerms, goes_on != 0, kBox * 2};
  own.hide(products);
  own.groups.back().push_back(products);
}
inline void mlgc_end_products(int line = __builtin_LINE()) {
  const unsigned int number = emulated::block().now;
  emulated::unfinished()[number].groups.emplace_back();
  mlgc_named_barrier(16 + static_cast<int>(number / 128), 128, line);
}
template <int kGroups>
void mlgc_wait_for_products() {
  const unsigned int first = emulated::block().now / 128 * 128;
  for (unsigned int thread = first; thread < first + 128; ++thread)
    emulated::unfinished()[thread].finish(kGroups, thread);
}

#include "windows.h"

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1 };
enum { cudaEnableDefault = 0 };
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned int, unsigned long long,
                                                    cudaDriverEntryPointQueryResult* result) {
  *function = strcmp(name, "cuTensorMapEncodeTiled") == 0    ? reinterpret_cast<void*>(emulated::encode)
              : strcmp(name, "cuTensorMapEncodeIm2col") == 0 ? reinterpret_cast<void*>(emulated::encode_windows)
                                                             : nullptr;
  *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
