// What is drawn for functions: sizes under their constraints, values that fit their use, the same each time.
#include <cmath>

#include "check/draw_inputs.h"
#include "interp/interpret_module.h"
#include "transforms/program.h"

namespace mlgc {
namespace {

struct Drawn {
  std::shared_ptr<Context> context = make_context();
  Module module;
  explicit Drawn(std::string_view text) : module(test::parse(context, text)) {}
  [[nodiscard]] FuncRef f() const { return find_function(module, "f"); }
  [[nodiscard]] std::int64_t size(const SymbolValues& values, std::string_view name) const {
    return values.find(*context->index().as_atom(context->index().symbol(name))).value_or(-1);
  }
};

TEST_CASE("sizes are the smallest, ones, odd and larger ones, under the constraints") {
  const Drawn d(
      "func @f(%x: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> where 2 <= B <= 6, B mod 2 == 0 {\n  return %x\n}");
  const auto sizes = draw_sizes(d.f());
  REQUIRE(sizes.ok());
  REQUIRE(sizes->size() >= 3);
  CHECK(d.size(sizes->front(), "B") == 2);
  CHECK(d.size(sizes->front(), "S") == 0);
  bool one = false, odd = false;
  for (const SymbolValues& values : *sizes) {
    CHECK(d.size(values, "B") % 2 == 0);
    CHECK(d.size(values, "B") >= 2);
    CHECK(d.size(values, "B") <= 6);
    one = one || d.size(values, "S") == 1;
    odd = odd || (d.size(values, "S") > 1 && d.size(values, "S") % 2 == 1);
  }
  CHECK(one);
  CHECK(odd);
}

TEST_CASE("a size may be defined by another one, and a large modulus is met") {
  const Drawn d(
      "func @f(%x: tensor<[B]x[T]xf32>, %s: tensor<[S]xf32>) -> tensor<[B]x[T]xf32> where B mod 128 == 0, 1 <= B, T == "
      "2*S {\n  return %x\n}");
  const auto sizes = draw_sizes(d.f());
  REQUIRE(sizes.ok());
  for (const SymbolValues& values : *sizes) {
    CHECK(d.size(values, "B") % 128 == 0);
    CHECK(d.size(values, "B") >= 128);
    CHECK(d.size(values, "T") == 2 * d.size(values, "S"));
  }
}

TEST_CASE("draws are made for the sizes that are asked for, and share their weights") {
  const Drawn d(
      "weight @w : tensor<4xf32>\nfunc @f(%x: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> {\n  %w = read @w\n  %y = add "
      "%x, "
      "%w\n  return %y\n}");
  const auto sizes = draw_sizes(d.f());
  REQUIRE(sizes.ok());
  REQUIRE(sizes->size() > 1);
  const SymbolValues chosen = (*sizes)[1];
  const auto draws = draw_inputs(d.f(), {.sizes = std::vector{chosen}});
  REQUIRE(draws.ok());
  REQUIRE(draws->size() == 4);  // one of each kind
  for (const Draw& draw : *draws) {
    CHECK(draw.sizes == sizes_text(d.f(), chosen));
    CHECK(draw.data.at("w").bytes().data() == draws->front().data.at("w").bytes().data());
  }
}

TEST_CASE("what has no feasible sizes is refused") {
  const Drawn d("func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> where N <= 3, N mod 7 == 5 {\n  return %x\n}");
  CHECK(draw_inputs(d.f(), {}).error() == "no sizes that satisfy its `where` clause were found");
}

TEST_CASE("too many elements are refused") {
  const Drawn d("func @f(%x: tensor<100x100xf32>) -> tensor<100x100xf32> {\n  return %x\n}");
  CHECK(draw_inputs(d.f(), {.max_elements = 9999}).error() == "its inputs and weights hold more than 9999 elements");
  CHECK(draw_inputs(d.f(), {.max_elements = 10000}).ok());
}

TEST_CASE("integers that index something lie within it, variances are not negative") {
  Drawn d(
      R"(func @f(%table: tensor<3x2xf32>, %i: tensor<50xi64>, %j: tensor<50xi32>, %d: tensor<50xi64>, %free: tensor<50xi64>, %var: tensor<2xf32>, %x: tensor<50x2xf32>, %w: tensor<2xf32>) -> (tensor<50x2xf32>, tensor<50x2xf32>, tensor<50xi64>, tensor<50x2xf32>) {
  %0 = embedding %table, %i
  %next = add %j {other = 1}
  %wide = cast %next {dtype = i64}
  %1 = index_select %table, %wide {dim = 0}
  %2 = floor_divide %free, %d
  %3 = batch_norm %x, %w, %var, %w, %w {eps = 1.0e-5}
  return %0, %1, %2, %3
})");
  const auto draws = draw_inputs(d.f(), {.seed = 5});
  REQUIRE(draws.ok());
  REQUIRE(draws->size() == 4);
  for (const Draw& draw : *draws) {
    for (std::int64_t i = 0; i < 50; ++i) {
      CHECK(draw.inputs[1].get_int(i) >= 0);
      CHECK(draw.inputs[1].get_int(i) < 3);
      CHECK(draw.inputs[2].get_int(i) >= -1);
      CHECK(draw.inputs[2].get_int(i) < 2);
      CHECK(draw.inputs[3].get_int(i) >= 1);
    }
    for (std::int64_t i = 0; i < 2; ++i) CHECK_FALSE(draw.inputs[5].get_double(i) < 0);
    CHECK(interpret(d.module, "f", draw.inputs, draw.data).ok());
  }
}

TEST_CASE("the same seed draws the same, another seed something else") {
  const Drawn d("func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> where 1 <= N {\n  return %x\n}");
  const auto a = draw_inputs(d.f(), {.seed = 7}), b = draw_inputs(d.f(), {.seed = 7}),
             c = draw_inputs(d.f(), {.seed = 8});
  REQUIRE(a.ok());
  bool other = false;
  for (std::size_t i = 0; i < a->size(); ++i) {
    const auto x = (*a)[i].inputs[0].bytes(), y = (*b)[i].inputs[0].bytes(), z = (*c)[i].inputs[0].bytes();
    CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end()));
    other = other || !std::equal(x.begin(), x.end(), z.begin(), z.end());
  }
  CHECK(other);
}

