// The tables of lib/aten: rows that they name exist, and a reason covers what it says and nothing beside it.
#include "aten/known_differences.h"

#include <limits>
#include <memory>

#include "aten/aten_overloads.h"
#include "diag/kinds_interp.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"

namespace mlgc {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// An op of a row on operands, with the attributes of `{…}`.
class OneOp {
 public:
  OneOp(std::string_view row, std::vector<Tensor> operands, std::string_view attributes = "")
      : context_(make_context()), module_(context_), operands_(std::move(operands)) {
    const Opcode opcode = context_->find_op(row);
    REQUIRE(opcode != Opcode::Invalid);
    Builder builder(module_);
    const RegionRef body = builder.func("f", {}).region(0);
    builder.set_end(body);
    std::vector<Value> values;
    std::vector<Type> types;
    for (const Tensor& t : operands_) {
      std::vector<IndexExpr> dims;
      for (const std::int64_t size : t.shape()) dims.push_back(context_->index().constant(size));
      types.push_back(context_->types().tensor(t.dtype(), dims));
      values.push_back(body.add_argument(types.back()));
    }
    const auto attrs = parse_example_attributes(*context_, context_->def(opcode), attributes);
    REQUIRE(attrs.ok());
    const auto results = infer_types(*context_, opcode, types, *attrs);
    REQUIRE(results.ok());
    op_ = builder.create(opcode, values, *attrs, *results);
    values_ = *check_attributes(*context_, context_->def(opcode), *attrs);
  }
  [[nodiscard]] OpRun run() const { return {op_, operands_, values_}; }

