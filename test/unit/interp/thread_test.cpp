// Six formulas that stress the language in different ways, through instantiation, printing, reading back, evaluation.
#include "formula/instantiate.h"
#include "interp/evaluate_formula.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Fixture {
  IndexPool index;
  FormulaPool pool{index};
  IndexExpr c(std::int64_t v) { return index.constant(v); }
  IndexExpr s(const char* name) { return index.symbol(name); }
  AttrValue list(std::initializer_list<std::int64_t> values) {
    std::vector<IndexExpr> out;
    for (std::int64_t v : values) out.push_back(c(v));
    return out;
  }
  FormulaOperand f32(const char* name, std::vector<IndexExpr> shape) {
    return {name, true, Dtype::F32, std::move(shape)};
  }
  Formula make(std::string_view text, const std::vector<FormulaOperand>& operands, const AttrValues& attrs = {},
               const std::vector<std::string>& results = {}) {
    auto f = instantiate_text(pool, text, operands, attrs, results);
    if (!f) FAIL(f.error().message());
    auto problem = check_formula(pool, *f);
    if (problem) FAIL(*problem << "\n" << print_formula(pool, *f));
    // What is printed reads back as the same text.
    const std::string printed = print_formula(pool, *f);
    std::vector<std::string> names;
    for (TensorId r : f->results()) names.push_back(f->tensor(r).name);
    auto again = instantiate_text(pool, printed, operands, {}, names);
    if (!again) FAIL(again.error().message() << "\n" << printed);
    CHECK(print_formula(pool, *again) == printed);
    return *f;
  }
  std::vector<Tensor> run(const Formula& f, std::vector<Tensor> inputs) {
    auto r = evaluate(pool, f, inputs);
    if (!r) FAIL(r.error().message());
    return *r;
  }
};

std::vector<double> values(const Tensor& t) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.get_double(i));
  return out;
}

Tensor iota(Shape shape, double start = 0, double step = 1) {
  Tensor t = Tensor::zeros(Dtype::F32, shape);
  auto d = t.mutable_data<float>();
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<float>(start + step * static_cast<double>(i));
  return t;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "add broadcasts from the right, size 1 and missing dims alike") {
  const Formula f = make("a + alpha*b", {f32("a", {s("B"), c(3)}), f32("b", {c(1), c(3)})}, {{{"alpha", 2.0}}});
  CHECK(print_formula(pool, f) == "y[b0, b1] = a[b0, b1] + 2.0*b[0, b1] over b0 < [B], b1 < 3");
  CHECK(values(run(f, {iota({2, 3}), iota({1, 3})})[0]) == std::vector<double>{0, 3, 6, 3, 6, 9});
}

TEST_CASE_METHOD(Fixture, "matmul with a dynamic batch") {
  const Formula f = make("y[B.., m, n] = sum[k](a[B.., m, k]*b[B.., k, n])",
                         {f32("a", {s("B"), c(2), c(3)}), f32("b", {c(3), c(2)})});
  CHECK(print_formula(pool, f) == "y[b0, m, n] = sum[k](a[b0, m, k]*b[k, n]) over b0 < [B], m < 2, n < 2, k < 3");
  CHECK(values(run(f, {iota({1, 2, 3}), iota({3, 2})})[0]) == std::vector<double>{10, 13, 28, 40});
}

TEST_CASE_METHOD(Fixture, "shape errors name the index label and both places") {
  auto f =
      instantiate_text(pool, "y[m, n] = sum[k](a[m, k]*b[k, n])", {f32("a", {c(2), c(64)}), f32("b", {c(65), c(2)})});
  REQUIRE(!f);
  CHECK(f.error().message() == "extent `k` is 64 (operand `a`, axis 1) and 65 (operand `b`, axis 0)");
  auto g = instantiate_text(pool, "a + b", {f32("a", {s("B")}), f32("b", {s("S")})});
  REQUIRE(!g);
  CHECK(g.error().message() ==
        "extent `B[0]` is B (operand `a`, axis 0) and S (operand `b`, axis 0), which may differ");
}

