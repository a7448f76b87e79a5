// Sizes and values of arguments from texts, and what does not fit them.
#include "execution/bind_arguments.h"

#include "diag/kinds_driver.h"
#include "execution/module_data.h"
#include "execution/program.h"

namespace mlgc {
namespace {

const std::string kText =
    "func @f(%x: tensor<[B]x4xf32>, %i: tensor<[B]xi64>) -> tensor<[B]x4xf32> {\n"
    "  %y = neg %x\n"
    "  return %y\n"
    "}\n";

struct Bound {
  std::optional<ArgumentValues> values;
  std::vector<Diagnostic> found;
};
Bound bound(const Module& module, const ArgumentOptions& options) {
  DiagnosticEngine diagnostics(module.context().locations());
  auto values = bind_arguments(find_function(module, "f"), options, diagnostics);
  return {std::move(values), diagnostics.sorted()};
}

}  // namespace

TEST_CASE("a shape that one input states is that of the others too") {
  const Module module = test::loaded("f.mlir", kText);
  const Bound both = bound(module, {.inputs = {"3x4xf32=iota", "i=2,0,1"}, .dims = {}, .random_seed = {}});
  REQUIRE(both.values.has_value());
  REQUIRE(both.values->tensors.size() == 2);
  CHECK(both.values->tensors[0].get_double(11) == 11);
  CHECK(both.values->tensors[1].shape() == Shape{3});
  CHECK(both.values->tensors[1].get_int(0) == 2);
  CHECK(both.values->sizes.has_value());
}

TEST_CASE("arguments without a value are made up, the same for the same seed") {
  const Module module = test::loaded("f.mlir", kText);
  const ArgumentOptions options{.inputs = {}, .dims = {{"B", 5}}, .random_seed = 7};
  CHECK(options.given());
  const Bound one = bound(module, options), two = bound(module, options);
  REQUIRE((one.values && two.values));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(one.values->tensors[i].shape()[0] == 5);
    CHECK(std::ranges::equal(one.values->tensors[i].bytes(), two.values->tensors[i].bytes()));
  }
}

TEST_CASE("what does not fit is reported, and nothing is bound") {
  const Module module = test::loaded("f.mlir", kText);
  const auto kind_of = [&](const ArgumentOptions& options) -> const DiagKind* {
    const Bound wrong = bound(module, options);
    CHECK_FALSE(wrong.values.has_value());
    REQUIRE(!wrong.found.empty());
    return wrong.found[0].kind;
  };
  CHECK(kind_of({.inputs = {"z=1"}, .dims = {}, .random_seed = 1}) == &kUnknownInput);
  CHECK(kind_of({.inputs = {"x=1", "x=2"}, .dims = {{"B", 2}}, .random_seed = 1}) == &kInputGivenTwice);
  CHECK(kind_of({.inputs = {"x=2x5xf32=1"}, .dims = {}, .random_seed = 1}) == &kInputMismatch);
  CHECK(kind_of({.inputs = {"x=nonsense"}, .dims = {}, .random_seed = 1}) == &kBadInputFlag);
  CHECK(kind_of({.inputs = {}, .dims = {{"C", 2}}, .random_seed = 1}) == &kUnknownDim);
  CHECK(kind_of({.inputs = {}, .dims = {}, .random_seed = 1}) == &kUnboundDim);
  CHECK(kind_of({.inputs = {"2x4xf32=1"}, .dims = {}, .random_seed = {}}) == &kMissingInput);
}

TEST_CASE("messages call texts as who gave them does") {
  const Module module = test::loaded("f.mlir", kText);
  const auto said = [&](const ArgumentOptions& options) {
    const Bound wrong = bound(module, options);
    return wrong.found.empty() ? std::string() : wrong.found[0].message();
  };
  CHECK_THAT(said({.inputs = {"x=nonsense"}}), Catch::Matchers::StartsWith("`x=nonsense`: "));
  CHECK_THAT(said({.inputs = {"x=nonsense"}, .before_input = "--input="}),
             Catch::Matchers::StartsWith("`--input=x=nonsense`: "));
  CHECK_THAT(said({.dims = {{"C", 2}}}), Catch::Matchers::StartsWith("`C=2`: no argument of `@f` has a size `C`"));
  CHECK_THAT(said({.dims = {{"C", 2}}, .before_dim = "--dim="}), Catch::Matchers::StartsWith("`--dim=C=2`: "));
}

TEST_CASE("weights are made up, or missing") {
  const Module module = test::sample("mlp.mlir");
  DiagnosticEngine diagnostics(module.context().locations());
  const auto made = load_data(module, {.weights = "", .random_seed = 3}, {}, {}, diagnostics);
  REQUIRE(made.has_value());
  CHECK(made->at("fc0.weight").shape() == Shape{16, 8});
  CHECK_FALSE(load_data(module, {.weights = "no.safetensors"}, {}, {}, diagnostics).has_value());
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted()[0].kind == &kCannotRead);
}

}  // namespace mlgc