 private:
  std::shared_ptr<Context> context_;
  Module module_;
  std::vector<Tensor> operands_;
  OpRef op_;
  AttrValues values_;
};

// A result that is wrong in numbers, in NaN or in infinities.
Difference of_numbers() {
  Difference d;
  d.dtype = Dtype::F32;
  d.elements = 4;
  d.exceeding = d.unequal = 1;
  return d;
}
Difference of_nan() {
  Difference d = of_numbers();
  d.exceeding = 0;
  d.nan_mismatches = 1;
  return d;
}
Difference of_integers() {
  Difference d = of_numbers();
  d.dtype = Dtype::I64;
  return d;
}

Tensor floats(std::initializer_list<float> values) {
  return Tensor::from_values<float>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor whole(std::initializer_list<std::int64_t> values) {
  return Tensor::from_values<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

bool known(const OneOp& op, const Difference& d, std::size_t result = 0) {
  return !known_difference(op.run(), result, d).empty();
}

TEST_CASE("overloads are those of ops that there are") {
  const std::shared_ptr<Context> context = make_context();
  std::size_t overloads = 0;
  for (const OpDef* def : context->ops())
    for (const AtenOverload& overload : aten_overloads_of(def->name)) {
      INFO(def->name);
      CHECK(overload.aten.starts_with("aten::"));
      CHECK(why_no_overload(def->name).empty());
      ++overloads;
    }
  CHECK(overloads == 30);  // of the table: none names an op that is not there
  CHECK(number_for_word("reduction", "sum") == 2);
  CHECK(number_for_word("reduction", "most") == -1);
}

TEST_CASE("bounds that do not ascend excuse places, and nothing else") {
  const OneOp unordered("bucketize", {floats({1, 2}), floats({3, 1, 2})});
  const OneOp ordered("bucketize", {floats({1, 2}), floats({1, 2, 3})});
  const OneOp nan("bucketize", {floats({1, 2}), floats({1, static_cast<float>(kNaN), 3})});
  CHECK(known(unordered, of_integers()));
  CHECK(known(nan, of_integers()));
  CHECK_FALSE(known(ordered, of_integers()));
  // 2^63 - 1 and 2^63 - 2 are one number as floats.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(known(OneOp("bucketize", {whole({1, 2}), whole({kMost, kMost - 1, kMost})}), of_integers()));
}

TEST_CASE("writing an element twice excuses a scatter, writing a row each does not") {
  const Tensor x = Tensor::zeros(Dtype::F32, {2, 3}), src = Tensor::zeros(Dtype::F32, {2, 1});
  const Tensor apart = Tensor::from_values<std::int64_t>({2, 1}, {1, 1});
  CHECK_FALSE(known(OneOp("scatter", {x, apart, src}, "{dim = 1}"), of_numbers()));
  CHECK(known(OneOp("scatter", {x, apart, src}, "{dim = 0}"), of_numbers()));  // both in row 1
  const Tensor twice = Tensor::from_values<std::int64_t>({2, 2}, {1, 1, 0, 2});
  CHECK(known(OneOp("scatter", {x, twice, Tensor::zeros(Dtype::F32, {2, 2})}, "{dim = 1}"), of_numbers()));
}

TEST_CASE("extreme numbers excuse sums, not what moves or chooses elements") {
  const Tensor huge = floats({1e30F, 1, 2, 3});
  CHECK(known(OneOp("sum", {huge}), of_numbers()));
  CHECK_FALSE(known(OneOp("sum", {floats({1, 2, 3, 4})}), of_numbers()));
  CHECK_FALSE(known(OneOp("flip", {huge}, "{dims = [0]}"), of_numbers()));
  CHECK_FALSE(known(OneOp("amax", {huge}), of_numbers()));
  CHECK_FALSE(known(OneOp("softmax", {huge}, "{dim = 0}"), of_numbers()));
  CHECK_FALSE(known(OneOp("exp", {huge}), of_numbers()));
}

TEST_CASE("a reason covers the symptoms that it names") {
  const Tensor infinite = Tensor::from_values<float>({2, 2}, {1, std::numeric_limits<float>::infinity(), 3, 4});
  const OneOp norm("layer_norm", {infinite}, "{normalized_shape = [2]}");
  CHECK(known(norm, of_nan()));
  CHECK_FALSE(known(norm, of_numbers()));
  const OneOp variance("var", {floats({1, 2, 3, 4})}, "{correction = 1}");
  Difference d = of_nan();
  d.elements = 1;
  CHECK_FALSE(known(variance, d));
  CHECK(known(OneOp("var", {floats({1, 2, 3, 4})}, "{correction = 4}"), d));
}

TEST_CASE("attention over nothing excuses the batch of the queries, and no other type") {
  const auto attend = [](std::initializer_list<Shape> shapes) {
    std::vector<Tensor> operands;
    for (const Shape& shape : shapes) operands.push_back(Tensor::zeros(Dtype::F32, shape));
    return OneOp("scaled_dot_product_attention", operands);
  };
  const auto known_type = [](const OneOp& op) { return !known_type_difference(op.run()).empty(); };
  CHECK(known_type(attend({{0, 0}, {4, 0, 0}, {0, 0}})));
  CHECK(known_type(attend({{2, 3}, {4, 0, 3}, {4, 0, 3}})));
  CHECK(known_type(attend({{0, 3}, {2, 3}, {2, 3}, {4, 0, 2}})));
  // Nothing is empty: ATen broadcasts as here.
  CHECK_FALSE(known_type(attend({{2, 3}, {4, 2, 3}, {2, 3}})));
  // The result has the batch of the queries here too.
  CHECK_FALSE(known_type(attend({{4, 0, 3}, {4, 2, 3}, {4, 2, 5}})));
  CHECK_FALSE(known_type(attend({{4, 0, 3}, {2, 3}, {1, 2, 5}})));
  CHECK_FALSE(known_type(OneOp("matmul", {Tensor::zeros(Dtype::F32, {0, 3}), Tensor::zeros(Dtype::F32, {4, 3, 2})})));
}

TEST_CASE("derivatives of digamma differ at poles, in the last digits of f64 and at infinity, each as ATen's does") {
  Difference infinite = of_numbers();
  infinite.exceeding = 0;
  infinite.inf_mismatches = 1;
  const auto apart = [](Dtype dtype, double relative) {
    Difference d = of_numbers();
    d.dtype = dtype;
    d.relative.max = relative;
    return d;
  };
  const auto polygamma = [](const Tensor& x, const char* n) { return OneOp("polygamma", {x}, n); };
  CHECK(known(polygamma(floats({-3}), "{n = 1}"), infinite));
  CHECK(known(polygamma(whole({-3, 2}), "{n = 1}"), infinite));
  CHECK_FALSE(known(polygamma(floats({-3.5, 0}), "{n = 1}"), infinite));
  CHECK_FALSE(known(polygamma(whole({0, 2}), "{n = 1}"), infinite));
  CHECK_FALSE(known(polygamma(floats({-3}), "{n = 2}"), infinite));
  CHECK_FALSE(known(polygamma(floats({-3}), "{n = 1}"), of_nan()));
  CHECK(known(polygamma(floats({-1.5e38F}), "{n = 1}"), of_nan()));

  const Tensor x = floats({1.25F, -3}).to_f64();
  CHECK(known(polygamma(x, "{n = 1}"), apart(Dtype::F64, 5e-10)));
  CHECK_FALSE(known(polygamma(x, "{n = 1}"), apart(Dtype::F64, 2e-9)));
  CHECK_FALSE(known(polygamma(x, "{n = 1}"), apart(Dtype::F32, 5e-10)));
  CHECK_FALSE(known(polygamma(x, "{n = 2}"), apart(Dtype::F64, 5e-10)));

  const Tensor limit = floats({std::numeric_limits<float>::infinity()});
  CHECK(known(polygamma(limit, "{n = 2}"), of_nan()));
  CHECK_FALSE(known(polygamma(limit, "{n = 1}"), of_nan()));
  CHECK_FALSE(known(polygamma(floats({3}), "{n = 2}"), of_nan()));
}

TEST_CASE("a refusal is known by its kind") {
  const OneOp pool("max_pool1d", {Tensor::zeros(Dtype::F32, {1, 1, 1})},
                   "{kernel_size = [2], stride = [1], padding = [1], dilation = [2]}");
  CHECK_FALSE(known_refusal(pool.run(), kReadOutOfRange).empty());
  CHECK(known_refusal(pool.run(), kEmptyExtremum).empty());
  CHECK(known_refusal(OneOp("exp", {floats({1})}).run(), kReadOutOfRange).empty());
}

TEST_CASE("ATen is not called where it reads outside its memory or ends the process") {
  const Tensor weight = Tensor::zeros(Dtype::F32, {3, 2});
  CHECK(why_not_called(OneOp("embedding_bag", {weight, whole({0, 2, 1}), whole({0, 2})}).run()).empty());
  CHECK_FALSE(why_not_called(OneOp("embedding_bag", {weight, whole({0, 3, 1}), whole({0, 2})}).run()).empty());
  CHECK_FALSE(why_not_called(OneOp("embedding_bag", {weight, whole({0, 2, 1}), whole({1, 2})}).run()).empty());
  const Tensor least = whole({std::numeric_limits<std::int64_t>::min(), 4});
  CHECK_FALSE(why_not_called(OneOp("trunc_divide", {least, whole({-1, 2})}).run()).empty());
  CHECK(why_not_called(OneOp("trunc_divide", {least, whole({1, 2})}).run()).empty());
  CHECK_FALSE(why_not_called(OneOp("trunc_divide", {least}, "{other = -1}").run()).empty());
  CHECK(why_not_called(OneOp("trunc_divide", {least}, "{other = 2}").run()).empty());
  // 2^63 mod 5 is 3, 5 mod -3 is 2, -3 mod 2 is -1: ATen's greatest divisor of them.
  CHECK_FALSE(why_not_called(OneOp("lcm", {least, whole({3, 5})}).run()).empty());
  CHECK_FALSE(why_not_called(OneOp("lcm", {least}, "{other = 5}").run()).empty());
  CHECK(why_not_called(OneOp("lcm", {least, whole({4, -1})}).run()).empty());
  CHECK(why_not_called(OneOp("lcm", {whole({3, 5}), least}).run()).empty());
  const auto narrow = [](const Tensor& t) { return t.cast(Dtype::I8); };
  CHECK(why_not_called(OneOp("lcm", {narrow(whole({-128})), narrow(whole({5}))}).run()).empty());
}

}  // namespace
}  // namespace mlgc
