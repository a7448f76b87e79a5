// See byte_size.h.
#include "support/byte_size.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

namespace mlgc {

namespace {
constexpr std::array<std::pair<std::string_view, int>, 3> kUnits{{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
}  // namespace

std::optional<std::int64_t> read_byte_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return number;
  for (const auto& [name, shift] : kUnits)
    if (unit == name) return number > (INT64_MAX >> shift) ? std::nullopt : std::optional(number << shift);
  return std::nullopt;
}

std::string byte_size_text(std::int64_t bytes) {
  for (const auto& [name, shift] : kUnits) {
    const std::int64_t unit = std::int64_t{1} << shift;
    // What would be written as 1024.0 of the next smaller unit is one of this.
    if (bytes < unit - unit / 20480) continue;
    char text[32];
    if (bytes % unit == 0) return std::to_string(bytes / unit) + " " + std::string(name);
    std::snprintf(text, sizeof text, "%.1f ", static_cast<double>(bytes) / static_cast<double>(unit));
    return text + std::string(name);
  }
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::pair<std::string, std::string> byte_size_texts(std::int64_t first, std::int64_t second) {
  std::pair texts(byte_size_text(first), byte_size_text(second));
  // `1.0 MiB` is next to 1 MiB, and reads like it.
  const auto shown = [](std::string text) {
    if (const std::size_t zero = text.find(".0 "); zero != std::string::npos) text.erase(zero, 2);
    return text;
  };
  if (shown(texts.first) == shown(texts.second))
    texts = {std::to_string(first) + " bytes", std::to_string(second) + " bytes"};
  return texts;
}

}  // namespace mlgc
