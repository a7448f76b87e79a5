// Which nests are tiles for the matrix unit, and how their factors lie in memory; test/errors/matrix-loop.mlir has what
// is refused, and why.
#include "analysis/matrix_nest.h"

#include <string>

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
  const test::ParsedModule parsed(nest("%j, 2*%k", "3*%k + 1, %i + 7"));
  CHECK_FALSE(nest_of(parsed));  // terms of %x are two apart, its rows K
  const test::ParsedModule good(nest("%j + 5, %k + 1", "%k, 255 - %j + 2*%j - 3 + %i - %j"));
  const auto found = nest_of(good);
  REQUIRE(found);
  CHECK(found->factors.left.load.operand(0) == good.value("w"));
  CHECK_FALSE(found->factors.left.by_terms);
  CHECK(found->factors.right.by_terms);
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
