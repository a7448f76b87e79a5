// A text with a name: lines, columns and whether its bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc {

// Line and column, both counted from 1; the column counts bytes.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend bool operator==(LineColumn, LineColumn) = default;
};

// Offset of the first byte that is not part of a well-formed UTF-8 sequence (overlong forms, surrogates and values
// beyond U+10FFFF are ill-formed), or nothing.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);

class SourceFile {
 public:
  SourceFile(std::string name, std::string text);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  // Length of the text as it was added; stays after drop_text().
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t line_count() const { return line_starts_.size(); }
  // Precondition: offset <= size().
  [[nodiscard]] LineColumn line_column(std::size_t offset) const;
  // The offset of a line and column, nothing when the text has no such place.
  [[nodiscard]] std::optional<std::size_t> offset_of(LineColumn place) const;
  // The line without its end, numbered from 1; empty when there is none or the text was dropped.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  // Frees the text but keeps the line table, for callers that only need positions from here on.
  void drop_text();

 private:
  std::string name_;
  std::string text_;
  std::size_t size_;
  std::vector<std::uint32_t> line_starts_;  // never empty
};

}  // namespace mlgc
