// Which factors of matrix loops are boxes that a device copies by itself, and where these are.
#include "analysis/factor_boxes.h"

#include <string>

#include "loopir/nests.h"
#include "parsed_module.h"

namespace mlgc {
namespace {

// Rows of %x by columns of %w at these places, in tiles of 64 by 64, for each %p.
std::string boxes_text(const std::string& x, const std::string& w, const std::string& terms = "[0, K]",
                       const std::string& rows = "[64*%io, min(64*%io + 64, M)]") {
  return "func @f(%x: buffer<4x[M]x[K]xbf16, argument>, %w: buffer<4x[K]x256xbf16, argument>, "
         "%y: buffer<4x[M]x256xbf16, argument>) where 512 <= K, 256 <= M {\n"
         "  for [0, 4] (%p: index) attributes {kind = \"parallel\"} {\n"
         "  for [0, M ceildiv 64] (%io: index) attributes {kind = \"parallel\"} {\n"
         "  for [0, 4] (%jo: index) attributes {kind = \"parallel\"} {\n"
         "  for " +
         rows +
         " (%i: index) {\n"
         "    for [64*%jo, 64*%jo + 64] (%j: index) attributes {kind = \"vector\", lanes = 8, per_lane = 8} {\n"
         "      %zero = literal {dtype = f32, value = 0.0} : f32\n"
         "      %s = for " +
         terms +
         " (%k: index, %c = %zero) {\n"
         "        %a = load %x[" +
         x + "] : bf16\n        %af = cast %a {dtype = f32} : f32\n        %b = load %w[" + w +
         "] : bf16\n        %bf = cast %b {dtype = f32} : f32\n        %n = fma %af, %bf, %c : f32\n        yield %n\n"
         "      } : f32\n"
         "      %o = cast %s {dtype = bf16} : bf16\n      store %o, %y[%p, %i, %j]\n      yield\n    }\n    yield\n  "
         "}\n"
         "  yield\n  }\n  yield\n  }\n  yield\n  }\n  return\n}\n";
}

std::optional<NestBoxes> boxes_of(const test::ParsedModule& parsed) {
  const auto loop = [&](std::string_view name) { return ForRef::from(parsed.value(name).argument_of().parent_op()); };
  const auto nest = matrix_nest(loop("i"));
  REQUIRE(nest);
  const ForRef around[] = {loop("p"), loop("io"), loop("jo")};
  return factor_boxes(*nest, around);
}

TEST_CASE("a factor begins where all indices are 0, and ends where the last tile does") {
  const test::ParsedModule parsed(boxes_text("%p, %i, %k", "%p, %k, %j"));
  const auto boxes = boxes_of(parsed);
  REQUIRE(boxes);
  const IndexPool& pool = parsed.context->index();
  CHECK(pool.print(boxes->left.boxes.first) == "0");
  CHECK(pool.print(boxes->left.boxes.lines) == "M");
  CHECK(pool.print(boxes->left.boxes.terms) == "K");
  REQUIRE(boxes->left.boxes.further.size() == 1);
  CHECK(pool.print(boxes->left.boxes.further[0].count) == "4");
  CHECK(pool.print(boxes->left.boxes.further[0].stride) == "K*M");
  CHECK(pool.print(boxes->right.boxes.lines) == "256");
  CHECK(pool.print(boxes->right.boxes.further[0].stride) == "256*K");
}

TEST_CASE("a factor that is the same for all iterations of a loop has no plane for each") {
  const test::ParsedModule parsed(boxes_text("2, %i, %k", "%p, %k, %j"));
  const auto boxes = boxes_of(parsed);
  REQUIRE(boxes);
  CHECK(parsed.context->index().print(boxes->left.boxes.first) == "2*K*M");
  CHECK(boxes->left.boxes.further.empty());
}

TEST_CASE("places must be multiples of 16 bytes, as far as the text says them") {
  const test::ParsedModule unaligned(boxes_text("%p, %i, %k", "%p, %k, %j", "[0, 64]"));
  CHECK(boxes_of(unaligned));
  const test::ParsedModule shifted(boxes_text("%p, %i, %k + 4", "%p, %k, %j", "[0, 64]"));
  CHECK_FALSE(boxes_of(shifted));
  const test::ParsedModule whole(boxes_text("%p, %i, %k + 8", "%p, %k, %j", "[0, 64]"));
  CHECK(boxes_of(whole));
}

TEST_CASE("parts of the terms are whole boxes, of which the last one ends with the terms") {
  CHECK(boxes_of(test::ParsedModule(boxes_text("%p, %i, %k", "%p, %k, %j", "[128*%p, min(128*%p + 128, 500)]"))));
  CHECK(boxes_of(test::ParsedModule(boxes_text("%p, %i, %k", "%p, %k, %j", "[128*%p, 128*%p + 128]"))));
  CHECK_FALSE(boxes_of(test::ParsedModule(boxes_text("%p, %i, %k", "%p, %k, %j", "[96*%p, 96*%p + 96]"))));
  CHECK_FALSE(boxes_of(test::ParsedModule(boxes_text("%p, %i, %k", "%p, %k, %j", "[128*%p, 128*%p + 100]"))));
}

TEST_CASE("rows that begin elsewhere than tiles do are no boxes") {
  CHECK_FALSE(boxes_of(test::ParsedModule(boxes_text("%p, %i, %k", "%p, %k, %j", "[0, 64]", "[1, 65]"))));
}

}  // namespace
}  // namespace mlgc
