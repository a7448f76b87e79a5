// What steps refuse, with the whole reason; the function is as it was then. Goldens in test/opt/schedule have what else
// they refuse.
#include <functional>

#include "parsed_module.h"
#include "schedule/steps.h"

namespace mlgc {
namespace {

using Step = std::function<StepResult(OpRef func, const Facts& facts)>;

// The reason for which a step on a function of %x, %w and %y is refused; empty when it is taken.
std::string reason(const std::string& body, const Step& step) {
  const test::ParsedModule parsed(
      "func @k(%x: buffer<64x64xf32, argument>, %w: buffer<64x64xf32, argument>, %n: buffer<64xi64, argument>, "
      "%y: buffer<64x64xf32, argument>, %z: buffer<64xf32, argument>) {\n" +
      body + "  return\n}\n");
  INFO(parsed.text());
  const OpRef func = parsed.func("k");
  const std::string before = print(func);
  FunctionFacts facts;
  const StepResult done = step(func, facts.of(func));
  if (done) return "";
  CHECK(print(func) == before);
  return done.error();
}

OpRef loop_of(OpRef func, std::string_view index) {
  const auto found = find_loop(func, index);
  REQUIRE(found.ok());
  return *found;
}

Step packs(const std::string& loop) {
  return [loop](OpRef func, const Facts&) {
    OpRef load;
    walk(func, [&](OpRef op) {
      if (op.is(LoopOp::Load) && op.operand(0).name() == "x") load = op;
    });
    return pack(load, loop_of(func, loop));
  };
}
Step blocks(std::int64_t rows = 16, std::int64_t block = 8) {
  return [=](OpRef func, const Facts& facts) { return block_columns(loop_of(func, "j"), rows, block, facts); };
}
Step turns(std::int64_t size = 8, std::int64_t group = 4) {
  return [=](OpRef func, const Facts& facts) { return transpose_tiles(loop_of(func, "i"), size, group, facts); };
}

Step factors(std::int64_t size = 8) {
  return [=](OpRef func, const Facts& facts) { return rfactor(loop_of(func, "i"), size, facts); };
}

std::string loop(const std::string& index, const std::string& inside, const std::string& more = "",
                 const std::string& end = "64") {
  return "for [0, " + end + "] (%" + index + ": index) " + more + "{\n" + inside + "}\n";
}
const std::string kZero = "%zero = literal {dtype = f32, value = 0.0}\n";
// A sum of rows of %x for each column.
std::string sum(const std::string& before = "", const std::string& inside = "", const std::string& kind = "") {
  return loop("j", kZero + before + "%s = for [0, 64] (%i: index, %c = %zero) " + kind + "{\n" + inside +
                       "%v = load %x[%i, %j]\n%a = add %c, %v\nyield %a\n}\nstore %s, %z[%j]\n");
}

}  // namespace

TEST_CASE("what pack refuses") {
  const std::string use = "%v = load %x[%j, %i]\nstore %v, %y[%i, %j]\n";
  CHECK(reason(loop("i", loop("j", use)), packs("i")).empty());
  CHECK(reason(
            loop("i", "%a = load %x[%i, 0]\nstore %a, %z[%i]\n") + loop("j", "%b = load %w[%j, 0]\nstore %b, %z[%j]\n"),
            packs("j")) == "the load does not stand in the loop");
  CHECK(reason(loop("i",
                    "%g = guard [%i - 3]\n%a, %b = if %g {\n%v = load %x[%i, 0]\nyield %v, %v\n} else {\n"
                    "%o = literal {dtype = f32, value = 1.0}\nyield %o, %o\n}\n%t = add %a, %b\nstore %t, %z[%i]\n"),
               packs("i")) == "the branch around the load has other results");
  CHECK(reason(loop("i", "%g = guard [%i - 3]\nif %g {\n" + loop("j", use) + "yield\n}\n"), packs("i")) ==
        "the load is reached in a branch");
  CHECK(reason(loop("i", loop("j", "%p = load %n[%j]\n%v = load %x[%p, %i] {checked = true}\nstore %v, %y[%i, %j]\n")),
               packs("i")) == "it may end the program");
  CHECK(reason(
            loop("i", kZero + "%s = for [0, 64] (%j: index, %c = %zero) {\n%g = gt %c, %zero\n%v = if %g {\n"
                              "%l = load %x[%i, %j]\nyield %l\n} else {\nyield %zero\n}\n%a = add %c, %v\nyield %a\n}\n"
                              "store %s, %z[%i]\n"),
            packs("i")) == "it depends on what a loop carries");
}

TEST_CASE("what block-columns refuses") {
  CHECK(reason(sum(), blocks()).empty());
  CHECK(reason(sum(), blocks(16, 5)) == "a tile of rows is a number of blocks of rows");
  CHECK(reason(sum("store %zero, %z[%j]\n"), blocks()) == "it stores in front of the loop inside");
  CHECK(reason(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), blocks()) ==
        "the loop inside is of kind vector");
  CHECK(reason(sum("", "store %zero, %y[%i, %j]\n"), blocks()) == "the loop inside does more than reduce");
  CHECK(reason(loop("j", "%v = load %x[0, %j]\n"), blocks()) == "there is no loop in it");
  CHECK(reason(loop("j", loop("i", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), blocks()) ==
        "the loop inside carries nothing");
  CHECK(reason(loop("j", loop("i", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n") +
                             loop("k", "%u = load %w[%k, %j]\nstore %u, %y[%k, %j]\n")),
               blocks()) == "there is more than one loop in it");
  CHECK(reason(loop("j", kZero + "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = sub %v, %c\n"
                                 "yield %a\n}\nstore %s, %z[%j]\n"),
               blocks())
            .starts_with("carried value 0 is no reduction: "));
  CHECK(reason(loop("j", kZero + "%s = for [0, %j] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                                 "yield %a\n}\nstore %s, %z[%j]\n"),
               blocks()) == "the bounds of the loop inside differ between columns");
}

TEST_CASE("what rfactor refuses") {
  CHECK(reason(sum(), factors()).empty());
  CHECK(reason(sum(), factors(0)) == "a tile has at least one iteration");
  CHECK(reason(sum("", "store %zero, %y[%i, %j]\n"), factors()) == "the loop does more than reduce");
  CHECK(reason(sum("store %zero, %x[%j, 0]\n"), factors()) ==
        "a buffer that it reads is written in the loops around it");
  CHECK(reason(sum("%m = alloc : buffer<4xf32, thread>\nstore %zero, %m[0]\n", "%q = load %m[0]\n"), factors()) ==
        "it needs what `alloc` gives in the loops around it");
  CHECK(reason(loop("j", "%g = guard [%j - 3]\nif %g {\n" + kZero +
                             "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                             "yield %a\n}\nstore %s, %z[%j]\nyield\n}\n"),
               factors()) == "it stands in `if`");
  CHECK(reason("%low = literal {dtype = f32, value = 0.0}\n%b = for [0, 64] (%j: index, %m = %low) {\n" + kZero +
                   "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\nyield %a\n}\n"
                   "%t = maximum %m, %s\nyield %t\n}\nstore %b, %z[0]\n",
               factors()) == "a loop around it carries values");
  CHECK(reason(loop("k", loop("j",
                              kZero + "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n"
                                      "%a = add %c, %v\nyield %a\n}\nstore %s, %y[%k, %j]\n",
                              "", "%k + 1")),
               factors()) == "the number of iterations of a loop around it is no size");
  CHECK(reason(loop("j", kZero + "%s = for [0, %j] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                                 "yield %a\n}\nstore %s, %z[%j]\n"),
               factors()) == "the number of tiles is no size");
  CHECK(reason(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), factors()) ==
        "a loop of kind vector stays");
}

