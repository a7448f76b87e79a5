// Derived gradients and tangents against central differences in f64, gradients as pushes and as pulls.
#include <cmath>

#include "derivative_checks.h"
#include "tensor/random.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

struct Case {
  const char* name;
  const char* text;
  std::vector<std::vector<const char*>> shapes;  // per operand: dims, a name or a number
  AttrValues attributes = {};
  std::vector<std::int64_t> index_operand = {};  // values of the last operand when it is an index (i64)
  bool all_pulled = true;
  double spread = 1.0;  // scale of the random inputs
};

struct Checker {
  IndexPool index;
  FormulaPool pool{index};
  std::vector<std::pair<std::string, std::int64_t>> sizes{{"B", 3}, {"S", 5}, {"H", 6}, {"W", 4}};

  IndexExpr dim(const std::string& text, bool symbolic) {
    if (text[0] >= '0' && text[0] <= '9') return index.constant(std::stoll(text));
    if (symbolic) return index.symbol(text);
    return index.constant(size(text));
  }
  std::int64_t size(const std::string& text) {
    for (const auto& [name, v] : sizes)
      if (name == text) return v;
    return std::stoll(text);
  }

  std::vector<Tensor> evaluate_all(const Formula& f, const std::vector<Tensor>& in) {
    auto r = evaluate(pool, f, in, {Precision::F64});
    if (!r) FAIL(r.error().message() << "\n" << print_formula(pool, f));
    return *r;
  }

  void run(const Case& c, bool symbolic, bool pulls) {
    INFO(c.name << (symbolic ? ", symbolic" : ", static") << (pulls ? ", pulled" : ", pushed"));
    std::vector<FormulaOperand> operands;
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < c.shapes.size(); ++i) {
      FormulaOperand o{std::string(1, static_cast<char>('x' + (i < 3 ? i : 0))), true, Dtype::F64, {}};
      if (i >= 3) o.name = "w";
      Shape shape;
      for (const char* d : c.shapes[i]) {
        o.shape.push_back(dim(d, symbolic));
        shape.push_back(size(d));
      }
      const bool is_index = !c.index_operand.empty() && i + 1 == c.shapes.size();
      if (is_index) {
        o.dtype = Dtype::I64;
        inputs.push_back(Tensor::from_values<std::int64_t>(shape, std::span<const std::int64_t>(c.index_operand)));
      } else {
        Tensor t = Tensor::zeros(Dtype::F64, shape);
        fill_random(t, 17 + i);
        for (double& v : t.mutable_data<double>()) v *= c.spread;
        inputs.push_back(std::move(t));
      }
      operands.push_back(std::move(o));
    }
    auto made = instantiate_text(pool, c.text, operands, c.attributes);
    if (!made) FAIL(made.error().message());
    const Formula& f = *made;
    const auto wanted = differentiable_operands(pool, f);
    REQUIRE(!wanted.empty());
    const Formula g = gradient(pool, f, wanted, {pulls});
    if (auto problem = check_formula(pool, g)) FAIL(*problem << "\n" << print_formula(pool, g));
    if (pulls && c.all_pulled) {
      for (const Statement& st : g.statements) {
        INFO(print_statement(pool, g, st));
        CHECK(st.pull);
      }
    }
    if (pulls) CHECK(check_tangent(pool, f, inputs, wanted) > 0);
    // The text of the gradient reads back as the same text.
    std::vector<FormulaOperand> operands_of_gradient;
    for (const FormulaTensor& t : g.tensors)
      if (t.role == TensorRole::Operand) operands_of_gradient.push_back({t.name, true, t.dtype, t.shape});
    std::vector<std::string> names;
    for (TensorId r : g.results()) names.push_back(g.tensor(r).name);
    const std::string printed = print_formula(pool, g);
    auto again = instantiate_text(pool, printed, operands_of_gradient, {}, names);
    if (!again) FAIL(again.error().message() << "\n" << printed);
    CHECK(print_formula(pool, *again) == printed);