TEST_CASE("not-finite values are there unless they are not wanted") {
  const Drawn d("func @f(%x: tensor<64xf32>) -> tensor<64xf32> {\n  return %x\n}");
  const auto count = [&](bool non_finite) {
    std::size_t found = 0;
    const auto draws = draw_inputs(d.f(), {.non_finite = non_finite});
    for (const Draw& draw : *draws)
      for (std::int64_t i = 0; i < 64; ++i) found += std::isfinite(draw.inputs[0].get_double(i)) ? 0 : 1;
    return found;
  };
  CHECK(count(false) == 0);
  CHECK(count(true) > 4);
}

TEST_CASE("weights behind derived weights and calls get data") {
  Drawn d(R"(weight @w : tensor<2x2xf32>
weight @v : tensor<2x2xf32> = {
  %w = read @w : tensor<2x2xf32>
  %0 = neg %w
  yield %0
}
weight @unread : tensor<2x2xf32>
func @g(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %v = read @v : tensor<2x2xf32>
  %0 = add %x, %v
  return %0
}
func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = call @g, %x : tensor<2x2xf32>
  return %0
})");
  const auto draws = draw_inputs(d.f(), {});
  REQUIRE(draws.ok());
  CHECK(draws->front().data.contains("w"));
  CHECK_FALSE(draws->front().data.contains("unread"));
  CHECK(interpret(d.module, "f", draws->front().inputs, draws->front().data).ok());
}

}  // namespace
}  // namespace mlgc
