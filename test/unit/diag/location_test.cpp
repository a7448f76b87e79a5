// Interning, bounds and printing of locations.
#include "diag/location.h"

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("equal locations have equal ids") {
  LocationTable table;
  const Location a = table.position("f.py", 3, 7);
  CHECK(a == table.position("f.py", 3, 7));
  CHECK(a != table.position("f.py", 3, 8));
  CHECK(table.named("n", a) == table.named("n", a));
  CHECK(table.named("n", a) != table.named("n"));
  const Location b = table.position("g.py", 1, 1);
  const Location ab[] = {a, b}, ba[] = {b, a};
  CHECK(table.fused(ab) == table.fused(ab));
  CHECK(table.fused(ab) != table.fused(ba));
  CHECK(table.call_site(a, b) == table.call_site(a, b));
  CHECK(table.origin({"m", "call", "t", "n"}, a) == table.origin({"m", "call", "t", "n"}, a));
  CHECK(table.origin({"m", "call", "t", "n"}, a) != table.origin({"m", "call", "t", "n2"}, a));
}

TEST_CASE("locations print as MLIR writes them") {
  LocationTable table;
  const Location a = table.position("f.py", 3, 7);
  const Location b = table.position("a\"b\\c\n\xC3\xA9", 1, 2);
  const Location both[] = {a, b};
  CHECK(table.print({}) == "loc(unknown)");
  CHECK(table.print(a) == "loc(\"f.py\":3:7)");
  CHECK(table.print(b) == "loc(\"a\\\"b\\\\c\\0A\\C3\\A9\":1:2)");
  CHECK(table.print(table.named("n")) == "loc(\"n\")");
  CHECK(table.print(table.named("n", a)) == "loc(\"n\"(\"f.py\":3:7))");
  CHECK(table.print(table.fused(both)) == "loc(fused[\"f.py\":3:7, \"a\\\"b\\\\c\\0A\\C3\\A9\":1:2])");
  CHECK(table.print(table.call_site(a, table.named("n"))) == "loc(callsite(\"f.py\":3:7 at \"n\"))");
  CHECK(table.print(table.origin({"layers.0", "", "", "relu_1"}, a)) ==
        "loc(fused<{module = \"layers.0\", node = \"relu_1\"}>[\"f.py\":3:7])");
}

TEST_CASE("fused lists flatten, drop repetitions and unknowns") {
  LocationTable table;
  const Location a = table.position("f", 1, 1), b = table.position("f", 2, 1), c = table.position("f", 3, 1);
  const Location ab[] = {a, b};
  const Location nested[] = {table.fused(ab), Location{}, c, a};
  CHECK(table.children(table.fused(nested)) == std::vector<Location>{a, b, c});
  const Location one[] = {a, Location{}, a};
  CHECK(table.fused(one) == a);
  CHECK(table.fused({}) == Location{});
}

TEST_CASE("combining in a loop stays bounded") {
  LocationTable table;
  Location chain = table.position("f", 1, 1);
  Location pile = chain;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    chain = table.call_site(chain, table.position("g", i, 1));
    const Location parts[] = {pile, table.position("h", i, 1)};
    pile = table.fused(parts);
  }
  CHECK(table.print(chain).size() < 4000);
  CHECK(table.children(pile).size() == kMaxFused);
  CHECK(table.primary_position(chain) == Position{"f", 1, 1});
}

TEST_CASE("bytes of a source text are locations") {
  LocationTable table;
  const SourceFile& first = table.add_source("a.mlir", "x\nyz\n");
  const SourceFile& second = table.add_source("b.mlir", "hello");
  const Location z = table.position_in(first, 3);
  CHECK(table.kind(z) == LocationKind::Position);
  CHECK(table.as_position(z) == Position{"a.mlir", 2, 2});
  CHECK(table.print(z) == "loc(\"a.mlir\":2:2)");
  CHECK(table.as_position(table.position_in(second, 5)) == Position{"b.mlir", 1, 6});
  CHECK(table.as_position(table.position_in(first, first.size())) == Position{"a.mlir", 3, 1});
  CHECK(table.position_in(second, 6) == Location{});
  REQUIRE(table.text_place(z).has_value());
  CHECK(table.text_place(z)->file == &first);
  CHECK(table.text_place(z)->offset == 3);
  CHECK(table.text_place(table.position("b.mlir", 1, 2))->offset == 1);
  CHECK_FALSE(table.text_place(table.position("c.mlir", 1, 2)).has_value());
  CHECK(table.primary_position(table.named("n", z)) == Position{"a.mlir", 2, 2});
}
