// What attention is as a matrix loop; test/errors/attention-loop.mlir has what is refused, and why.
#include "analysis/attention_nest.h"

#include <string>

#include "parsed_module.h"

namespace mlgc {
namespace {

constexpr const char* kBefore =
    "func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, "
    "%y: buffer<200x24xbf16, argument>) {\n"
    "  for [0, 64] (%i: index) {\n"
    "    %o = alloc : buffer<24xf32, thread>\n"
    "    %low = literal {dtype = f32, value = -inf}\n"
    "    %zero = literal {dtype = f32, value = 0.0}\n"
    "    for [0, 24] (%f0: index) {\n"
    "      store %zero, %o[%f0]\n"
    "    }\n"
    "    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {\n"
    "      %s = alloc : buffer<64xf32, thread>\n"
    "      %p = alloc : buffer<64xbf16, thread>\n"
    "      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {\n"
    "        %dot = for [0, 40] (%d: index, %c = %zero) {\n"
    "          %a = load %q[%i, %d]\n"
    "          %e = load %k[%j, %d]\n"
    "          %af = cast %a {dtype = f32}\n"
    "          %ef = cast %e {dtype = f32}\n"
    "          %n = fma %af, %ef, %c\n"
    "          yield %n\n"
    "        }\n"
    "        %scale = literal {dtype = f32, value = 0.5}\n";
constexpr const char* kAfter =
    "        store %score, %s[%j - 64*%t]\n"
    "        %larger = maximum %score, %b\n"
    "        yield %larger\n"
    "      }\n"
    "      %none = eq %m1, %low\n"
    "      %shift = where %none, %zero, %m1\n"
    "      %grown = sub %m0, %shift\n"
    "      %change = exp %grown\n"
    "      %l0c = mul %l0, %change\n"
    "      %l1 = for [64*%t, min(64*%t + 64, N)] (%j2: index, %z = %l0c) {\n"
    "        %sj = load %s[%j2 - 64*%t]\n"
    "        %rest = sub %sj, %shift\n"
    "        %x = exp %rest\n"
    "        %x16 = cast %x {dtype = bf16}\n"
    "        store %x16, %p[%j2 - 64*%t]\n"
    "        %zn = add %z, %x\n"
    "        yield %zn\n"
    "      }\n"
    "      for [0, 24] (%f1: index) {\n"
    "        %sum = for [64*%t, min(64*%t + 64, N)] (%j3: index, %c = %zero) {\n"
    "          %a = load %p[%j3 - 64*%t]\n"
    "          %e = load %v[%j3, %f1]\n"
    "          %af = cast %a {dtype = f32}\n"
    "          %ef = cast %e {dtype = f32}\n"
    "          %n = fma %af, %ef, %c\n"
    "          yield %n\n"
    "        }\n"
    "        %old = load %o[%f1]\n"
    "        %scaled = mul %old, %change\n"
    "        %new = add %scaled, %sum\n"
    "        store %new, %o[%f1]\n"
    "      }\n"
    "      yield %m1, %l1\n"
    "    }\n"
    "    for [0, 24] (%f: index) attributes {kind = \"vector\", lanes = 2, per_lane = 8} {\n"
    "      %of = load %o[%f]\n"
    "      %r = div %of, %l\n"
    "      %r16 = cast %r {dtype = bf16}\n"
    "      store %r16, %y[%i, %f]\n"
    "    }\n"
    "  }\n"
    "  return\n"
    "}\n";

Result<AttentionNest, std::string> attention_of(const test::ParsedModule& parsed) {
  return attention_nest(ForRef::from(parsed.value("i").argument_of().parent_op()));
}

TEST_CASE("attention has queries, keys and values, a score, and what follows from its sums") {
  const test::ParsedModule parsed(std::string(kBefore) + "%score = mul %dot, %scale : f32\n" + kAfter);
  const auto found = attention_of(parsed);
  REQUIRE(found);
  const IndexPool& pool = parsed.context->index();
  CHECK(found->queries.load.operand(0) == parsed.value("q"));
  CHECK(found->keys.load.operand(0) == parsed.value("k"));
  CHECK(found->values.load.operand(0) == parsed.value("v"));
  CHECK(pool.print(found->values.stride) == "24");
  CHECK(found->score == parsed.value("score"));
  CHECK_FALSE(found->is_causal);
  CHECK(pool.print(found->key_count) == "N");
  CHECK(found->tile_rows == 64);
  CHECK(found->terms_count == 40);
  CHECK(found->width == 24);
}

TEST_CASE("of a causal score the guard is known") {
  const test::ParsedModule parsed(std::string(kBefore) +
                                  "%plain = mul %dot, %scale : f32\n%sees = guard [%i + 3 - %j] : i1\n"
                                  "%score = where %sees, %plain, %low : f32\n" +
                                  kAfter);
  const auto found = attention_of(parsed);
  REQUIRE(found);
  CHECK(found->is_causal);
  CHECK(parsed.context->index().print(found->seen) == "3");
  CHECK(found->score == parsed.value("plain"));
}

}  // namespace
}  // namespace mlgc
