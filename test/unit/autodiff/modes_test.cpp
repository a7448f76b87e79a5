// Reverse mode against differences of what the interpreter computes, and forward mode against reverse mode.
#include <string>
#include <vector>

#include "autodiff/gradient_rules.h"
#include "check/gradient_check.h"
#include "differentiated.h"
#include "tensor/compare.h"

namespace mlgc {

using namespace test;

TEST_CASE("gradients of functions agree with central differences, and their signature is what was asked for") {
  for (const Differentiable& f : kFunctions) {
    INFO(f.what);
    Question q(f.text);
    q.request.seed = true;
    Module derived = q.parsed.module;
    DiagnosticEngine diagnostics(q.parsed.context->locations());
    const FuncRef made = add_grad_function(derived, find_function(derived, "f"), q.request, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(made.valid());
    require_valid(derived);
    CHECK(made.name() == "f_grad");
    // Arguments, then a cotangent a result; results, then a gradient a value.
    std::vector<std::string> arguments = argument_names(q.function), results = result_names(q.function);
    for (const std::string& r : q.request.of) arguments.push_back("g_" + r);
    for (const std::string& v : q.request.wrt) results.push_back("d_" + v);
    CHECK(argument_names(made) == arguments);
    CHECK(result_names(made) == results);
    for (std::size_t i = 0; i < q.request.wrt.size(); ++i)
      CHECK(made.results()[q.of.size() + i].type() == derived.value(q.parsed.value(q.request.wrt[i]).id()).type());
    // The old function is as it was.
    CHECK(print(find_function(derived, "f").op()) == print(q.function.op()));
    const auto values = check_function_gradient(q.parsed.module, "f", {&derived, "f_grad", true},
                                                {q.of, q.request.wrt, q.inputs, {}}, {}, {.seed = 4}, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(values.has_value());
    REQUIRE(values->size() == q.request.wrt.size());
    for (const ValueCheck& value : *values) {
      INFO(value.name);
      CHECK(value.left_out.empty());
      // The differences move what `detach` holds only in the function's own run: gradient_check holds it on both sides.
      CHECK(value.slope.verdict == SlopeVerdict::Agrees);
    }
  }
}

TEST_CASE("forward mode and reverse mode give one Jacobian") {
  for (const Differentiable& f : kFunctions) {
    INFO(f.what);
    Question q(f.text);
    Module module = q.parsed.module;
    DiagnosticEngine diagnostics(q.parsed.context->locations());
    q.request.seed = true;
    REQUIRE(add_grad_function(module, find_function(module, "f"), q.request, diagnostics).valid());
    q.request.seed = false;
    const FuncRef forward = add_jvp_function(module, find_function(module, "f"), q.request, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(forward.valid());
    require_valid(module);
    CHECK(forward.name() == "f_jvp");
    std::vector<std::string> arguments = argument_names(q.function), results = result_names(q.function);
    for (const std::string& v : q.request.wrt) arguments.push_back("t_" + v);
    for (const std::string& r : q.request.of) results.push_back("t_" + r);
    CHECK(argument_names(forward) == arguments);
    CHECK(result_names(forward) == results);

    std::vector<Tensor> wrt;
    for (const std::string& name : q.request.wrt) wrt.push_back(q.inputs[q.parsed.value(name).number()]);
    const std::vector<Tensor> values = results_of(module, "f", q.inputs);
    const auto zeros = [](const std::vector<Tensor>& like) {
      std::vector<Tensor> out;
      for (const Tensor& t : like) out.push_back(Tensor::zeros(t.dtype(), t.shape()));
      return out;
    };
    const auto count = [](const std::vector<Tensor>& all) {
      std::int64_t n = 0;
      for (const Tensor& t : all) n += t.size();
      return n;
    };
    const std::int64_t rows = count(values), columns = count(wrt);
    // With one element of `seeds` 1 at a time: a column of the Jacobian, or a row.
    const auto sweep = [&](const std::string& name, const std::vector<Tensor>& seeds, const auto& put) {
      std::int64_t at = 0;
      for (std::size_t s = 0; s < seeds.size(); ++s)
        for (std::int64_t e = 0; e < seeds[s].size(); ++e, ++at) {
          std::vector<Tensor> unit = zeros(seeds), inputs = q.inputs;
          unit[s].set_double(e, 1);
          inputs.insert(inputs.end(), unit.begin(), unit.end());
          const std::vector<Tensor> all = results_of(module, name, inputs);
          std::int64_t place = 0;
          for (std::size_t r = values.size(); r < all.size(); ++r)
            for (std::int64_t i = 0; i < all[r].size(); ++i) put(at, place++, all[r].get_double(i));
        }
    };
    Tensor by_forward = Tensor::zeros(Dtype::F64, {rows, columns}), by_reverse = by_forward;
    sweep("f_jvp", wrt, [&](std::int64_t c, std::int64_t r, double v) { by_forward.set_double(r * columns + c, v); });
    sweep("f_grad", values,
          [&](std::int64_t r, std::int64_t c, double v) { by_reverse.set_double(r * columns + c, v); });
    const Difference difference = agrees(by_forward, by_reverse, nullptr, {.subject = "rewrites in f64"});
    INFO(difference.reason);
    CHECK(difference.agrees);
    CHECK(difference.scale > 0);
  }
}

TEST_CASE("without cotangents a scalar is differentiated, and a gradient of nothing is zero with a warning") {
  Question q(R"(func @f(%x: tensor<4xf64>, %u: tensor<4xf64>) -> tensor<f64> {
  %a = mul %x, %x
  %c = ceil %u
  %b = mul %a, %c
  %y = sum %b
  return %y
}
)");
  Module module = q.parsed.module;
  DiagnosticEngine diagnostics(q.parsed.context->locations());
  REQUIRE(add_grad_function(module, find_function(module, "f"), {}, diagnostics).valid());
  require_valid(module);
  const std::vector<Tensor> all = results_of(module, "f_grad", q.inputs);
  REQUIRE(all.size() == 3);
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(all[1].get_double(i) == 2 * q.inputs[0].get_double(i) * std::ceil(q.inputs[1].get_double(i)));
    CHECK(all[2].get_double(i) == 0);
  }
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted()[0].message() ==
        "the gradient of y with respect to u is zero: nothing differentiable leads there");
}

TEST_CASE("operands that a derivative goes to follow from the row, and ops of equal shape share the formula") {
  const ParsedModule parsed(R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<2xi64>, %p: tensor<4xi1>) {
  %m = mul %x, %y
  %n = mul %y, %x
  %s = index_select %x, %i {dim = 0}
  %w = where %p, %x, %y
  %c = ceil %x
  %e = eq %x, %y
  return
}
)");
  GradientRules rules(*parsed.context, {});
  using Operands = std::vector<std::size_t>;
  CHECK(rules.differentiable(parsed.op("m")) == Operands{0, 1});
  CHECK(rules.differentiable(parsed.op("s")) == Operands{0});
  CHECK(rules.differentiable(parsed.op("w")) == Operands{1, 2});
  CHECK(rules.differentiable(parsed.op("c")).empty());
  CHECK(rules.differentiable(parsed.op("e")).empty());
  const Operands first{0}, both{0, 1};
  const RowGradient& gradient = rules.backward(parsed.op("m"), first, both);
  CHECK(&gradient == &rules.backward(parsed.op("n"), first, both));
  CHECK(&gradient != &rules.backward(parsed.op("m"), first, first));
}

}  // namespace mlgc
