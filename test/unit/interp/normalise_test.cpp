// What composites promise beside their examples: 16-bit floats are rounded once, and masks broadcast like operands.
#include "interp/evaluate_op.h"
#include "tensor/random.h"

using namespace mlgc;

TEST_CASE("what a norm keeps between its statements is not rounded to 16 bits") {
  auto context = make_context();
  Tensor x = Tensor::zeros(Dtype::F32, {2, 64});
  fill_random(x, 5);
  // A mean that 16 bits hold badly: rounding it would move every element.
  for (float& v : x.mutable_data<float>()) v = v * 0.125F + 300.0F;
  const Tensor half = x.cast(Dtype::F16);
  const Tensor got = test::evaluate_op(*context, "layer_norm", {half}, "{normalized_shape = [64]}")[0];
  const Tensor want = test::evaluate_op(*context, "layer_norm", {half}, "{normalized_shape = [64]}", Precision::F64)[0];
  REQUIRE(got.dtype() == Dtype::F16);
  for (std::int64_t i = 0; i < got.size(); ++i) CHECK(got.get_double(i) == Approx(want.get_double(i)).margin(2e-3));
}

TEST_CASE("masks of attention broadcast over queries and heads") {
  auto context = make_context();
  Tensor q = Tensor::zeros(Dtype::F32, {2, 3, 4, 5}), k = Tensor::zeros(Dtype::F32, {2, 3, 6, 5});
  fill_random(q, 1);
  fill_random(k, 2);
  Tensor narrow = Tensor::zeros(Dtype::I1, {2, 1, 1, 6}), wide = Tensor::zeros(Dtype::I1, {2, 3, 4, 6});
  for (std::int64_t i = 0; i < wide.size(); ++i) {
    const std::int64_t batch = i / 72, key = i % 6;
    const bool seen = batch == 0 ? key < 3 : key > 4;
    wide.set_int(i, seen);
    narrow.set_int(batch * 6 + key, seen);
  }
  const Tensor a = test::evaluate_op(*context, "scaled_dot_product_attention", {q, k, k, narrow}, "")[0];
  const Tensor b = test::evaluate_op(*context, "scaled_dot_product_attention", {q, k, k, wide}, "")[0];
  CHECK(a == b);
}
