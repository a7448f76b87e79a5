// What sorts in n log n gives what the formulas of `sort` and `topk` say by counting.
#include "interp/sorted.h"

#include <algorithm>
#include <array>
#include <limits>

#include "interp/evaluate_op.h"
#include "tensor/random.h"

using namespace mlgc;

namespace {

// Few values, so that many are equal, and all that are special.
Tensor sample(Dtype dtype, const Shape& shape, std::uint64_t seed) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array kValues{0.0, -0.0, 1.0, -1.0, 2.5, kInf, -kInf, kNan};
  PhiloxStream stream(seed);
  Tensor out = Tensor::zeros(dtype, shape);
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const auto n = static_cast<std::size_t>(stream.next_int(0, 7));
    if (is_float(dtype))
      out.set_double(i, kValues[n]);
    else
      out.set_int(i, static_cast<std::int64_t>(n) - 3);
  }
  return out;
}

void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].type_string() == b[i].type_string());
    CHECK(std::ranges::equal(a[i].bytes(), b[i].bytes()));
  }
}

}  // namespace

TEST_CASE("sorting is what the formulas of sort and topk say") {
  const auto context = make_context();
  std::uint64_t seed = 0;
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F64, Dtype::I8, Dtype::I64})
    for (const Shape& shape : {Shape{9}, Shape{3, 7}, Shape{2, 5, 4}, Shape{0}, Shape{3, 0}, Shape{0, 3}, Shape{1}})
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        for (const bool descending : {false, true}) {
          const Tensor x = sample(dtype, shape, ++seed);
          const std::string dim = "dim = " + std::to_string(axis);
          const std::string flag = descending ? "true" : "false";
          check_same(sorted(x, {axis, descending, shape[axis]}, dtype),
                     test::evaluate_op(*context, "sort", {x}, "{" + dim + ", descending = " + flag + "}"));
          const std::int64_t k = shape[axis] / 2;
          check_same(sorted(x, {axis, descending, k}, dtype),
                     test::evaluate_op(*context, "topk", {x},
                                       "{" + dim + ", k = " + std::to_string(k) + ", largest = " + flag + "}"));
        }
}
