// Values of a run, handed to whoever asks for them.
#include "execution/value_printer.h"

#include "diag/kinds_driver.h"
#include "execution/program.h"

namespace mlgc {
namespace {

struct Printed {
  std::string text;
  Status<> finished;
};
Printed printed(Module& module, const std::vector<std::string>& names, bool json, bool fails = false) {
  std::string text;
  ValuePrinterOptions options;
  options.json = json;
  options.write = [&](std::string_view part) -> Status<> {
    if (fails) return Failure<std::string>{"the disk is full"};
    text += part;
    return {};
  };
  auto printer = ValuePrinter::make(module, names, options);
  REQUIRE(printer.ok());
  InterpretOptions run;
  printer->watch(run);
  const std::vector<Tensor> inputs{Tensor::splat(Dtype::F32, {2}, 0.5)};
  REQUIRE(interpret(module, "f", inputs, {}, run).ok());
  Status<> finished = printer->finish();
  return {text, std::move(finished)};
}

const std::string kSteps =
    "func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %h = neg %x\n"
    "  %y = add %h, %x\n"
    "  return %y\n"
    "}\n";

}  // namespace

TEST_CASE("values are printed in the order of the run, all of them or those that are named") {
  Module module = test::loaded("f.mlir", kSteps);
  CHECK(printed(module, {}, false).text ==
        "%x = argument : 2xf32\n[0.5, 0.5]\n%h = neg : 2xf32\n[-0.5, -0.5]\n%y = add : 2xf32\n[0.0, 0.0]\n");
  CHECK(printed(module, {"%h"}, true).text ==
        R"({"value":"%h","op":"neg","in":["@f"],"dtype":"f32","shape":[2],"elements":[-0.5,-0.5]})"
        "\n");
}

TEST_CASE("a value that there is not, and text that cannot be written, are errors") {
  Module module = test::loaded("f.mlir", kSteps);
  const auto unknown = ValuePrinter::make(module, {"%z"}, {});
  REQUIRE(!unknown);
  CHECK(unknown.error().kind == &kUnknownValue);
  const Status<> failed = printed(module, {}, false, true).finished;
  REQUIRE(!failed);
  CHECK(failed.error() == "the disk is full");
}

}  // namespace mlgc
