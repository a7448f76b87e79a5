// Derived tangents: their texts, and values where the modes could part (ties, zeros, pushes, fills).
#include <string>
#include <vector>

#include "derivative_checks.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

struct Operand {
  const char* name;
  std::vector<const char*> dims;
  Dtype dtype = Dtype::F64;
};

struct Formulas {
  IndexPool index;
  FormulaPool pool{index};

  Formula make(const char* text, const std::vector<Operand>& operands, const std::vector<std::string>& results = {}) {
    std::vector<FormulaOperand> made;
    for (const Operand& o : operands) {
      FormulaOperand operand{o.name, true, o.dtype, {}};
      for (const std::string d : o.dims)
        operand.shape.push_back(d[0] >= '0' && d[0] <= '9' ? index.constant(std::stoll(d)) : index.symbol(d));
      made.push_back(std::move(operand));
    }
    auto f = instantiate_text(pool, text, made, {}, results);
    if (!f) FAIL(f.error().message());
    return *f;
  }

  // Operands in order, a colon, the text.
  std::string text(const Formula& f, const std::vector<std::string>& wanted, bool results_at_hand = false) {
    std::vector<TensorId> ids;
    for (const std::string& name : wanted) ids.push_back(*f.find(name));
    const Formula t = tangent(pool, f, ids, {.results_at_hand = results_at_hand});
    if (const auto problem = check_formula(pool, t)) FAIL(*problem);
    std::string out;
    for (std::size_t i = 0; i < t.operand_count(); ++i) out += t.tensors[i].name + " ";
    return out + ": " + print_formula(pool, t);
  }

  // The only tangent.
  std::vector<double> value(const Formula& f, const std::vector<Tensor>& in, const std::vector<std::string>& wanted,
                            const std::vector<Tensor>& v) {
    std::vector<TensorId> ids;
    for (const std::string& name : wanted) ids.push_back(*f.find(name));
    const auto found = evaluate_in_f64(pool, tangent(pool, f, ids), joined(in, v));
    REQUIRE(found.size() == 1);
    return {found[0].data<double>().begin(), found[0].data<double>().end()};
  }
};

Tensor vec(std::initializer_list<double> values) {
  return Tensor::from_values<double>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor positions(std::initializer_list<std::int64_t> values) {
  return Tensor::from_values<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}
using Values = std::vector<double>;

}  // namespace

TEST_CASE("a tangent writes where its statement writes, and reads the results that are at hand") {
  Formulas f;
  const Formula tanh = f.make("y[i] = tanh(x[i])", {{"x", {"N"}}});
  CHECK(f.text(tanh, {"x"}) ==
        "x t_x : y[i] = tanh(x[i]) over i < [N];\nt_y[i1] = t_x[i1]*(1.0 - y[i1]*y[i1]) over i1 < [N]");
  CHECK(f.text(tanh, {"x"}, true) == "x y t_x : t_y[i1] = t_x[i1]*(1.0 - y[i1]*y[i1]) over i1 < [N]");
  CHECK(f.text(f.make("r[m, n] = sum[k](x[m, k]*y[k, n])", {{"x", {"M", "K"}}, {"y", {"K", "N"}}}), {"x", "y"}) ==
        "x y t_x t_y : t_r[m1, n1] = sum[k1](t_x[m1, k1]*y[k1, n1] + t_y[k1, n1]*x[m1, k1]) over m1 < [M], n1 < [N], "
        "k1 < [K]");
  // A padding read: what lies outside does not move.
  CHECK(f.text(f.make("r[h] = sum[p](x[h*2 + p - 1]?0*k[p]) where h = (dim(x, 0) + 2 - #p) // 2 + 1",
                      {{"x", {"H"}}, {"k", {"3"}}}),
               {"x"}) ==
        "x k t_x : t_r[h1] = sum[p1](t_x[2*h1 + p1 - 1]?0.0*k[p1]) over h1 < [(H + 1) floordiv 2], p1 < 3");
  // Softmax: the temporary is computed again, what is stopped does not move.
  CHECK(
      f.text(f.make("m[u] = stop(max[k](x[k])) where u = 1; e[i] = exp(x[i] - m[0]); s[u] = sum[k](e[k]) where u = 1; "
                    "y[i] = e[i] / s[0]",
                    {{"x", {"N"}}}),
             {"x"}, true) ==
      "x y t_x : m[u] = stop(max[k](x[k])) over u < 1, k < [N];\n"
      "e[i] = exp(x[i] - m[0]) over i < [N];\n"
      "t_e[i2] = t_x[i2]*e[i2] over i2 < [N];\n"
      "s[u1] = sum[k1](e[k1]) over u1 < 1, k1 < [N];\n"
      "t_s[u2] = sum[k2](t_e[k2]) over u2 < 1, k2 < [N];\n"
      "t_y[i3] = t_e[i3] / s[0] + t_s[0]*-(y[i3] / s[0]) over i3 < [N]");
}

