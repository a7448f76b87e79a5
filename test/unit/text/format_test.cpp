// The formatter keeps tokens and comments, and is done after one run.
#include "text/format.h"

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

std::string formatted(const std::string& text) {
  LocationTable table;
  DiagnosticEngine diagnostics(table);
  const auto result = format_text(table, table.add_source("f", text), diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(result.has_value());
  return *result;
}

}  // namespace

TEST_CASE("printed programs are formatted already") {
  CHECK(formatted(kSample) == kSample);
  const Parsed parsed(kSample);
  REQUIRE(parsed.module.has_value());
  const std::string generic = formatted(print(*parsed.module, {TextForm::Generic}));
  CHECK(formatted(generic) == generic);
  const Parsed again(generic, false);
  REQUIRE(again.module.has_value());
  CHECK(structural_hash(*again.module) == structural_hash(*parsed.module));
}

TEST_CASE("white space is set right, comments stay") {
  CHECK(formatted("// head  \n\n\n\nfunc   @f( %x :tensor<[B]x4xf32>)->tensor<f32>{ // what\n"
                  "%a=relu   %x{slope=0.5 , b = [ 1,2 ]}:tensor<f32>\n\n\n   // before\n"
                  "if %a{yield}else{\n}\n\nreturn %a   }\n// -----\nfunc @g() { }") ==
        "// head\n\nfunc @f(%x: tensor<[B]x4xf32>) -> tensor<f32> {  // what\n"
        "  %a = relu %x {slope = 0.5, b = [1, 2]} : tensor<f32>\n\n  // before\n"
        "  if %a {\n    yield\n  } else {\n  }\n\n  return %a\n}\n// -----\nfunc @g() { }\n");
}

TEST_CASE("formatting changes nothing but white space, and nothing the second time") {
  const std::string text =
      "module{func @f(%x:tensor<2x3xf32>,\n%y:tensor<f32>){%a=add %x,\n%x // odd\nif %y{yield}\nreturn}}";
  const std::string once = formatted(text);
  CHECK(formatted(once) == once);
  const auto squeezed = [](const std::string& all) {
    std::string kept;
    for (const char c : all)
      if (c != ' ' && c != '\n') kept += c;
    return kept;
  };
  CHECK(squeezed(once) == squeezed(text));
  const Parsed before(text), after(once);
  REQUIRE(before.module.has_value());
  REQUIRE(after.module.has_value());
  CHECK(structural_hash(*before.module) == structural_hash(*after.module));
}

TEST_CASE("what is no token is not formatted") {
  LocationTable table;
  DiagnosticEngine diagnostics(table);
  for (const char* text : {"func ;", "\"open", "%0a", "\xFF"})
    CHECK_FALSE(format_text(table, table.add_source("f", text), diagnostics).has_value());
  CHECK(diagnostics.error_count() == 4);
}
