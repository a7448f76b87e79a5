// Chains of formulas as one kernel: what stands of them as a statement, which rows they share, and that the kernel's
// formula computes what the chain computes, bit for bit.
#include "fusion/fusion_kernel.h"
#include "interp/evaluate_formula.h"
#include "ir/walk.h"
#include "random_modules.h"
#include "tensor/random.h"

namespace mlgc {
namespace {

struct Link {
  std::string_view formula;                             // over x0, the value of the chain, and x1, x2, …
  std::vector<std::vector<std::int64_t>> other_shapes;  // of x1, x2, …
};
struct Chain {
  std::string_view name;
  std::vector<std::int64_t> input;
  std::vector<Link> links;
  std::size_t statements, rows;  // of the kernel
};

std::string type_text(const std::vector<std::int64_t>& shape) {
  std::string out = "tensor<";
  for (const std::int64_t d : shape) out += std::to_string(d) + "x";
  return out + "f64>";
}

Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
  Tensor t = Tensor::zeros(Dtype::F64, shape);
  fill_random(t, seed);
  return t;
}

}  // namespace

TEST_CASE("a chain of formulas is one kernel that gives the chain's values") {
  const std::vector<Chain> chains{
      {"elementwise", {3, 4}, {{"exp(x0)", {}}, {"x0*x1", {{4}}}, {"tanh(x0)", {}}}, 3, 2},
      {"linear and relu",
       {3, 4},
       {{"y[b, n] = sum[k](x0[b, k]*x1[n, k]) + x2[n]", {{2, 4}, {2}}}, {"select(x0 <= 0, stop(0.0), x0)", {}}},
       2,
       2},
      {"pad and conv",
       {2, 5},
       {{"y[n, i] = x0[n, i - 1]?0 where i = dim(x0, 1) + 2", {}},
        {"y[n, h] = sum[p](x0[n, h + p]*x1[p]) where h = dim(x0, 1) - 2", {{3}}}},
       1,
       2},
      {"view, permute, view",
       {6, 4},
       {{"y[i, j, k] = x0[i, j*2 + k] where j = 2, k = 2", {}},
        {"y[k, i, j] = x0[i + 0, j + 0, k + 0] where i = 6, j = 2, k = 2", {}},
        {"y[l] = x0[l // 12, (l % 12) // 2, l % 2] where l = 24", {}}},
       1,
       1},
      {"exp and sum", {3, 4}, {{"exp(x0)", {}}, {"y[b] = sum[k](x0[b, k])", {}}}, 2, 1},
      {"sum and broadcast", {3, 4}, {{"y[b] = sum[k](x0[b, k])", {}}, {"y[b, j] = x0[b]*x1[b, j]", {{3, 5}}}}, 2, 1},
      {"softmax and scale",
       {3, 4},
       {{"m[b] = max[k](x0[b, k]); e[b, k] = exp(x0[b, k] - m[b]); s[b] = sum[k](e[b, k]); y[b, k] = e[b, k] / s[b]",
         {}},
        {"x0*2", {}}},
       5,
       1},
  };
  for (const Chain& chain : chains) {
    INFO(chain.name);
    std::string head = "func @f(%x: " + type_text(chain.input), operands = "%a = %x", body, last = "%a";
    std::vector<Tensor> inputs{random_tensor(chain.input, 1)};
    std::size_t others = 0;
    for (std::size_t l = 0; l < chain.links.size(); ++l) {
      std::string read = last;
      for (const std::vector<std::int64_t>& shape : chain.links[l].other_shapes) {
        const std::string number = std::to_string(others++);
        head += ", %w" + number + ": " + type_text(shape);
        operands += ", %o" + number + " = %w" + number;
        read += ", %o" + number;
        inputs.push_back(random_tensor(shape, 2 + others));
      }
      last = "%v" + std::to_string(l);
      body += "    " + last + " = compute " + read + " {formula = \"" + std::string(chain.links[l].formula) + "\"}\n";
    }
    const auto context = make_context();
    const std::string fusion = "%r = fusion (" + operands + ") {\n" + body + "    yield " + last + "\n  }\n";
    // The type of the result is what inference makes of the chain.
    const auto text = [&](const std::string& result) {
      return head + ") -> " + result + " {\n  " + fusion + "  return %r\n}\n";
    };
    std::string result;
    {
      const Module probe = test::parse(context, head + ") {\n  " + fusion + "  return\n}\n");
      walk(probe, [&](OpRef op) {
        if (op.is(GraphOp::Fusion)) result = context->types().print(op.result().type());
      });
    }
    Module module = test::parse(context, text(result));
    const auto chained = interpret(module, "f", inputs, {}, {.precision = Precision::Native});
    REQUIRE(chained);
    OpRef fused;
    walk(module, [&](OpRef op) {
      if (op.is(GraphOp::Fusion)) fused = op;
    });
    const auto kernel = fusion_kernel(fused, {});
    REQUIRE(kernel);
    FormulaPool& pool = formulas(*context);
    const Formula& formula = kernel->formula.formula();
    INFO(print_formula(pool, formula));
    if (const auto problem = check_formula(pool, formula)) FAIL(*problem);
    CHECK(formula.statements.size() == chain.statements);
    CHECK(kernel->formula.shape().rows.size() == chain.rows);
    const auto whole = evaluate(pool, formula, inputs, {Precision::Native});
    REQUIRE(whole);
    CHECK((*whole)[0] == chained->results[0]);
  }
}

}  // namespace mlgc
