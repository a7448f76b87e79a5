// What transforms refuse, with the kind of the cause or the whole message; the function is as it was then. Goldens in
// test/opt/schedule have what else they refuse.
#include <functional>

#include "parsed_module.h"
#include "schedule/loop_transforms.h"

namespace mlgc {
namespace {

using Step = std::function<TransformResult(OpRef func, const Facts& facts)>;

struct Refused {
  std::string_view kind;  // its id; empty: the step is taken
  std::string message;
  [[nodiscard]] bool operator==(const Refused&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Refused& refused) {
  return out << '[' << refused.kind << "] " << refused.message;
}
const Refused kTaken;

// Of a step on a function of %x, %w and %y.
Refused refusal(const std::string& body, const Step& step) {
  const test::ParsedModule parsed(
      "func @k(%x: buffer<64x64xf32, argument>, %w: buffer<64x64xf32, argument>, %n: buffer<64xi64, argument>, "
      "%y: buffer<64x64xf32, argument>, %z: buffer<64xf32, argument>) {\n" +
      body + "  return\n}\n");
  INFO(parsed.text());
  const OpRef func = parsed.func("k");
  const std::string before = print(func);
  FunctionFacts facts;
  const TransformResult done = step(func, facts.of(func));
  if (done) return kTaken;
  CHECK(print(func) == before);
  return {done.error().kind->id, done.error().message()};
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
  return [=](OpRef func, const Facts& facts) { return block_column_reduction(loop_of(func, "j"), rows, block, facts); };
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
  CHECK(refusal(loop("i", loop("j", use)), packs("i")) == kTaken);
  CHECK(refusal(
            loop("i", "%a = load %x[%i, 0]\nstore %a, %z[%i]\n") + loop("j", "%b = load %w[%j, 0]\nstore %b, %z[%j]\n"),
            packs("j")) == Refused{"schedule-not-in-loop", "`load` does not stand in the loop over `%j`"});
  CHECK(refusal(loop("i",
                     "%g = guard [%i - 3]\n%a, %b = if %g {\n%v = load %x[%i, 0]\nyield %v, %v\n} else {\n"
                     "%o = literal {dtype = f32, value = 1.0}\nyield %o, %o\n}\n%t = add %a, %b\nstore %t, %z[%i]\n"),
                packs("i")) ==
        Refused{"schedule-branch", "the branch around `load` does not fit the transform: it gives several values"});
  CHECK(refusal(loop("i", "%g = guard [%i - 3]\nif %g {\n" + loop("j", use) + "yield\n}\n"), packs("i")) ==
        Refused{"schedule-branch",
                "the branch around `load` does not fit the transform: the copy would be made in every iteration"});
  CHECK(refusal(loop("i", loop("j", "%p = load %n[%j]\n%v = load %x[%p, %i] {checked = true}\nstore %v, %y[%i, %j]\n")),
                packs("i")) ==
        Refused{"schedule-may-abort", "`load` may abort, and the transform would change what has run before"});
  CHECK(refusal(
            loop("i", kZero + "%s = for [0, 64] (%j: index, %c = %zero) {\n%g = gt %c, %zero\n%v = if %g {\n"
                              "%l = load %x[%i, %j]\nyield %l\n} else {\nyield %zero\n}\n%a = add %c, %v\nyield %a\n}\n"
                              "store %s, %z[%i]\n"),
            packs("i")) ==
        Refused{"schedule-depends-on-carried", "the value depends on what the loop over `%j` carries"});
}

TEST_CASE("what block-columns refuses") {
  CHECK(refusal(sum(), blocks()) == kTaken);
  CHECK(refusal(sum(), blocks(16, 5)) ==
        Refused{"schedule-parameter", "the tile size is 16, expected a positive multiple of the block size"});
  CHECK(refusal(sum("store %zero, %z[%j]\n"), blocks()) ==
        Refused{"schedule-reorders-memory",
                "the transform would reorder accesses to memory in the loop over `%j`: a store in front of the inner "
                "loop would come after it"});
  CHECK(refusal(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), blocks()) ==
        Refused{"schedule-loop-kind", "the loop over `%i` is a vector loop, and the transform takes serial loops"});
  CHECK(refusal(sum("", "store %zero, %y[%i, %j]\n"), blocks()) ==
        Refused{"schedule-unsupported-op", "the loop over `%i` holds `store`, which cannot be run block by block"});
  CHECK(refusal(loop("j", "%v = load %x[0, %j]\n"), blocks()) ==
        Refused{"schedule-inner-loops", "the loop over `%j` holds no loop, expected one that reduces"});
  CHECK(refusal(loop("j", loop("i", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), blocks()) ==
        Refused{"schedule-not-applicable", "the loop over `%i` does not carry a reduction, which the transform needs"});
  CHECK(refusal(loop("j", loop("i", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n") +
                              loop("k", "%u = load %w[%k, %j]\nstore %u, %y[%k, %j]\n")),
                blocks()) ==
        Refused{"schedule-inner-loops", "the loop over `%j` holds more than one loop, expected one that reduces"});
  CHECK(refusal(loop("j", kZero + "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = sub %v, %c\n"
                                  "yield %a\n}\nstore %s, %z[%j]\n"),
                blocks()) == Refused{"schedule-not-a-reduction",
                                     "carried value 0 of the loop over `%i` is not a reduction: `sub` is none of add, "
                                     "mul, max, min, or, and on these operands"});
  CHECK(refusal(loop("j", kZero + "%s = for [0, %j] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                                  "yield %a\n}\nstore %s, %z[%j]\n"),
                blocks()) == Refused{"schedule-bounds-vary",
                                     "the bounds of the loop over `%i` depend on the iteration of a loop around it"});
}

TEST_CASE("what rfactor refuses") {
  CHECK(refusal(sum(), factors()) == kTaken);
  CHECK(refusal(sum(), factors(0)) == Refused{"schedule-parameter", "the tile size is 0, expected 1 or more"});
  CHECK(refusal(sum("", "store %zero, %y[%i, %j]\n"), factors()) ==
        Refused{"schedule-unsupported-op",
                "the loop over `%i` holds `store`, which cannot be moved in front of the nest"});
  CHECK(refusal(sum("store %zero, %x[%j, 0]\n"), factors()) ==
        Refused{"schedule-buffer-written",
                "`x` is written in the loop over `%j`, so reading it earlier would give old values"});
  CHECK(refusal(sum("%m = alloc : buffer<4xf32, thread>\nstore %zero, %m[0]\n", "%q = load %m[0]\n"), factors()) ==
        Refused{"schedule-unsupported-op",
                "the loop over `%j` holds `alloc`, which cannot be moved in front of the nest"});
  CHECK(refusal(loop("j", "%g = guard [%j - 3]\nif %g {\n" + kZero +
                              "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                              "yield %a\n}\nstore %s, %z[%j]\nyield\n}\n"),
                factors()) ==
        Refused{"schedule-outer-loops", "the loop over `%i` stands in `if`, expected only loops around it"});
  CHECK(refusal("%low = literal {dtype = f32, value = 0.0}\n%b = for [0, 64] (%j: index, %m = %low) {\n" + kZero +
                    "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\nyield %a\n}\n"
                    "%t = maximum %m, %s\nyield %t\n}\nstore %b, %z[0]\n",
                factors()) ==
        Refused{"schedule-carries-values", "the loop over `%j` carries values from one iteration to the next"});
  CHECK(refusal(loop("k", loop("j",
                               kZero + "%s = for [0, 64] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n"
                                       "%a = add %c, %v\nyield %a\n}\nstore %s, %y[%k, %j]\n",
                               "", "%k + 1")),
                factors()) ==
        Refused{"schedule-trip-count-not-a-size",
                "the trip count of the loop over `%j` is not an expression of sizes, so no buffer can have an element "
                "for each iteration"});
  CHECK(refusal(loop("j", kZero + "%s = for [0, %j] (%i: index, %c = %zero) {\n%v = load %x[%i, %j]\n%a = add %c, %v\n"
                                  "yield %a\n}\nstore %s, %z[%j]\n"),
                factors()) ==
        Refused{"schedule-trip-count-not-a-size",
                "the trip count of the loop over `%i` is not an expression of sizes, so no buffer can have an element "
                "for each iteration"});
  CHECK(refusal(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), factors()) ==
        Refused{"schedule-loop-kind", "the loop over `%i` is a vector loop, and the transform takes serial loops"});
}

TEST_CASE("what transpose-tiles refuses") {
  const std::string turn = "%v = load %x[%j, %i]\nstore %v, %y[%i, %j]\n";
  CHECK(refusal(loop("i", loop("j", turn)), turns()) == kTaken);
  CHECK(refusal(loop("i", loop("j", turn)), turns(1)) ==
        Refused{"schedule-parameter", "the tile size is 1, expected 2 or more"});
  CHECK(refusal(loop("i", "%o = load %w[%i, 0]\nstore %o, %z[%i]\n" + loop("j", turn)), turns()) ==
        Refused{"schedule-not-perfectly-nested",
                "the loop over `%i` is not perfectly nested: it must hold one loop and nothing else"});
  CHECK(refusal(loop("i", loop("j", turn), "attributes {kind = \"vector\", lanes = 8} "), turns()) ==
        Refused{"schedule-loop-kind",
                "the loop over `%i` is a vector loop, and the transform takes serial and parallel loops"});
  CHECK(
      refusal(loop("i", loop("j", turn, "", "%i")), turns()) ==
      Refused{"schedule-bounds-vary", "the bounds of the loop over `%j` depend on the iteration of a loop around it"});
  CHECK(refusal(loop("i", loop("j", "%g = guard [%j - 3]\n%v = if %g {\n%l = load %x[%j, %i]\nyield %l\n} else {\n" +
                                        kZero + "yield %zero\n}\nstore %v, %y[%i, %j]\n")),
                turns()) ==
        Refused{"schedule-index-use", "`guard` reads the index `%j` outside of the subscripts of a load or store"});
  CHECK(refusal(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), turns()) ==
        Refused{"schedule-nothing-to-do",
                "there is nothing to transpose: no load is contiguous along the outer loop and strided along the "
                "inner one"});
  CHECK(refusal(loop("i", loop("j", "%v = load %x[%j, %i]\nstore %v, %y[%i, %j]\nstore %v, %x[%j, %i]\n")), turns()) ==
        Refused{"schedule-buffer-written",
                "`x` is written in the loop over `%j`, so reading it earlier would give old values"});
}

TEST_CASE("what narrow with a size refuses") {
  const auto narrows = [](std::int64_t size) -> Step {
    return [=](OpRef func, const Facts& facts) { return narrow_blocks(loop_of(func, "i"), size, facts); };
  };
  CHECK(refusal(sum(), narrows(0)) == Refused{"schedule-parameter", "the block size is 0, expected 1 or more"});
  CHECK(refusal(sum(), narrows(8)) ==
        Refused{"schedule-not-applicable",
                "the loop over `%i` does not carry a sum of f32 in f64, which the transform needs"});
  CHECK(refusal(sum("", "", "attributes {combine = [\"add\"], kind = \"vector\", lanes = 8} "), narrows(8)) ==
        Refused{"schedule-loop-kind", "the loop over `%i` is a vector loop, and the transform takes serial loops"});
}

TEST_CASE("what jam refuses of functions and indices") {
  const auto jams = [](OpRef func, const Facts& facts) { return jam(loop_of(func, "i"), 4, facts); };
  CHECK(refusal(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n")), jams) == kTaken);
  CHECK(refusal(loop("i", loop("j", "%v = load %x[%i, %j]\nstore %v, %y[%i, %j]\n"),
                     "attributes {kind = \"vector\", lanes = 8} "),
                jams) == Refused{"schedule-loop-kind",
                                 "the loop over `%i` is a vector loop, and the transform takes loops without lanes"});
}

TEST_CASE("what write-out refuses") {
  const auto writes = [](OpRef func, const Facts&) { return write_out(loop_of(func, "i")); };
  CHECK(refusal(loop("i", "", "", "64"), writes) == kTaken);
  CHECK(
      refusal(loop("i", "", "", "65"), writes) ==
      Refused{"schedule-trip-count", "the trip count of the loop over `%i` is 65, expected a constant of at most 64"});
  CHECK(refusal(loop("i", "%v = load %x[%i, %i]\nstore %v, %y[%i, %i]\n", "attributes {kind = \"vector\", lanes = 8} "),
                writes) ==
        Refused{"schedule-loop-kind", "the loop over `%i` is a vector loop, and the transform takes serial loops"});
}

}  // namespace mlgc
