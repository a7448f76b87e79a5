// Line tables and the UTF-8 check.
#include "diag/source.h"

#include <string>

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("UTF-8 check gives the first bad byte") {
  using namespace std::string_literals;
  struct Row {
    std::string text;
    std::optional<std::size_t> bad;
  };
  const std::vector<Row> rows{
      {"", {}},
      {"plain ascii that is longer than eight bytes", {}},
      {"gr\xC3\xBC\xC3\x9F", {}},
      {"12345678\xF0\x9F\x98\x80", {}},
      {"\xE2\x82\xAC\0x"s, {}},
      {"ab\x80", 2},               // a continuation alone
      {"ab\xC3", 2},               // cut off
      {"12345678ab\xC0\xAF", 10},  // overlong
      {"\xE0\x80\x80", 0},         // overlong
      {"\xED\xA0\x80", 0},         // surrogate
      {"\xF4\x90\x80\x80", 0},     // beyond U+10FFFF
      {"\xFF", 0},
      {"\xE2\x82x", 0},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(first_invalid_utf8(row.text) == row.bad);
  }
}

TEST_CASE("offsets and lines map both ways") {
  const SourceFile file("f", "ab\n\ncde\r\nlast");
  CHECK(file.line_count() == 4);
  CHECK(file.line_column(0) == LineColumn{1, 1});
  CHECK(file.line_column(2) == LineColumn{1, 3});
  CHECK(file.line_column(3) == LineColumn{2, 1});
  CHECK(file.line_column(4) == LineColumn{3, 1});
  CHECK(file.line_column(file.size()) == LineColumn{4, 5});
  CHECK(file.line(1) == "ab");
  CHECK(file.line(2).empty());
  CHECK(file.line(3) == "cde");
  CHECK(file.line(4) == "last");
  CHECK(file.line(5).empty());
  for (std::size_t offset = 0; offset <= file.size(); ++offset)
    CHECK(file.offset_of(file.line_column(offset)) == offset);
  CHECK_FALSE(file.offset_of({1, 4}).has_value());
  CHECK_FALSE(file.offset_of({0, 1}).has_value());
  CHECK_FALSE(file.offset_of({9, 1}).has_value());
}

TEST_CASE("a dropped text keeps its lines") {
  SourceFile file("f", "a\nb\n");
  file.drop_text();
  CHECK(file.text().empty());
  CHECK(file.size() == 4);
  CHECK(file.line_column(2) == LineColumn{2, 1});
  CHECK(file.line(1).empty());
}
