// derive-weights: what the goldens cannot show, that is many ops, what a second run does, and when weights are
// computed.
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "program.h"

namespace mlgc {
namespace {

constexpr std::string_view kPass = "derive-weights";

TEST_CASE("derive-weights finds nothing to do after itself") {
  const std::string once = test::after(kPass, R"(weight @w : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = read @w : tensor<4xf32>
  %1 = neg %0 : tensor<4xf32>
  %2 = exp %1 : tensor<4xf32>
  %3 = sin %1 : tensor<4xf32>
  %4 = add %x, %2 : tensor<4xf32>
  return %4, %3
})");
  test::Run twice = test::run(kPass, once);
  CHECK(twice.statistics.find("unchanged") != std::string::npos);
  CHECK(print(twice.module) == once);
}

TEST_CASE("each op of a lattice moves once, so the derived weights hold as many ops as the function did") {
  // Every value is read by two others; sharing nothing would copy 2^30 ops.
  std::string text = "weight @w : tensor<2xf32>\nfunc @f() -> tensor<2xf32> {\n  %v0 = read @w : tensor<2xf32>\n";
  constexpr int kDepth = 30;
  for (int i = 0; i < kDepth; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  %a" + n + " = neg %v" + n + " : tensor<2xf32>\n  %b" + n + " = sin %v" + n + " : tensor<2xf32>\n";
    text += "  %v" + next + " = add %a" + n + ", %b" + n + " : tensor<2xf32>\n";
  }
  test::Run run = test::run(kPass, text + "  return %v30\n}");
  REQUIRE(run.ok);
  CHECK(run.statistics.find("ops-moved: 90\n") != std::string::npos);
  CHECK(run.statistics.find("weights-derived: 1\n") != std::string::npos);
  CHECK(functions(run.module)[0].body().front().is(GraphOp::Read));
  CHECK(functions(run.module)[0].body().front().next() == functions(run.module)[0].return_op());
}

TEST_CASE("derived weights are computed once, however often they are read and however long their chain is") {
  // Computed at each read the first module would take 2^60 steps; nested calls would not survive the second one.
  for (const auto& [length, reads] : {std::pair{60, 2}, std::pair{50000, 1}}) {
    std::string text = "weight @w0 : tensor<f32>\n";
    for (int i = 1; i <= length; ++i) {
      const std::string before = std::to_string(i - 1);
      text += "weight @w" + std::to_string(i) + " : tensor<f32> = {\n  %0 = read @w" + before + " : tensor<f32>\n";
      text += reads == 2 ? "  %1 = read @w" + before + " : tensor<f32>\n  %2 = maximum %0, %1 : tensor<f32>\n"
                         : "  %2 = neg %0 : tensor<f32>\n";
      text += "  yield %2\n}\n";
    }
    text += "func @f() -> tensor<f32> {\n  %0 = read @w" + std::to_string(length) + " : tensor<f32>\n  return %0\n}";
    const auto context = make_context();
    Module module = test::parse(context, text);
    const auto outputs = interpret(module, "f", {}, {{"w0", Tensor::scalar<float>(2.5F)}});
    REQUIRE(outputs.ok());
    CHECK(outputs->results[0].get_double(0) == 2.5);
  }
}

}  // namespace
}  // namespace mlgc