TEST_CASE("a tangent that is zero is no tensor") {
  Formulas f;
  const Formula three = f.make(
      "a[i] = x[i]*y[i]; b[i] = stop(x[i]) + 1; c[u] = argmax[k](x[k]) where u = 1; "
      "d[i] = 2*y[i] + 0*floor(x[i])",
      {{"x", {"N"}}, {"y", {"N"}}}, {"a", "b", "c", "d"});
  const TensorId x = *three.find("x"), y = *three.find("y");
  CHECK(dependent_results(f.pool, three, std::vector{x}) == std::vector{*three.find("a")});
  CHECK(dependent_results(f.pool, three, std::vector{y}) == std::vector{*three.find("a"), *three.find("d")});
  CHECK(dependent_results(f.pool, three, {}).empty());
  CHECK(f.text(three, {"x"}) == "x y t_x : t_a[i3] = t_x[i3]*y[i3] over i3 < [N]");
  CHECK(f.text(three, {"y"}) ==
        "x y t_y : t_a[i3] = t_y[i3]*x[i3] over i3 < [N];\nt_d[i4] = t_y[i4]*2.0 over i4 < [N]");
  CHECK(f.text(f.make("y[i] = floor(x[i])", {{"x", {"N"}}}), {"x"}) == "x t_x : ");
}

TEST_CASE("names that are taken get a number") {
  Formulas f;
  CHECK(f.text(f.make("t_y[i] = x[i]*t_x[i]; y[i] = t_y[i]*2", {{"x", {"N"}}, {"t_x", {"N"}}}, {"t_y", "y"}),
               {"x", "t_x"}) ==
        "x t_x t_x_2 t_t_x : t_t_y[i2] = t_x_2[i2]*t_x[i2] + t_t_x[i2]*x[i2] over i2 < [N];\n"
        "t_y_2[i3] = t_t_y[i3]*2.0 over i3 < [N]");
}

TEST_CASE("elements that attain an extremum share the tangent evenly, as they share the gradient") {
  Formulas f;
  const Formula max = f.make("y[] = max[k](x[k])", {{"x", {"4"}}});
  CHECK(f.value(max, {vec({2, 5, 5, 1})}, {"x"}, {vec({7, 1, 3, 9})}) == Values{2});
  const Formula min = f.make("y[] = 3*min[k](x[k])", {{"x", {"4"}}});
  CHECK(f.value(min, {vec({2, 5, 2, 2})}, {"x"}, {vec({1, 7, 2, 6})}) == Values{9});
  const Formula two = f.make("max(x, y)", {{"x", {"2"}}, {"y", {"2"}}});
  CHECK(f.value(two, {vec({1, 4}), vec({1, 3})}, {"x", "y"}, {vec({2, 2}), vec({8, 8})}) == Values{5, 2});
}

