// Which nests are tiles for the matrix unit, and how their factors lie in memory; test/errors/matrix-loop.mlir has what
// is refused, and why.
#include "analysis/matrix_nest.h"

#include <string>
#include <utility>

#include "parsed_module.h"

namespace mlgc {
namespace {

// Rows of %x by columns of %w, at these places.
std::string nest(const std::string& x, const std::string& w, const std::string& rows = "[0, 64]",
                 const std::string& columns = "[0, 32]") {
  return "func @f(%x: buffer<256x[K]xf16, argument>, %w: buffer<[K]x256xf16, argument>, "
         "%y: buffer<256x256xf16, argument>) where 256 <= K {\n"
         "  for " +
         rows + " (%i: index) {\n    for " + columns +
         " (%j: index) attributes {kind = \"vector\", lanes = 4, per_lane = 8} {\n"
         "      %zero = literal {dtype = f32, value = 0.0} : f32\n"
         "      %s = for [0, 200] (%k: index, %c = %zero) {\n"
         "        %a = load %x[" +
         x + "] : f16\n        %af = cast %a {dtype = f32} : f32\n        %b = load %w[" + w +
         "] : f16\n        %bf = cast %b {dtype = f32} : f32\n        %n = fma %bf, %af, %c : f32\n        yield %n\n"
         "      } : f32\n"
         "      %o = cast %s {dtype = f16} : f16\n      store %o, %y[%i, %j]\n      yield\n    }\n    yield\n  }\n"
         "  return\n}\n";
}

Result<MatrixNest, std::string> nest_of(const test::ParsedModule& parsed) {
  return matrix_nest(ForRef::from(parsed.value("i").argument_of().parent_op()));
}

TEST_CASE("a factor has its terms, or its rows or columns, next to each other; the left one is that of the rows") {
  const test::ParsedModule parsed(nest("%i, %k", "%k, %j"));
  const auto found = nest_of(parsed);
  REQUIRE(found);
  const IndexPool& pool = parsed.context->index();
  CHECK(found->factors.left.load.operand(0) == parsed.value("x"));
  CHECK(found->factors.left.by_terms);
  CHECK(pool.print(found->factors.left.stride) == "K");
  CHECK_FALSE(found->factors.right.by_terms);
  CHECK(pool.print(found->factors.right.stride) == "256");
  CHECK(found->tile_rows == 64);
  CHECK(found->tile_columns == 32);
}

TEST_CASE("the factors may be the other way round, and their places affine") {
  const test::ParsedModule good(nest("%j + 5, %k + 1", "%k, 255 - %j + 2*%j - 3 + %i - %j"));
  const auto found = nest_of(good);
  REQUIRE(found);
  CHECK(found->factors.left.load.operand(0) == good.value("w"));
  CHECK_FALSE(found->factors.left.by_terms);
  CHECK_FALSE(found->factors.left.is_gathered);
  CHECK(found->factors.right.by_terms);
}

TEST_CASE("a factor without neighbours is gathered one by one") {
  const test::ParsedModule parsed(nest("%j, 2*%k", "3*%k + 1, %i + 7"));  // terms of %x are two apart, its rows K
  const auto found = nest_of(parsed);
  REQUIRE(found);
  CHECK(found->factors.right.is_gathered);
  CHECK(found->factors.right.by_terms);
  CHECK_FALSE(found->factors.right.in_pieces);
  CHECK_FALSE(found->factors.left.is_gathered);  // rows of %w are neighbours
}

// Eight terms from a multiple of eight on are eight channels of one pixel, or eight rows are pixels of one line.
TEST_CASE("pieces of terms, or of rows, are neighbours at quotients and remainders by multiples of eight") {
  const auto left_of = [](const std::string& x, const std::string& w = "%k, %j", const std::string& rows = "[0, 64]") {
    const test::ParsedModule parsed(nest(x, w, rows));
    const auto found = nest_of(parsed);
    REQUIRE(found);
    CHECK(found->factors.left.is_gathered);
    return std::pair(found->factors.left.in_pieces, found->factors.left.by_terms);
  };
  const std::pair pieces_of_terms(true, true), one_by_one(false, true);
  // Channels are the last axis of a matrix of 16 by K: then the place is no sum, so sizes must be constants there.
  CHECK(left_of("%i + %k floordiv 16, %k mod 16 + 32") == one_by_one);  // K is no known multiple of eight
  CHECK(left_of("0, 256*(%i mod 7) + 64*(%k floordiv 16) + %k mod 16") == pieces_of_terms);
  CHECK(left_of("0, 256*(%i mod 7) + 64*(%k floordiv 16) + %k mod 16 + 8") == pieces_of_terms);
  CHECK(left_of("0, 256*(%i mod 7) + 64*(%k floordiv 16) + %k mod 16 + 4") == one_by_one);
  CHECK(left_of("0, 256*(%i mod 7) + 64*(%k floordiv 12) + %k mod 12") == one_by_one);
  CHECK(left_of("0, %i mod 24 + 48*(%i floordiv 24) + 96*(%k mod 5)") == std::pair(true, false));
  CHECK(left_of("0, %i mod 24 + 48*(%i floordiv 24) + 96*(%k mod 5)", "%k, %j", "[4, 60]") == one_by_one);
}

TEST_CASE("a place must be what a row says and what a term says, added up") {
  const test::ParsedModule parsed(nest("(%i + %k) mod 128, 3", "%k, %j"));
  const auto found = nest_of(parsed);
  REQUIRE_FALSE(found);
  CHECK(found.error() == "places in `x` are not the sum of what its lines and its terms say");
}

// A convolution of one axis: 4 rows of 16 pixels with 8 channels, a window of 3 and a border of 1.
std::string window(const std::string& guard, const std::string& otherwise = "0.0") {
  return "func @f(%x: buffer<4x16x8xf16, argument>, %w: buffer<24x32xf16, argument>, %y: buffer<64x32xf16, argument>) "
         "{\n"
         "  for [0, 64] (%i: index) {\n"
         "    for [0, 32] (%j: index) attributes {kind = \"vector\", lanes = 4, per_lane = 8} {\n"
         "      %zero = literal {dtype = f32, value = 0.0} : f32\n"
         "      %s = for [0, 24] (%k: index, %c = %zero) {\n        %g = guard [" +
         guard +
         "] : i1\n        %a = if %g {\n"
         "          %e = load %x[%i floordiv 16, %i mod 16 + %k floordiv 8 - 1, %k mod 8] : f16\n"
         "          %ef = cast %e {dtype = f32} : f32\n          yield %ef\n        } else {\n"
         "          %o = literal {dtype = f32, value = " +
         otherwise +
         "} : f32\n          yield %o\n        } : f32\n"
         "        %b = load %w[%k, %j] : f16\n        %bf = cast %b {dtype = f32} : f32\n"
         "        %n = fma %a, %bf, %c : f32\n        yield %n\n      } : f32\n"
         "      %h = cast %s {dtype = f16} : f16\n      store %h, %y[%i, %j]\n      yield\n    }\n    yield\n  }\n"
         "  return\n}\n";
}

TEST_CASE("a factor is 0 where its guard does not hold") {
  const std::string inside = "%i mod 16 + %k floordiv 8 - 1, 16 - %i mod 16 - %k floordiv 8";
  const test::ParsedModule parsed(window(inside));
  const auto found = nest_of(parsed);
  REQUIRE(found);
  CHECK(found->factors.left.guard == parsed.value("g").definer());
  CHECK(found->factors.left.in_pieces);
  CHECK(found->factors.left.by_terms);
  // Terms of one piece are under different guards.
  const test::ParsedModule apart(window(inside + ", %k - 3"));
  const auto one_by_one = nest_of(apart);
  REQUIRE(one_by_one);
  CHECK_FALSE(one_by_one->factors.left.in_pieces);
  const test::ParsedModule product(window(inside + ", %i*%k"));
  CHECK(nest_of(product).error() == "the guard of `x` is not the sum of what its lines and its terms say");
  const test::ParsedModule ones(window(inside, "1.0"));
  CHECK(nest_of(ones).error() == "its factors are not two elements of f32, bf16 or f16");
}

TEST_CASE("the unit's tile has room for the rows and columns of the nest") {
  const test::ParsedModule parsed(nest("%i, %k", "%k, %j", "[0, 65]", "[32, 35]"));
  const auto found = nest_of(parsed);
  REQUIRE(found);
  CHECK(found->tile_rows == 128);
  CHECK(found->tile_columns == 32);
}

}  // namespace
}  // namespace mlgc
