// simplify-shapes: what it says of random arithmetic on sizes is what the interpreter computes, for all small sizes.
#include <array>
#include <random>

#include "interp/interpret_module.h"
#include "program.h"

namespace mlgc {
namespace {

// A function of a tensor of B times S elements that returns the last value of a chain of integer ops and comparisons.
std::string random_text(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  constexpr std::array kBinary{"add", "sub", "mul", "maximum", "minimum", "floor_divide", "remainder", "trunc_divide"};
  constexpr std::array kCompare{"lt", "le", "gt", "ge", "eq", "ne"};
  std::string out = "func @f(%x: tensor<[B]x[S]xf32>) -> (tensor<i64>, tensor<i1>) where 1 <= B, 1 <= S {\n";
  out += "  %v0 = dim [B]\n  %v1 = dim [S]\n  %v2 = dim [B*S + 1]\n";
  std::size_t count = 3;
  const auto pick = [&] { return "%v" + std::to_string(below(count)); };
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string head = "  %v" + std::to_string(count) + " = ";
    if (below(4) == 0)
      out += head + "neg " + pick() + "\n";
    else if (below(3) == 0)
      out += head + kBinary[below(kBinary.size())] + " " + pick() + " {other = " + std::to_string(1 + below(4)) + "}\n";
    else
      out += head + kBinary[below(kBinary.size())] + " " + pick() + ", " + pick() + "\n";
    ++count;
  }
  const std::string last = "%v" + std::to_string(count - 1);
  return out + "  %c = " + kCompare[below(kCompare.size())] + " " + last + ", " + pick() + "\n  return " + last +
         ", %c\n}\n";
}

TEST_CASE("arithmetic on sizes keeps its value for all small sizes") {
  std::mt19937_64 random(1);
  std::size_t decided = 0, failed = 0, sizes = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_text(random);
    INFO(text);
    const std::shared_ptr<Context> context = make_context();
    Module before = test::parse(context, text);
    test::Run after = test::run("simplify-shapes", text);
    INFO(after.messages);
    REQUIRE(after.ok);
    const std::string printed = print(after.module);
    INFO(printed);
    sizes += printed.find("%v8 = dim") != std::string::npos ? 1 : 0;
    decided += printed.find("%c = constant") != std::string::npos ? 1 : 0;
    for (std::int64_t b = 1; b <= 4; ++b)
      for (std::int64_t s = 1; s <= 4; ++s) {
        const std::array<Tensor, 1> inputs{Tensor::zeros(Dtype::F32, {b, s})};
        const auto x = interpret(before, "f", inputs), y = interpret(after.module, "f", inputs);
        // A division by 0 fails before and after.
        REQUIRE(x.ok() == y.ok());
        failed += x.ok() ? 0 : 1;
        if (!x.ok()) continue;
        CHECK(x->results[0].get_int(0) == y->results[0].get_int(0));
        CHECK(x->results[1].get_int(0) == y->results[1].get_int(0));
      }
  }
  CHECK(sizes > 100);
  CHECK(decided > 30);
  CHECK(failed > 30);
}

}  // namespace
}  // namespace mlgc
