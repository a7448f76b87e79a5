// Numbers that follow from indices alone, by arithmetic and by way of scratch; what does not is not known.
#include "analysis/known_number.h"

#include <vector>

#include "parsed_module.h"

namespace mlgc {
namespace {

constexpr std::int64_t kUnknown = -1;

// What the last load of %x reads at, for each index of the loop around it.
std::vector<std::int64_t> places(const std::string& before, const std::string& inside) {
  const test::ParsedModule module(
      "func @k(%x: buffer<8xf32, argument>, %at: buffer<4xi64, argument>, %y: buffer<4xf32, argument>) {\n" + before +
      "  for [0, 4] (%j: index) {\n" + inside +
      "    %v = load %x[%p] {checked = true} : f32\n    store %v, %y[%j]\n  }\n  return\n}\n");
  OpRef load;
  walk(module.func("k"), [&](OpRef op) {
    if (op.is(LoopOp::Load) && LoadRef::from(op).buffer().name() == "x") load = op;
  });
  const Value index = ForRef::from(load.parent_op()).index();
  KnownNumbers known(*module.context);
  std::vector<std::int64_t> out;
  for (std::int64_t at = 0; at < 4; ++at)
    out.push_back(known.integer(load.operand(1), [&](Value v) { return v == index ? std::optional(at) : std::nullopt; })
                      .value_or(kUnknown));
  return out;
}

std::string computed(const std::string& of, const std::string& name, const std::string& fn = "floor") {
  return "    %a = apply [" + of + "] : i64\n    %f = cast %a {dtype = f64} : f64\n" +
         "    %h = literal {dtype = f64, value = 1.5} : f64\n    %m = mul %f, %h : f64\n    %r = " + fn +
         " %m : f64\n    %" + name + " = cast %r {dtype = i64} : i64\n";
}
std::string filled(const std::string& loops, const std::string& ends, const std::string& place = "%i") {
  return "  %s = alloc : buffer<4xi64, arena>\n" + loops + computed("%i", "q") + "    store %q, %s[" + place + "]\n" +
         ends;
}

const std::vector<std::int64_t> kFloors{0, 1, 3, 4}, kNothing(4, kUnknown);

}  // namespace

TEST_CASE("a number follows from an index by arithmetic that is rounded correctly") {
  CHECK(places("", computed("%j", "p")) == kFloors);
  CHECK(places("", "    %p = apply [2*%j floordiv 3 + 1] : i64\n") == std::vector<std::int64_t>{1, 1, 2, 3});
  CHECK(places("", computed("%j", "p", "sqrt")) == kNothing);
  CHECK(places("", "    %p = load %at[%j] : i64\n") == kNothing);
}

TEST_CASE("scratch that one store fills in front of it is looked through, also by tiles") {
  const std::string load = "    %p = load %s[%j] : i64\n";
  CHECK(places(filled("  for [0, 4] (%i: index) {\n", "  }\n"), load) == kFloors);
  CHECK(
      places(filled("  for [0, 2] (%o: index) {\n  for [min(2*%o, 1), min(2*%o, 1) + 3] (%i: index) {\n", "  }\n  }\n"),
             load) == kFloors);
  CHECK(places(filled("  for [0, 3] (%i: index) {\n", "  }\n"), load) == std::vector<std::int64_t>{0, 1, 3, kUnknown});
  // Several elements of an iteration, or none that is known.
  CHECK(places(filled("  for [0, 4] (%i: index) {\n", "  }\n", "3 - %i"), load) == kNothing);
  CHECK(places(filled("  for [0, 4] (%i: index) {\n", "  }\n") +
                   "  for [0, 1] (%i: index) {\n    %w = load %at[%i] : i64\n"
                   "    store %w, %s[%i]\n  }\n",
               load) == kNothing);
}

}  // namespace mlgc
