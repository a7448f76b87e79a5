// Stable hashing: the same bytes give the same hash in every process, on every machine. Used for interning and for
// structural hashes, never for security.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace mlgc {

// Mixes one 64-bit word into a running hash (the finaliser of MurmurHash3, applied per word).
[[nodiscard]] constexpr std::uint64_t hash_mix(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t h = seed ^ (word + 0x9E3779B97F4A7C15ULL + (seed << 6) + (seed >> 2));
  h ^= h >> 33;
  h *= 0xFF51AFD7ED558CCDULL;
  h ^= h >> 33;
  h *= 0xC4CEB9FE1A85EC53ULL;
  h ^= h >> 33;
  return h;
}

[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  std::uint64_t h = hash_mix(seed, bytes.size());
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    h = hash_mix(h, word);
    bytes.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  if (!bytes.empty()) std::memcpy(&tail, bytes.data(), bytes.size());
  return hash_mix(h, tail);
}

}  // namespace mlgc