    const std::vector<Tensor> base = evaluate_all(f, inputs);
    std::vector<Tensor> with_cotangents = inputs;
    std::vector<Tensor> cotangents;
    for (const Tensor& out : base) {
      if (!is_float(out.dtype())) continue;
      Tensor t = Tensor::zeros(Dtype::F64, out.shape());
      fill_random(t, 99);
      cotangents.push_back(t);
      with_cotangents.push_back(t);
    }
    const std::vector<Tensor> gradients = evaluate_all(g, with_cotangents);
    const std::vector<Tensor> reread = evaluate_all(*again, with_cotangents);
    REQUIRE(gradients.size() == wanted.size());
    for (std::size_t i = 0; i < gradients.size(); ++i)
      CHECK(std::equal(gradients[i].bytes().begin(), gradients[i].bytes().end(), reread[i].bytes().begin(),
                       reread[i].bytes().end()));

    const double step = 1e-6;
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      const std::size_t operand = wanted[w].index();
      REQUIRE(gradients[w].shape() == inputs[operand].shape());
      for (std::int64_t e = 0; e < inputs[operand].size(); ++e) {
        auto shifted = [&](double by) {
          std::vector<Tensor> moved = inputs;
          moved[operand].mutable_data<double>()[static_cast<std::size_t>(e)] += by;
          const auto out = evaluate_all(f, moved);
          double total = 0;
          std::size_t k = 0;
          for (const Tensor& t : out) {
            if (!is_float(t.dtype())) continue;
            for (std::int64_t i = 0; i < t.size(); ++i) total += t.get_double(i) * cotangents[k].get_double(i);
            ++k;
          }
          return total;
        };
        const double expected = (shifted(step) - shifted(-step)) / (2 * step);
        INFO("operand " << operand << " element " << e << "\n" << printed);
        CHECK(gradients[w].get_double(e) == Approx(expected).epsilon(2e-6).margin(2e-7));
      }
    }
  }
};

}  // namespace

