// SHA-256 (FIPS 180-4): for what is run or used because its bytes are the expected ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mlgc {

class Sha256 {
 public:
  // With the instructions of the CPU for it, where there are any: five times as fast. The digits are the same.
  explicit Sha256(bool with_instructions = true);
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  // 64 lower-case hexadecimal digits. Nothing is added afterwards.
  [[nodiscard]] std::string finish();

 private:
  void add_blocks(const std::byte* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  std::uint64_t length_ = 0;
  bool with_instructions_;
};

[[nodiscard]] std::string sha256(std::string_view text);
[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);

}  // namespace mlgc
