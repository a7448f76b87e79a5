// Whatever label becomes the lanes of a strip, and however far apart the elements then lie, every element is written
// once, where it belongs, rounded to its dtype.
#include "interp/evaluate_op.h"
#include "tensor/random.h"

using namespace mlgc;

TEST_CASE("every element of an elementwise op has its place, on shapes with long and short axes") {
  auto context = make_context();
  // Strips along the last axis, a middle one, the first, and over several strips.
  for (const Shape& shape : {Shape{3, 60}, Shape{70, 3}, Shape{2, 70, 3}, Shape{300, 2, 60, 3}, Shape{5, 4}, Shape{}})
    for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::F64, Dtype::I8, Dtype::I64}) {
      Tensor x = Tensor::zeros(dtype, shape), y = Tensor::zeros(dtype, shape);
      fill_random(x, 1);
      fill_random(y, 2);
      const Tensor got = test::evaluate_op(*context, "mul", {x, y}, "")[0];
      REQUIRE(got.shape() == shape);
      bool equal = true;
      for (std::int64_t i = 0; i < got.size(); ++i) {
        Tensor want = Tensor::zeros(dtype, {});
        if (is_float(dtype))
          want.set_double(0, x.get_double(i) * y.get_double(i));
        else
          want.set_int(0, dtype == Dtype::I8 ? static_cast<std::int8_t>(x.get_int(i) * y.get_int(i))
                                             : x.get_int(i) * y.get_int(i));
        equal = equal && got.get_double(i) == want.get_double(0);
      }
      INFO(dtype_info(dtype).name << " of rank " << shape.size());
      CHECK(equal);
    }
}

TEST_CASE("strips that go through memory in steps, forward and backward") {
  auto context = make_context();
  Tensor x = Tensor::zeros(Dtype::F32, {4, 70, 3});
  fill_random(x, 3);
  const Tensor turned = test::evaluate_op(*context, "permute", {x}, "{dims = [2, 0, 1]}")[0];
  const Tensor back = test::evaluate_op(*context, "flip", {x}, "{dims = [1]}")[0];
  bool equal = true;
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 70; ++j)
      for (std::int64_t k = 0; k < 3; ++k) {
        const double value = x.get_double((i * 70 + j) * 3 + k);
        equal = equal && turned.get_double((k * 4 + i) * 70 + j) == value;
        equal = equal && back.get_double((i * 70 + 69 - j) * 3 + k) == value;
      }
  CHECK(equal);
}