TEST_CASE("derived gradients and tangents agree with central differences") {
  const std::vector<Case> cases{
      {"add broadcasting", "x + 2*y", {{"B", "S"}, {"1", "S"}}},
      {"mul of scalars and vectors", "x*y*x", {{"S"}, {}}},
      {"matmul", "y2[B.., m, n] = sum[k](x[B.., m, k]*y[B.., k, n])", {{"B", "2", "S"}, {"S", "4"}}},
      {"linear", "r[B.., n] = sum[k](x[B.., k]*y[n, k]) + z[n]", {{"B", "S"}, {"4", "S"}, {"4"}}},
      {"conv2d stride 2 padding 1",
       "r[n, o, h, w] = sum[c, p, q](x[n, c, h*2 + p - 1, w*2 + q - 1]?0*y[o, c, p, q]) + z[o] "
       "where h = (dim(x, 2) + 2 - #p) // 2 + 1, w = (dim(x, 3) + 2 - #q) // 2 + 1",
       {{"2", "2", "H", "W"}, {"3", "2", "3", "2"}, {"3"}}},
      {"conv1d stride 1 dilation 2",
       "r[n, o, h] = sum[c, p](x[n, c, h + p*2 - 2]?0*y[o, c, p]) where h = dim(x, 2) + 4 - 2*(#p - 1)",
       {{"B", "2", "H"}, {"2", "2", "3"}}},
      {"softmax",
       "m[b, u] = stop(max[k](x[b, k])) where u = 1; e[b, k] = exp(x[b, k] - m[b, 0]); s[b] = sum[k](e[b, k]); r[b, k] "
       "= e[b, k] / s[b]",
       {{"B", "S"}}},
      {"layer norm",
       "m[b] = sum[k](x[b, k]) / real(#k); v[b] = sum[k]((x[b, k] - m[b])*(x[b, k] - m[b])) / real(#k); "
       "r[b, k] = (x[b, k] - m[b])*rsqrt(v[b] + 1e-5)*y[k] + z[k]",
       {{"B", "S"}, {"S"}, {"S"}}},
      {"gather", "r[i, j] = x[i + 0, z[i, j]]", {{"B", "S"}, {"2"}, {"2", "3"}}, {}, {0, 3, 3, 1, 0, 4}, false},
      {"embedding", "r[b, d] = x[y[b], d]", {{"S", "2"}, {"4"}}, {}, {3, 0, 3, 1}, false},
      {"max over an axis", "r[b] = max[k](x[b, k])", {{"B", "S"}}},
      {"a function of a sum", "r[b] = log(sum[k](exp(x[b, k])))", {{"B", "S"}}},
      {"a sum times itself", "r[b] = sum[k](x[b, k])*sum[k](x[b, k]) + pow(sum[k](x[b, k]) + 9, 2)", {{"B", "S"}}},
      {"a function of an extremum", "r[b] = tanh(max[k](x[b, k]))", {{"B", "S"}}},
      {"prod", "r[b] = prod[j, k](x[b, j, k])", {{"2", "2", "3"}}},
      {"max_pool by argmax",
       "a[n, h] = argmax[i | h*2 - 1 + i >= 0 and h*2 - 1 + i < dim(x, 1)](x[n, h*2 - 1 + i]) where i = 3, h = (dim(x, "
       "1) - 1) // 2 + 1; "
       "r[n, h] = x[n, h*2 - 1 + a[n, h]]",
       {{"B", "H"}},
       {},
       {},
       false},
      {"avg_pool overlapping", "r[n, h] = sum[i](x[n, h + i - 1]?0) / 3 where i = 3, h = dim(x, 1)", {{"B", "H"}}},
      {"slice with a step", "r[i] = x[1 + 2*i] where i = 2", {{"H"}}},
      {"flip", "r[b, i] = x[b, dim(x, 1) - 1 - i] where i = dim(x, 1)", {{"B", "S"}}},
      {"roll", "r[i] = x[(i - 2) % dim(x, 0)] where i = dim(x, 0)", {{"S"}}},
      {"repeat", "r[i] = x[i % dim(x, 0)] where i = 3*dim(x, 0)", {{"S"}}},
      {"repeat_interleave", "r[i] = x[i // 3] where i = 3*dim(x, 0)", {{"S"}}},
      {"merge two dims", "r[i] = x[i // dim(x, 1), i % dim(x, 1)] where i = dim(x, 0)*dim(x, 1)", {{"B", "S"}}},
      {"split a dim", "r[i, j] = x[i*4 + j]*y[i] where j = 4", {{"8"}, {"2"}}},
      {"pad", "r[i] = x[i - 2]?0 where i = dim(x, 0) + 3", {{"S"}}},
      {"diagonal", "r[i] = x[i, i]", {{"S", "S"}}},
      {"tril", "r[i, j] = select(j - i <= 0, x[i, j], 0)", {{"S", "S"}}},
      {"cat",
       "r[o] = select(o < dim(x, 0), x[o + 0], y[o - dim(x, 0)]) where o = dim(x, 0) + dim(y, 0)",
       {{"S"}, {"B"}}},
      {"cumsum", "r[j] = sum[k | k <= j](x[k]) where j = #k", {{"S"}}},
      {"unfold", "r[w, k] = x[w*2 + k] where w = 2, k = 3", {{"H"}}},
      {"gelu", "x*0.5*(1 + erf(x*0.7071067811865476))", {{"B", "S"}}},
      {"silu of a product", "x*y*sigmoid(x*y)", {{"S"}, {"S"}}},
      {"pow, log, tanh", "pow(abs(x) + 0.5, y) + log(abs(x) + 1)*tanh(y)", {{"S"}, {"S"}}},
      {"scatter_add", "r[z[i]] += y[i]*x[i] from x if i < 3", {{"S"}, {"S"}, {"S"}}, {}, {0, 2, 2, 1, 0}, false},
      {"attention",
       "s[h, i, j] = sum[d](x[h, i, d]*y[h, j, d])*0.5; m[h, i] = stop(max[j](s[h, i, j])); e[h, i, j] = exp(s[h, i, "
       "j] - m[h, i]); "
       "t[h, i] = sum[j](e[h, i, j]); r[h, i, d] = sum[j](e[h, i, j]*z[h, j, d]) / t[h, i]",
       {{"2", "B", "4"}, {"2", "S", "4"}, {"2", "S", "3"}}},
  };
  std::size_t checked = 0;
  for (const Case& c : cases) {
    for (bool symbolic : {false, true}) {
      for (bool pulls : {true, false}) {
        Checker checker;
        checker.run(c, symbolic, pulls);
        ++checked;
      }
    }
  }
  CHECK(checked == 4 * cases.size());
}