TEST_CASE("what transpose-tiles refuses") {
  const std::string turn = "%v = load %x[%j, %i]\nstore %v, %y[%i, %j]\n";
  CHECK(reason(loop("i", loop("j", turn)), turns()).empty());
  CHECK(reason(loop("i", loop("j", turn)), turns(1)) == "a square has at least two rows, and a group one square");
  CHECK(reason(loop("i", "%o = load %w[%i, 0]\nstore %o, %z[%i]\n" + loop("j", turn)), turns()) ==
        "the loop holds other ops than one loop");
  CHECK(reason(loop("i", loop("j", turn), "attributes {kind = \"vector\", lanes = 8} "), turns()) ==
        "a loop of kind vector stays");
  CHECK(reason(loop("i", loop("j", turn, "", "%i")), turns()) ==
        "the bounds of the inner loop depend on the outer index");
  CHECK(reason(loop("i", loop("j", "%g = guard [%j - 3]\n%v = if %g {\n%l = load %x[%j, %i]\nyield %l\n} else {\n" +
                                       kZero + "yield %zero\n}\nstore %v, %y[%i, %j]\n")),
               turns()) == "an index is read by `guard`");
  CHECK(reason(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), turns()) ==
        "no load runs along the outer loop and across the inner one");
  CHECK(reason(loop("i", loop("j", "%v = load %x[%j, %i]\nstore %v, %y[%i, %j]\nstore %v, %x[%j, %i]\n")), turns()) ==
        "the inner loop writes what it reads across");
}

TEST_CASE("what narrow with a size refuses") {
  const auto narrows = [](std::int64_t size) -> Step {
    return [=](OpRef func, const Facts& facts) { return narrow_blocks(loop_of(func, "i"), size, facts); };
  };
  CHECK(reason(sum(), narrows(0)) == "a block has at least one term");
  CHECK(reason(sum(), narrows(8)) == "it carries no sum of f32 in f64");
  CHECK(reason(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), narrows(8)) ==
        "a loop of kind vector stays");
}

TEST_CASE("what jam refuses of functions and indices") {
  const auto jams = [](OpRef func, const Facts& facts) { return jam(loop_of(func, "i"), 4, facts); };
  CHECK(reason(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), jams).empty());
  CHECK(reason(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n"),
                    "attributes {kind = \"vector\", lanes = 8} "),
               jams) == "a vector loop has its iterations side by side already");
}

}  // namespace mlgc
