// Fused formulas compute what the chain computes, bit for bit where no rounding is dropped (all in f64 here).
#include "ops/fuse.h"
#include "interp/evaluate_formula.h"
#include "ops/instantiate.h"
#include "support_catch.h"
#include "tensor/random.h"

using namespace mlgc;

namespace {

struct Link {
  const char* text;
  std::vector<std::vector<std::int64_t>> other_shapes;  // of the operands after the first, which is the chain's value
};

struct Chain {
  const char* name;
  std::vector<std::int64_t> input;
  std::vector<Link> links;
  std::size_t statements;  // left after fusion
};

Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
  Tensor t = Tensor::zeros(Dtype::F64, shape);
  fill_random(t, seed);
  return t;
}

}  // namespace

TEST_CASE("a fused chain gives the chain's values with fewer statements") {
  const std::vector<Chain> chains{
      {"elementwise", {3, 4}, {{"exp(x)", {}}, {"x*w", {{4}}}, {"tanh(x)", {}}}, 1},
      {"linear and relu",
       {3, 4},
       {{"y[b, n] = sum[k](x[b, k]*w[n, k]) + v[n]", {{2, 4}, {2}}}, {"select(x <= 0, stop(0.0), x)", {}}},
       2},
      {"pad and conv",
       {2, 5},
       {{"y[n, i] = x[n, i - 1]?0 where i = dim(x, 1) + 2", {}},
        {"y[n, h] = sum[p](x[n, h + p]*w[p]) where h = dim(x, 1) - 2", {{3}}}},
       1},
      {"view, permute, view",
       {6, 4},
       {{"y[i, j, k] = x[i, j*2 + k] where j = 2, k = 2", {}},
        {"y[k, i, j] = x[i + 0, j + 0, k + 0] where i = 6, j = 2, k = 2", {}},
        {"y[l] = x[l // 12, (l % 12) // 2, l % 2] where l = 24", {}}},
       1},
      {"exp and sum", {3, 4}, {{"exp(x)", {}}, {"y[b] = sum[k](x[b, k])", {}}}, 1},
      {"sum and broadcast", {3, 4}, {{"y[b] = sum[k](x[b, k])", {}}, {"y[b, j] = x[b]*w[b, j]", {{3, 5}}}}, 2},
      {"softmax and scale",
       {3, 4},
       {{"m[b] = max[k](x[b, k]); e[b, k] = exp(x[b, k] - m[b]); s[b] = sum[k](e[b, k]); y[b, k] = e[b, k] / s[b]", {}},
        {"x*2", {}}},
       4},
  };
  for (const Chain& chain : chains) {
    INFO(chain.name);
    IndexPool index;
    FormulaPool pool(index);
    auto dims = [&](const std::vector<std::int64_t>& shape) {
      std::vector<IndexExpr> out;
      for (std::int64_t d : shape) out.push_back(index.constant(d));
      return out;
    };
    Tensor value = random_tensor(chain.input, 1);
    std::vector<Tensor> inputs{value};
    std::optional<Formula> fused;
    std::vector<IndexExpr> shape = dims(chain.input);
    std::uint64_t seed = 2;
    for (const Link& link : chain.links) {
      std::vector<FormulaOperand> operands{{"x", true, Dtype::F64, shape}};
      std::vector<Tensor> here{value};
      const char* names[] = {"w", "v"};
      for (std::size_t i = 0; i < link.other_shapes.size(); ++i) {
        operands.push_back({names[i], true, Dtype::F64, dims(link.other_shapes[i])});
        here.push_back(random_tensor(link.other_shapes[i], seed++));
        inputs.push_back(here.back());
      }
      auto f = instantiate_text(pool, link.text, operands);
      if (!f) FAIL(f.error().message());
      value = (*evaluate(pool, *f, here))[0];
      shape = f->tensor(f->results()[0]).shape;
      if (fused)
        fused = compose(pool, *fused, 0, *f, TensorId(std::size_t{0}));
      else
        fused = *f;
    }
    if (auto problem = check_formula(pool, *fused)) FAIL(*problem);
    const auto whole = evaluate(pool, *fused, inputs);
    REQUIRE(whole);
    CHECK((*whole)[0] == value);
    const auto report = substitute_temporaries(pool, *fused);
    INFO(print_formula(pool, *fused));
    if (auto problem = check_formula(pool, *fused)) FAIL(*problem);
    CHECK(fused->statements.size() == chain.statements);
    CHECK(report.size() >= chain.links.size() - 1);
    const auto substituted = evaluate(pool, *fused, inputs);
    REQUIRE(substituted);
    CHECK((*substituted)[0] == value);
  }
}