TEST_CASE("what a read is filled with has a gradient, whatever else is asked for") {
  IndexPool index;
  FormulaPool pool(index);
  const IndexExpr n = index.symbol("N");
  const auto f = instantiate_text(pool, "r[i] = x[i - 1]?y[] where i = dim(x, 0)",
                                  {{"x", true, Dtype::F32, {n}}, {"y", true, Dtype::F32, {}}});
  REQUIRE(f);
  CHECK(print_formula(pool, gradient(pool, *f, std::vector{*f->find("y")})) ==
        "d_y[] = sum[i1 | not i1 - 1 >= 0](g_r[i1]) over i1 < [N]");
  CHECK(print_formula(pool, gradient(pool, *f, std::vector{*f->find("x")})) ==
        "d_x[j] = select(N - j - 2 >= 0, g_r[j + 1], 0.0) over j < [N]");
}

TEST_CASE("what cannot be solved stays a push") {
  IndexPool index;
  FormulaPool pool(index);
  const auto f = instantiate_text(
      pool, "r[b, d] = x[i[b], d]",
      {{"x", true, Dtype::F32, {index.symbol("V"), index.constant(2)}}, {"i", true, Dtype::I64, {index.symbol("B")}}});
  REQUIRE(f);
  const Formula g = gradient(pool, *f, differentiable_operands(pool, *f));
  CHECK(print_formula(pool, g) == "d_x[i[b2], d3] += g_r[b2, d3] from zeros[V, 2] over b2 < [B], d3 < 2");
}

TEST_CASE("the gradient of a convolution is a transposed convolution without a test for divisibility") {
  IndexPool index;
  FormulaPool pool(index);
  const auto f = instantiate_text(
      pool, "y[n, h] = sum[p](x[n, h*2 + p]*k[p]) where h = (dim(x, 1) - #p) // 2 + 1",
      {{"x", true, Dtype::F32, {index.symbol("N"), index.symbol("H")}}, {"k", true, Dtype::F32, {index.constant(3)}}});
  REQUIRE(f);
  const Formula g = gradient(pool, *f, differentiable_operands(pool, *f));
  CHECK(print_formula(pool, g) ==
        "d_x[n1, j] = sum[h1 | j - 2*h1 >= 0 and 2*h1 - j + 2 >= 0](g_y[n1, h1]*k[j - 2*h1]) over n1 < [N], j < [H], "
        "h1 < [(H + 1) floordiv 2 - 1];\n"
        "d_k[p2] = sum[n3, h2](g_y[n3, h2]*x[n3, 2*h2 + p2]) over p2 < 3, n3 < [N], h2 < [(H + 1) floordiv 2 - 1]");
}

TEST_CASE("a gradient reads the results that are at hand, and recomputes temporaries") {
  IndexPool index;
  FormulaPool pool(index);
  const auto dim = index.symbol("N");
  const auto text = [&](const char* formula, const std::vector<std::string>& results = {}) {
    const auto f = instantiate_text(pool, formula, {{"x", true, Dtype::F32, {dim}}}, {}, results);
    REQUIRE(f);
    const Formula g = gradient(pool, *f, differentiable_operands(pool, *f), {.results_at_hand = true});
    std::string operands;
    for (std::size_t i = 0; i < g.operand_count(); ++i) operands += g.tensors[i].name + " ";
    return operands + ": " + print_formula(pool, g);
  };
  CHECK(text("y[i] = tanh(x[i])") == "x y g_y : d_x[i1] = g_y[i1]*(1.0 - y[i1]*y[i1]) over i1 < [N]");
  // The temporary `e` is computed again, the result `s` is not, and the position `k` is read as it was found.
  CHECK(text("e[i] = exp(x[i]); s[u] = sum[j](e[j]) where u = 1; k[u] = argmax[j](x[j]) where u = 1; "
             "y[i] = e[i]*x[k[0]] / s[0]",
             {"s", "k", "y"}) ==
        "x s k y g_s g_y : e[i] = exp(x[i]) over i < [N];\n"
        "g_s_2[j2] = g_s[j2] + sum[i2](g_y[i2]*-(y[i2] / s[0])) over j2 < 1, i2 < [N];\n"
        "g_e[i3] = g_y[i3] / s[0]*x[k[0]] + sum[u2](g_s_2[u2]) over i3 < [N], u2 < 1;\n"
        "d_x[i5] = sum[i6 | k[0] - i5 == 0](g_y[i6] / s[0]*e[i6]) + g_e[i5]*e[i5] over i5 < [N], i6 < [N]");
  // An operand that nothing reads stays.
  CHECK(text("y[i] = 2*x[i]") == "x y g_y : d_x[i1] = g_y[i1]*2.0 over i1 < [N]");
}