TEST_CASE_METHOD(Fixture, "conv2d with stride, padding, bias and symbolic sizes") {
  const char* text =
      "y[n, o, h, w] = sum[c, p, q](x[n, (o // (#o // groups))*#c + c, h*stride.0 + p*dilation.0 - padding.0, "
      "w*stride.1 + q*dilation.1 - padding.1]?0*k[o, c, p, q]) + b[o] "
      "where h = (dim(x, 2) + 2*padding.0 - dilation.0*(#p - 1) - 1) // stride.0 + 1, "
      "w = (dim(x, 3) + 2*padding.1 - dilation.1*(#q - 1) - 1) // stride.1 + 1";
  const AttrValues attrs{
      {{"stride", list({2, 1})}, {"padding", list({1, 0})}, {"dilation", list({1, 1})}, {"groups", c(1)}}};
  const Formula f =
      make(text, {f32("x", {s("N"), c(2), s("H"), c(4)}), f32("k", {c(3), c(2), c(3), c(2)}), f32("b", {c(3)})}, attrs);
  CHECK(index.print(f.tensor(f.results()[0]).shape[2]) == "(H + 1) floordiv 2");
  const Tensor y = run(f, {iota({1, 2, 5, 4}), iota({3, 2, 3, 2}, 0, 0.5), iota({3})})[0];
  CHECK(y.shape() == Shape{1, 3, 3, 3});
  // Checked with torch.nn.functional.conv2d.
  CHECK(y.get_double(0) == 454.0);
  CHECK(y.get_double(13) == 2262.0);
  CHECK(y.get_double(26) == 3152.0);
  AttrValues no_bias = attrs;
  std::vector<FormulaOperand> operands{f32("x", {s("N"), c(2), s("H"), c(4)}), f32("k", {c(3), c(2), c(3), c(2)}),
                                       f32("b", {})};
  operands[2].present = false;
  auto g = instantiate_text(pool, text, operands, no_bias);
  REQUIRE(g);
  CHECK(print_formula(pool, *g).find("b[") == std::string::npos);
}

TEST_CASE_METHOD(Fixture, "softmax along any axis") {
  const char* text =
      "m[I..!axis] = stop(max[I..&axis](x[I..])); e[I..] = exp(x[I..] - m[I..!axis]); "
      "s[I..!axis] = sum[I..&axis](e[I..]); y[I..] = e[I..] / s[I..!axis]";
  const Formula f = make(text, {f32("x", {s("B"), c(4)})}, {{{"axis", c(-1)}}});
  const auto y = values(run(f, {iota({2, 4})})[0]);
  CHECK(y[0] == Approx(0.0320586).epsilon(1e-5));
  CHECK(y[7] == Approx(0.6439142).epsilon(1e-5));
  const Formula g = make(text, {f32("x", {c(3), c(2), c(4)})}, {{{"axis", c(1)}}});
  CHECK(values(run(g, {iota({3, 2, 4})})[0])[0] == Approx(0.0179862).epsilon(1e-5));
}

TEST_CASE_METHOD(Fixture, "gather with an index that is smaller than its operand") {
  FormulaOperand i{"i", true, Dtype::I64, {c(2), c(2)}};
  const Formula f =
      make("y[I..] = x[I..{every: _ + 0}{axis: i[I..]}]", {f32("x", {c(3), c(4)}), i}, {{{"axis", c(1)}}});
  CHECK(print_formula(pool, f) == "y[i0, i1] = x[i0, i[i0, i1]] over i0 < 2, i1 < 2");
  const Tensor at = Tensor::from_values<std::int64_t>({2, 2}, {3, 0, 1, 2});
  CHECK(values(run(f, {iota({3, 4}), at})[0]) == std::vector<double>{3, 0, 5, 6});
  auto bad =
      evaluate(pool, f, std::vector<Tensor>{iota({3, 4}), Tensor::from_values<std::int64_t>({2, 2}, {0, 0, 4, 0})});
  REQUIRE(!bad);
  CHECK(bad.error().message() == "reading `x` at index 4 of axis 1, which has size 4");
}

TEST_CASE_METHOD(Fixture, "max_pool2d with indices") {
  const char* text =
      "a[n, c, h, w] = argmax[i, j | h*2 - 1 + i >= 0 and h*2 - 1 + i < dim(x, 2) and w*2 - 1 + j >= 0 and "
      "w*2 - 1 + j < dim(x, 3)](x[n, c, h*2 - 1 + i, w*2 - 1 + j]) "
      "where i = 3, j = 3, h = (dim(x, 2) + 2 - 3) // 2 + 1, w = (dim(x, 3) + 2 - 3) // 2 + 1; "
      "indices[n, c, h, w] = (h*2 - 1 + a[n, c, h, w] // 3)*dim(x, 3) + w*2 - 1 + a[n, c, h, w] % 3; "
      "y[n, c, h, w] = x[n, c, indices[n, c, h, w] // dim(x, 3), indices[n, c, h, w] % dim(x, 3)]";
  const Formula f = make(text, {f32("x", {s("N"), c(1), s("H"), s("W")})}, {}, {"y", "indices"});
  const auto out = run(f, {iota({1, 1, 4, 5})});
  CHECK(values(out[0]) == std::vector<double>{6, 8, 9, 16, 18, 19});
  CHECK(out[1].shape() == Shape{1, 1, 2, 3});
  CHECK(values(out[1]) == std::vector<double>{6, 8, 9, 16, 18, 19});
}
