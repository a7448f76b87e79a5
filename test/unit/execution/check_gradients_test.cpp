// Gradients that a pipeline makes, compared with differences.
#include "execution/check_gradients.h"

#include "execution/program.h"

namespace mlgc {
namespace {

GradientCheckRequest request_of(const std::string& after = "") {
  GradientCheckRequest request;
  request.function = "f";
  request.straighten = "inline{segments=true fusions=true keep-gradients=true}";
  request.pipeline = [straighten = request.straighten, after](const FuncRef&) {
    return straighten + ",grad{function=f}" + after;
  };
  request.arguments.inputs = {"2x4xf32=rand:seed=1,lo=0.5,hi=1.5"};
  return request;
}

const std::string kLoss =
    "func @f(%x: tensor<[B]x4xf32>) -> tensor<f32> {\n"
    "  %e = exp %x\n"
    "  %y = mul %e, %x\n"
    "  %s = sum %y {dim = [0, 1]}\n"
    "  return %s\n"
    "}\n";

}  // namespace

TEST_CASE("every adjoint of a function is compared, on the inputs that are given") {
  const Module module = test::loaded("f.mlir", kLoss);
  DiagnosticEngine diagnostics(module.context().locations());
  const auto checked = check_gradients(module, {}, request_of(), diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(checked.has_value());
  CHECK_FALSE(diagnostics.has_errors());
  CHECK(checked->function == "f");
  CHECK(checked->inputs == "the inputs that were given");
  CHECK(checked->values.size() == 1);
}

TEST_CASE("a gradient that a pass has spoilt is an error") {
  const Module module = test::loaded("f.mlir", kLoss);
  DiagnosticEngine diagnostics(module.context().locations());
  const auto checked = check_gradients(module, {}, request_of(",replace-op{from=mul to=add}"), diagnostics);
  REQUIRE(checked.has_value());
  CHECK(diagnostics.exit_code() == ExitCode::Mismatch);
}

}  // namespace mlgc
