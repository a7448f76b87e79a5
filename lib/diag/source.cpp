// Line tables and the UTF-8 check.
#include "diag/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/result.h"

namespace mlgc {

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  while (i < text.size()) {
    // Eight ASCII bytes at a time: nearly all of a program is ASCII.
    std::uint64_t word = 0;
    while (i + 8 <= text.size()) {
      std::memcpy(&word, text.data() + i, 8);
      if ((word & 0x8080808080808080ULL) != 0) break;
      i += 8;
    }
    if (i >= text.size()) break;
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    std::uint32_t value = 0, smallest = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
      length = 2, value = lead & 0x1FU, smallest = 0x80;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      length = 3, value = lead & 0x0FU, smallest = 0x800;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      length = 4, value = lead & 0x07U, smallest = 0x10000;
    } else {
      return i;
    }
    if (i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) return i;
      value = (value << 6) | (byte(i + k) & 0x3FU);
    }
    if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return i;
    i += length;
  }
  return std::nullopt;
}

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), size_(text_.size()) {
  line_starts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* p = begin; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    if (p == nullptr) break;
    line_starts_.push_back(static_cast<std::uint32_t>(p - begin + 1));
  }
}

LineColumn SourceFile::line_column(std::size_t offset) const {
  MLGC_ASSERT(offset <= size_, "offset beyond the end of a source text");
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, static_cast<std::uint32_t>(offset - line_starts_[line - 1] + 1)};
}

std::optional<std::size_t> SourceFile::offset_of(LineColumn place) const {
  if (place.line == 0 || place.column == 0 || place.line > line_starts_.size()) return std::nullopt;
  const std::size_t offset = std::size_t{line_starts_[place.line - 1]} + place.column - 1;
  const std::size_t end = place.line < line_starts_.size() ? line_starts_[place.line] - 1 : size_;
  if (offset > end) return std::nullopt;
  return offset;
}

std::string_view SourceFile::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size() || text_.size() != size_) return {};
  const std::size_t begin = line_starts_[number - 1];
  std::size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : size_;
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

void SourceFile::drop_text() {
  text_.clear();
  text_.shrink_to_fit();
}

}  // namespace mlgc
