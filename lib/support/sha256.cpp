// See sha256.h.
#include "support/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

namespace mlgc {
namespace {

constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, const std::byte* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | std::to_integer<std::uint32_t>(block[4 * i + k]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

#if defined(__x86_64__)

// Four rounds at a time, in the form that the instructions take: a, b, e, f in one vector and c, d, g, h in another one
// (Intel, "SHA Extensions", 2013).
__attribute__((target("sha,sse4.1,ssse3"))) void add_blocks_by_instructions(State& state, const std::byte* blocks,
                                                                            std::size_t count) {
  const auto load = [](const auto* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i low = _mm_shuffle_epi32(load(&state[0]), 0xb1), high = _mm_shuffle_epi32(load(&state[4]), 0x1b);
  __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
  for (; count > 0; --count, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(blocks + 16 * i), big_endian);
    for (int i = 0; i < 16; ++i) {
      __m128i& now = words[i % 4];
      const __m128i terms = _mm_add_epi32(now, load(&kRounds[4 * static_cast<std::size_t>(i)]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, terms);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(terms, 0x0e));
      if (i >= 12) continue;
      const __m128i before = words[(i + 3) % 4], seven_before = _mm_alignr_epi8(before, words[(i + 2) % 4], 4);
      now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, words[(i + 1) % 4]), seven_before), before);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1b);
  high = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(low, high, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(high, low, 8));
}

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  static const bool kHas = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
  return kHas;
}

#else

void add_blocks_by_instructions(State& /*state*/, const std::byte* /*blocks*/, std::size_t /*count*/) {}
bool has_instructions() { return false; }

#endif

}  // namespace

Sha256::Sha256(bool with_instructions) : with_instructions_(with_instructions && has_instructions()) {}

void Sha256::add_blocks(const std::byte* blocks, std::size_t count) {
  if (with_instructions_) return add_blocks_by_instructions(state_, blocks, count);
  for (; count > 0; --count, blocks += 64) add_block(state_, blocks);
}

void Sha256::add(std::span<const std::byte> bytes) {
  const std::size_t held = length_ % 64;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(bytes.size(), 64 - held);
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < 64) return;
    add_blocks(rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / 64;
  add_blocks(bytes.data(), blocks);
  bytes = bytes.subspan(64 * blocks);
  std::ranges::copy(bytes, rest_.begin());
}

std::string Sha256::finish() {
  const std::uint64_t bits = length_ * 8;
  std::array<std::byte, 128> tail{std::byte{0x80}};
  // A one, zeros, and the length in bits at the end of a block.
  const std::size_t size = (length_ % 64 < 56 ? 64 : 128) - length_ % 64;
  for (std::size_t i = 0; i < 8; ++i) tail[size - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  add(std::span(tail).first(size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 0xf];
  return text;
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

}  // namespace mlgc