TEST_CASE("the tangent of a product is right with zeros") {
  Formulas f;
  const Formula prod = f.make("y[b] = prod[k](x[b, k])", {{"x", {"3", "3"}}});
  const Tensor x = Tensor::from_values<double>({3, 3}, {2, 3, 5, 2, 0, 5, 0, 3, 0});
  const Tensor v = Tensor::from_values<double>({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(f.value(prod, {x}, {"x"}, {v}) == Values{31, 10, 0});
}

TEST_CASE("a select takes the tangent of the side it takes, and reads no other") {
  Formulas f;
  const Formula root = f.make("y[i] = select(x[i] > 0, sqrt(x[i]), 0)", {{"x", {"2"}}});
  CHECK(f.value(root, {vec({4, 0})}, {"x"}, {vec({1, 1})}) == Values{0.25, 0});
}

TEST_CASE("what a read is filled with has a tangent") {
  Formulas f;
  const Formula pad = f.make("r[i] = x[i - 1]?y[] where i = dim(x, 0)", {{"x", {"3"}}, {"y", {}}});
  const std::vector<Tensor> in{vec({1, 2, 3}), Tensor::scalar(4.0)};
  CHECK(f.value(pad, in, {"x", "y"}, {vec({5, 6, 7}), Tensor::scalar(8.0)}) == Values{8, 5, 6});
  CHECK(f.value(pad, in, {"x"}, {vec({5, 6, 7})}) == Values{0, 5, 6});
  CHECK(f.value(pad, in, {"y"}, {Tensor::scalar(8.0)}) == Values{8, 0, 0});
}

TEST_CASE("pushes push tangents") {
  Formulas f;
  const std::vector<Operand> operands{{"x", {"3"}}, {"s", {"2"}}, {"i", {"2"}, Dtype::I64}};
  const std::vector<Tensor> in{vec({1, 2, 3}), vec({4, 5}), positions({2, 2})};
  const Tensor tx = vec({10, 20, 30}), ts = vec({1, 2});
  const Formula add = f.make("y[i[j]] += 3*s[j] from x if j < 2", operands);
  CHECK(f.value(add, in, {"x", "s"}, {tx, ts}) == Values{10, 20, 39});
  CHECK(f.value(add, in, {"x"}, {tx}) == Values{10, 20, 30});
  CHECK(f.value(add, in, {"s"}, {ts}) == Values{0, 0, 9});
  // Where both labels write one element, the tangent's push takes the label that the formula's push takes.
  const Formula set = f.make("y[i[j]] = 3*s[j] from x", operands);
  CHECK(evaluate_in_f64(f.pool, set, in)[0].get_double(2) == 15);
  CHECK(f.value(set, in, {"x", "s"}, {tx, ts}) == Values{10, 20, 6});
  CHECK(f.value(set, in, {"x"}, {tx}) == Values{10, 20, 0});
  CHECK(f.value(set, in, {"s"}, {ts}) == Values{0, 0, 6});
}

TEST_CASE("pushes that multiply or seek an extremum have tangents and gradients") {
  Formulas f;
  const std::vector<Operand> operands{{"x", {"N"}}, {"s", {"M"}}, {"i", {"M"}, Dtype::I64}};
  const std::vector<Tensor> in{vec({1.5, 2, 3, 4.5}), vec({1.25, 0.5, -2, 1.75, 2.25}), positions({2, 0, 2, 3, 0})};
  for (const char* write : {"*=", "max=", "min="}) {
    for (const char* from : {"from x", "from x if j < 4", "from x if s[j] > 1", "from zeros[4]"}) {
      const std::string text = "y[i[j]] " + std::string(write) + " exp(s[j])*0.5 " + from;
      INFO(text);
      const Formula push = f.make(text.c_str(), operands);
      const TensorId x = *push.find("x"), s = *push.find("s");
      for (const std::vector<TensorId>& wanted : {std::vector{x, s}, std::vector{x}, std::vector{s}}) {
        if (std::string(from) == "from zeros[4]" && wanted.back() == x) continue;  // x is not read
        CHECK(check_tangent(f.pool, push, in, wanted, true) == 4);
        const SecondOrder twice = second_order(f.pool, push, in, wanted);
        CHECK(twice.right);
        CHECK(twice.symmetric);
      }
    }
  }
}

TEST_CASE("extremal pushes share evenly among the base and all that attain, multiplying ones are right with zeros") {
  // What PyTorch's scatter_reduce sends back for a cotangent of [1, 10, 100].
  Formulas f;
  const std::vector<Operand> operands{{"x", {"3"}}, {"s", {"5"}}, {"i", {"5"}, Dtype::I64}};
  const Tensor i = positions({0, 0, 1, 1, 2}), g = vec({1, 10, 100});
  const auto gradients = [&](const char* text, const Tensor& x, const Tensor& s) {
    const Formula push = f.make(text, operands);
    const std::vector<TensorId> wanted{*push.find("x"), *push.find("s")};
    std::vector<Values> out;
    for (const Tensor& t : evaluate_in_f64(f.pool, gradient(f.pool, push, wanted), {x, s, i, g}))
      out.emplace_back(t.data<double>().begin(), t.data<double>().end());
    // The tangent along each element is a column of the transpose.
    for (std::size_t w = 0; w < 2; ++w) {
      for (std::size_t e = 0; e < out[w].size(); ++e) {
        std::vector<Tensor> v{Tensor::zeros(Dtype::F64, {3}), Tensor::zeros(Dtype::F64, {5})};
        v[w].set_double(static_cast<std::int64_t>(e), 1);
        const Values t = f.value(push, {x, s, i}, {"x", "s"}, v);
        CHECK(t[0] + 10 * t[1] + 100 * t[2] == Approx(out[w][e]).epsilon(1e-12));
      }
    }
    return out;
  };
  CHECK(gradients("y[i[j]] max= s[j] from x", vec({3, 1, 7}), vec({3, 3, 5, 5, 2})) ==
        std::vector<Values>{{1.0 / 3, 0, 100}, {1.0 / 3, 1.0 / 3, 5, 5, 0}});
  CHECK(gradients("y[i[j]] min= s[j] from x", vec({3, 1, 7}), vec({3, 3, 5, 1, 2})) ==
        std::vector<Values>{{1.0 / 3, 5, 0}, {1.0 / 3, 1.0 / 3, 0, 5, 100}});
  CHECK(gradients("y[i[j]] *= s[j] from x", vec({2, 0, 5}), vec({0, 3, 4, 5, 0})) ==
        std::vector<Values>{{0, 200, 0}, {6, 0, 0, 0, 500}});
  CHECK(gradients("y[i[j]] *= s[j] from x", vec({2, 3, 5}), vec({0, 0, 4, 5, 2})) ==
        std::vector<Values>{{0, 200, 200}, {0, 0, 150, 120, 500}});
}

TEST_CASE("what attains an extremum is what was stored, also where 16 bits store less than is computed") {
  Formulas f;
  const std::vector<Operand> operands{{"x", {"3"}, Dtype::BF16}, {"w", {"3"}, Dtype::BF16}};
  const auto derived = [&](const char* text, const std::vector<std::string>& wanted) {
    const Formula made = f.make(text, operands);
    std::vector<TensorId> ids;
    for (const std::string& name : wanted) ids.push_back(*made.find(name));
    const Tensor x = vec({1.0078125, 2.015625, 1.5}).cast(Dtype::BF16),
                 w = vec({1.0078125, 1.0078125, 1.0}).cast(Dtype::BF16);
    const Tensor one = Tensor::splat(Dtype::BF16, {1}, 1), ones = Tensor::splat(Dtype::BF16, {3}, 1);
    const auto back = evaluate(f.pool, gradient(f.pool, made, ids), std::vector{x, w, one});
    const auto forth = evaluate(f.pool, tangent(f.pool, made, ids), std::vector{x, w, ones});
    REQUIRE(back);
    REQUIRE(forth);
    Values out;
    for (std::int64_t e = 0; e < 3; ++e) out.push_back((*back)[0].get_double(e));
    out.push_back((*forth)[0].get_double(0));
    return out;
  };
  CHECK(derived("y[u] = max[k](x[k]*w[k]) where u = 1", {"x"}) == Values{0, 1.0078125, 0, 1.0078125});
  CHECK(derived("y[0*k] max= x[k]*w[k] from zeros[1]", {"x"}) == Values{0, 1.0078125, 0, 1.0078125});
}

TEST_CASE("each place of a reduction in a tangent has index labels of its own") {
  Formulas f;
  const Formula twice = f.make("r[b] = sum[k](x[b, k])*max[j](x[b, j])*sum[i](x[b, i])", {{"x", {"2", "3"}}});
  const std::vector<Tensor> in{Tensor::from_values<double>({2, 3}, {2, 3, 5, 2, 0, 4})};
  CHECK(check_tangent(f.pool, twice, in, {*twice.find("x")}) == 2);
}
