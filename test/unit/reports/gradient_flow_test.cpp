// Which values have a gradient, by which way, and where it ends.
#include "reports/gradient_flow.h"

#include "parsed_module.h"

using namespace mlgc;

namespace {

constexpr std::string_view kText = R"(weight @w : tensor<3xf32>
func @f(%x: tensor<3xf32>, %n: tensor<3xf32>, %unused: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %g = read @w : tensor<3xf32>
  %y = mul %x, %g : tensor<3xf32>
  %sign = sign %n : tensor<3xf32>
  %z = mul %y, %sign : tensor<3xf32>
  %loss = sum %z : tensor<f32>
  return %loss, %sign
}
)";

}  // namespace

TEST_CASE("a gradient flows from the result by the shortest way, and ends at what has no slope") {
  const test::ParsedModule parsed(kText);
  DiagnosticEngine diagnostics(parsed.context->locations());
  const auto flow = find_gradient_flow(parsed.module, "f", {"loss"}, {}, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(flow);
  CHECK(flow->of == std::vector<std::string>{"loss"});
  REQUIRE(flow->sources.size() == 4);
  const GradientFlow::Source& x = flow->sources[0];
  CHECK(x.name == "x");
  CHECK(x.has_gradient);
  CHECK(x.length == 3);
  REQUIRE(x.path.size() == 3);
  CHECK(x.path[0].name == "mul");
  CHECK(x.path[2].name == "sum");
  const GradientFlow::Source& n = flow->sources[1];
  CHECK_FALSE(n.has_gradient);
  REQUIRE(n.ends.size() == 1);
  CHECK(n.ends[0].op.name == "sign");
  CHECK(n.ends[0].op.place == "test.mlir:5:11");
  CHECK(flow->sources[2].reason == "no result depends on it");
  CHECK(flow->sources[3].name == "@w");
  CHECK(flow->sources[3].has_gradient);
  CHECK(find_function(parsed.module, "f_ways").valid() == false);
}

TEST_CASE("a result that does not exist is an error") {
  const test::ParsedModule parsed(kText);
  DiagnosticEngine diagnostics(parsed.context->locations());
  CHECK_FALSE(find_gradient_flow(parsed.module, "f", {"gain"}, {}, diagnostics));
  CHECK(diagnostics.has_errors());
}
