// Which factors of matrix loops are windows of images that a device copies by itself.
#include "analysis/factor_windows.h"

#include <string>

#include "analysis/factor_boxes.h"
#include "parsed_module.h"

namespace mlgc {
namespace {

// A window of 3 by 3 over images of 9 by 7 with 64 channels, one line around them, in tiles of 64 lines.
const std::string kImage = "%i floordiv 63", kRow = "%k floordiv 192 + (%i mod 63) floordiv 7 - 1",
                  kColumn = "(%k mod 192) floordiv 64 + %i mod 7 - 1", kChannel = "%k mod 64",
                  kInside = kRow + ", 8 - (" + kRow + "), " + kColumn + ", 6 - (" + kColumn + ")";

std::string text(const std::string& image, const std::string& row, const std::string& column,
                 const std::string& channel, const std::string& guard, const std::string& terms = "[0, 576]") {
  return "func @f(%x: buffer<4x9x7x128xbf16, argument>, %w: buffer<64x576xbf16, argument>, "
         "%y: buffer<252x64xbf16, argument>) {\n"
         "  for [0, 4] (%io: index) attributes {kind = \"parallel\"} {\n"
         "  for [64*%io, min(64*%io + 64, 252)] (%i: index) {\n"
         "    for [0, 64] (%j: index) attributes {kind = \"vector\", lanes = 8, per_lane = 8} {\n"
         "      %zero = literal {dtype = f32, value = 0.0} : f32\n"
         "      %s = for " +
         terms +
         " (%k: index, %c = %zero) {\n"
         "        %g = guard [" +
         guard +
         "] : i1\n"
         "        %af = if %g {\n          %a = load %x[" +
         image + ", " + row + ", " + column + ", " + channel +
         "] : bf16\n          %e = cast %a {dtype = f32} : f32\n          yield %e\n        } else {\n"
         "          %z = literal {dtype = f32, value = 0.0} : f32\n          yield %z\n        } : f32\n"
         "        %b = load %w[%j, %k] : bf16\n        %bf = cast %b {dtype = f32} : f32\n"
         "        %n = fma %af, %bf, %c : f32\n        yield %n\n      } : f32\n"
         "      %o = cast %s {dtype = bf16} : bf16\n      store %o, %y[%i, %j]\n      yield\n    }\n    yield\n  }\n"
         "  yield\n  }\n  return\n}\n";
}

std::optional<FactorWindows> windows_of(const test::ParsedModule& parsed) {
  const auto loop = [&](std::string_view name) { return ForRef::from(parsed.value(name).argument_of().parent_op()); };
  const auto nest = matrix_nest(loop("i"));
  REQUIRE(nest);
  IndexPool& pool = parsed.context->index();
  const IndexExpr lines = pool.constant(252), terms = over_values(nest->terms.op(), nest->terms.last());
  return factor_windows(nest->factors.left, nest->rows, nest->terms, lines, terms);
}
bool is_windows(const std::string& given) { return windows_of(test::ParsedModule(given)).has_value(); }

TEST_CASE("windows begin where the first line says, and axes count as lines do") {
  const test::ParsedModule parsed(text(kImage, kRow, kColumn, kChannel, kInside));
  const auto windows = windows_of(parsed);
  REQUIRE(windows);
  const IndexPool& pool = parsed.context->index();
  CHECK(pool.print(windows->images) == "4");
  CHECK(pool.print(windows->channels) == "128");
  REQUIRE(windows->axes.size() == 2);
  const auto& [row, column] = std::pair(windows->axes[0], windows->axes[1]);
  CHECK(pool.print(row.size) == "9");
  CHECK(pool.print(row.count) == "9");
  CHECK(pool.print(column.size) == "7");
  CHECK(pool.print(column.count) == "7");
  CHECK(row.first == -1);
  CHECK(row.step == 1);
  CHECK(row.reach == 2);
}

TEST_CASE("steps and dilations are numbers, channels may begin anywhere") {
  const std::string row = "3*(%k floordiv 192) + 2*((%i mod 12) floordiv 3) - 4",
                    column = "2*((%k mod 192) floordiv 64) + 3*(%i mod 3) - 2";
  const test::ParsedModule parsed(text("%i floordiv 63", row, column, "%k mod 64 + 8",
                                       row + ", 8 - (" + row + "), " + column + ", 6 - (" + column + ")"));
  CHECK_FALSE(windows_of(parsed));  // images would follow after 12 lines, not after 63
  const test::ParsedModule right(text("min(3, %io)", "3*(%k floordiv 192) + 2*(%i floordiv 3) - 4", column,
                                      "%k mod 64 + 8",
                                      "3*(%k floordiv 192) + 2*(%i floordiv 3) - 4, 12 - 3*(%k floordiv 192) - "
                                      "2*(%i floordiv 3), " +
                                          column + ", 6 - (" + column + ")"));
  const auto windows = windows_of(right);
  REQUIRE(windows);
  CHECK(right.context->index().print(windows->axes[0].count) == "84");
  CHECK(windows->axes[0].step == 2);
  CHECK(windows->axes[0].reach == 6);
  CHECK(windows->axes[1].first == -2);
  CHECK(windows->axes[1].step == 3);
}

TEST_CASE("guards must be those of the image") {
  CHECK(is_windows(text(kImage, kRow, kColumn, kChannel, kInside)));
  CHECK_FALSE(is_windows(text(kImage, kRow, kColumn, kChannel, kInside + ", 4 - (" + kColumn + ")")));
  CHECK_FALSE(is_windows(text(kImage, kRow, kColumn, kChannel, kInside + ", " + kColumn + " - 1")));
}

// Of so many channels, the first ones of 128.
std::string text_of_channels(int count, const std::string& terms, const std::string& channel = "") {
  const std::string n = std::to_string(count), three = std::to_string(3 * count);
  const std::string row = "%k floordiv " + three + " + (%i mod 63) floordiv 7 - 1",
                    column = "(%k mod " + three + ") floordiv " + n + " + %i mod 7 - 1";
  return text(kImage, row, column, channel.empty() ? "%k mod " + n : channel,
              row + ", 8 - (" + row + "), " + column + ", 6 - (" + column + ")", terms);
}
// With as many channels in the image.
std::string text_of_all_channels(int count) {
  std::string out = text_of_channels(count, "[0, " + std::to_string(9 * count) + "]");
  const std::string dims = "4x9x7x128x";
  return out.replace(out.find(dims), dims.size(), "4x9x7x" + std::to_string(count) + "x");
}
std::int64_t box_of(const std::string& given) {
  const auto windows = windows_of(test::ParsedModule(given));
  return windows && windows->places ? windows->places->box : 0;
}

TEST_CASE("a place of the window is boxes that take the least time") {
  CHECK(box_of(text_of_channels(32, "[0, 288]")) == 32);
  CHECK(box_of(text_of_channels(48, "[0, 432]")) == 16);
  CHECK(box_of(text_of_channels(96, "[0, 864]")) == 32);
  CHECK(box_of(text_of_channels(40, "[0, 360]")) == 0);  // the last box would have channels of another group
  CHECK(box_of(text_of_channels(32, "[0, 288]", "%k mod 32 + 32")) == 32);
  CHECK(box_of(text_of_all_channels(8)) == 16);
  CHECK(box_of(text_of_all_channels(24)) == 32);
  CHECK(box_of(text_of_all_channels(72)) == 64);
  CHECK(box_of(text_of_all_channels(112)) == 64);
  CHECK(box_of(text_of_all_channels(36)) == 0);  // no whole pieces of 16 bytes
  CHECK(box_of(text_of_channels(32, "[0, 272]")) == 0);
}

TEST_CASE("parts of the terms are multiples of a place") {
  const auto part = [](const std::string& given) {
    const test::ParsedModule parsed(given);
    const auto nest = matrix_nest(ForRef::from(parsed.value("i").argument_of().parent_op()));
    REQUIRE(nest);
    CHECK(terms_of_part(nest->factors.right, nest->terms) == kBoxTerms);
    return terms_of_part(nest->factors.left, nest->terms);
  };
  CHECK(part(text_of_all_channels(72)) == 72);
  CHECK(part(text_of_channels(32, "[0, 288]")) == 32);
  CHECK(part(text(kImage, kRow, kColumn, kChannel, kInside)) == kBoxTerms);
}

TEST_CASE("parts of the terms have one place of the window, and channels go up") {
  CHECK_FALSE(is_windows(text(kImage, kRow, kColumn, "2*(%k mod 64)", kInside)));
  CHECK_FALSE(is_windows(text(kImage, kRow, kColumn, kChannel, kInside, "[0, 560]")));
  CHECK(is_windows(text(kImage, kRow, kColumn, kChannel, kInside, "[0, 512]")));
}

TEST_CASE("places of the window go up, and lines in the order of memory") {
  const std::string row = "-(%k floordiv 192) + (%i mod 63) floordiv 7 + 1";
  CHECK_FALSE(is_windows(
      text(kImage, row, kColumn, kChannel, row + ", 8 - (" + row + "), " + kColumn + ", 6 - (" + kColumn + ")")));
  const std::string down = "%k floordiv 192 + %i mod 9 - 1",
                    across = "(%k mod 192) floordiv 64 + (%i mod 63) floordiv 9 - 1";
  CHECK_FALSE(is_windows(
      text(kImage, down, across, kChannel, down + ", 8 - (" + down + "), " + across + ", 6 - (" + across + ")")));
}

}  // namespace
}  // namespace mlgc
