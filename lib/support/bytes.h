// Little-endian numbers in byte ranges, and byte ranges that keep their owner alive. Independent of the host's order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mlgc {

// Bytes and whoever keeps them alive (a mapping, a buffer). Cheap to copy; sub-ranges share the owner.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  [[nodiscard]] static SharedBytes from_string(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    return {std::as_bytes(std::span<const char>(*owner)), owner};
  }
  [[nodiscard]] std::size_t size() const { return bytes.size(); }
  // Precondition: offset + count <= size().
  [[nodiscard]] SharedBytes slice(std::size_t offset, std::size_t count) const {
    return {bytes.subspan(offset, count), owner};
  }
};

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Precondition: offset + sizeof(T) <= bytes.size().
template <std::unsigned_integral T>
[[nodiscard]] constexpr T load_little_endian(std::span<const std::byte> bytes, std::size_t offset) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[offset + i]) << (8 * i)));
  return value;
}

template <std::unsigned_integral T>
void append_little_endian(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

}  // namespace mlgc
