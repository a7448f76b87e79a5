// What may be asked of a function, and what is refused; and the two halves that a function with gradients is split
// into.
#include <functional>
#include <string>
#include <vector>

#include "autodiff/loss.h"
#include "autodiff/split_gradient.h"
#include "autodiff/training_step.h"
#include "differentiated.h"
#include "tensor/compare.h"

namespace mlgc {

using namespace test;

namespace {

constexpr std::string_view kSeveral = R"(weight @w : tensor<4xf32>
weight @ids : tensor<4xi64>
func @f(%x: tensor<4xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>, tensor<f32>, tensor<4xi64>) {
  %w = read @w
  %a = mul %x, %w
  %s = sum %a
  return %a, %s, %n
}
func @integers(%n: tensor<4xi64>) -> tensor<4xi64> {
  return %n
}
)";

GradRequest request(std::vector<std::string> of, std::vector<std::string> wrt, bool seed = false) {
  GradRequest asked;
  asked.of = std::move(of);
  asked.wrt = std::move(wrt);
  asked.seed = seed;
  return asked;
}

// The first message when the function is made with the request; empty when it was made.
using Make = std::function<FuncRef(Module&, FuncRef, DiagnosticEngine&)>;
std::string refused(std::string_view text, std::string_view function, const Make& make) {
  const ParsedModule parsed(text);
  Module module = parsed.module;
  DiagnosticEngine diagnostics(parsed.context->locations());
  const FuncRef made = make(module, find_function(module, function), diagnostics);
  CHECK(made.valid() == (diagnostics.error_count() == 0));
  CHECK(module.check_store().empty());
  if (made.valid()) return "";
  return diagnostics.sorted()[0].message();
}

}  // namespace

TEST_CASE("requests that do not fit their function are refused, in both modes") {
  struct Case {
    GradRequest request;
    std::string function, reverse, forward;
  };
  const std::string missing = "--wrt=z: `@f` has no argument, and its module no weight or state, of that name";
  const std::vector<Case> cases{
      {request({"s"}, {}), "f", "", ""},
      {request({}, {}), "f", "`@f` has 2 float results, so which one is differentiated must be said", ""},
      {request({"z"}, {}), "f", "--of=z: `@f` has no result of that name", "--of=z: `@f` has no result of that name"},
      {request({"a"}, {}), "f", "result `a` is tensor<4xf32>, no scalar, so what its elements weigh must be said", ""},
      {request({"a"}, {}, true), "f", "", ""},
      {request({"n"}, {}), "f", "result `n` is tensor<4xi64>, and only floats have gradients",
       "result `n` is tensor<4xi64>, and only floats have gradients"},
      {request({"s", "s"}, {}), "f", "--of names `s` twice", "--of names `s` twice"},
      {request({"s"}, {"z"}), "f", missing, missing},
      {request({"s"}, {"x", "x"}), "f", "--wrt names `x` twice", "--wrt names `x` twice"},
      {request({"s"}, {"n"}), "f", "--wrt=n is tensor<4xi64>, and only floats have gradients",
       "--wrt=n is tensor<4xi64>, and only floats have gradients"},
      {request({"s"}, {"@ids"}), "f", "--wrt=@ids is tensor<4xi64>, and only floats have gradients",
       "--wrt=@ids is tensor<4xi64>, and only floats have gradients"},
      {request({"s"}, {"@w"}), "f", "", ""},
      {request({}, {}), "integers", "`@integers` has no float result, so there is nothing to differentiate",
       "`@integers` has no float result, so there is nothing to differentiate"},
  };
  for (const Case& c : cases) {
    INFO((c.request.of.empty() ? "" : c.request.of[0]) << " by " << (c.request.wrt.empty() ? "" : c.request.wrt[0]));
    CHECK(refused(kSeveral, c.function, [&](Module& m, FuncRef f, DiagnosticEngine& d) {
            return add_grad_function(m, f, c.request, d);
          }) == c.reverse);
    CHECK(refused(kSeveral, c.function, [&](Module& m, FuncRef f, DiagnosticEngine& d) {
            return add_jvp_function(m, f, c.request, d);
          }) == c.forward);
  }
}

TEST_CASE("every op without a gradient on the way is reported") {
  const ParsedModule parsed(R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %a = torch.call %x {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
  %b = torch.call %y {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
  %unread = torch.call %y {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
  %c = mul %a, %b
  %s = sum %c
  return %s
}
)");
  for (const bool reverse : {true, false}) {
    Module module = parsed.module;
    DiagnosticEngine diagnostics(parsed.context->locations());
    const FuncRef f = find_function(module, "f");
    CHECK_FALSE((reverse ? add_grad_function(module, f, {}, diagnostics) : add_jvp_function(module, f, {}, diagnostics))
                    .valid());
    std::size_t errors = 0;
    for (const Diagnostic& d : diagnostics.sorted()) errors += d.kind->id == "no-gradient" ? 1 : 0;
    CHECK(errors == (reverse ? 2 : diagnostics.error_count()));
    CHECK(errors >= 2);
  }
}

TEST_CASE("a loss is a function in front, by the short name of its row; an unknown one is named") {
  CHECK(find_loss("mse").ok());
  CHECK(find_loss("mse_loss").ok());
  CHECK_FALSE(find_loss("msee").ok());
  const std::vector<std::string_view> losses = known_losses();
  CHECK(std::ranges::is_sorted(losses));
  for (const std::string_view name : losses) CHECK(find_loss(name).ok());
  ParsedModule parsed("func @f(%x: tensor<[N]x4xf64>) -> tensor<[N]x4xf64> {\n  %y = tanh %x\n  return %y\n}\n");
  DiagnosticEngine diagnostics(parsed.context->locations());
  const FuncRef loss = attach_loss(parsed.module, FuncRef(parsed.func()),
                                   {.loss = *find_loss("mse"), .of = "", .name = ""}, diagnostics);
  REQUIRE(loss.valid());
  require_valid(parsed.module);
  CHECK(loss.name() == "f_loss");
  CHECK(argument_names(loss) == std::vector<std::string>{"x", "target"});
  CHECK(result_names(loss) == std::vector<std::string>{"loss", "y"});
  // The mean of squares, by hand.
  Tensor x = Tensor::zeros(Dtype::F64, {2, 4}), target = Tensor::splat(Dtype::F64, {2, 4}, 0.5);
  CHECK(results_of(parsed.module, "f_loss", {x, target})[0].get_double(0) == 0.25);
}

TEST_CASE("a training step that is refused leaves the module as it was") {
  const std::string text = std::string(kSeveral);
  const OptimiserDef* sgd = find_optimiser("sgd");
  REQUIRE(sgd != nullptr);
  CHECK(find_optimiser("none") == nullptr);
  for (const StepRequest& request : {StepRequest{.settings = {.optimiser = sgd}, .of = "a", .wrt = {}},
                                     StepRequest{.settings = {.optimiser = sgd}, .of = "z", .wrt = {}},
                                     StepRequest{.settings = {.optimiser = sgd}, .of = "s", .wrt = {"@z"}},
                                     StepRequest{.settings = {.optimiser = sgd}, .of = "s", .wrt = {"x"}}}) {
    ParsedModule parsed(text);
    const std::string before = parsed.text();
    DiagnosticEngine diagnostics(parsed.context->locations());
    CHECK_FALSE(add_training_step(parsed.module, FuncRef(parsed.func()), request, diagnostics).valid());
    CHECK(diagnostics.error_count() > 0);
    CHECK(parsed.text() == before);
  }
  ParsedModule parsed(text);
  DiagnosticEngine diagnostics(parsed.context->locations());
  const FuncRef step =
      add_training_step(parsed.module, FuncRef(parsed.func()),
                        {.settings = {.optimiser = sgd, .learning_rate = 0.5}, .of = "s", .wrt = {}}, diagnostics);
  REQUIRE(step.valid());
  require_valid(parsed.module);
  CHECK(symbols(parsed.module) == "f integers step ");
  // w - 0.5*x, since the sum's gradient is x.
  const std::vector<float> x{1, 2, 3, 4}, w{4, 4, 4, 4};
  const std::vector<Tensor> inputs{Tensor::from_values<float>(Shape{4}, std::span<const float>(x)),
                                   Tensor::zeros(Dtype::I64, {4})};
  const ModuleData data{{"w", Tensor::from_values<float>(Shape{4}, std::span<const float>(w))}};
  const auto outputs = interpret(parsed.module, "step", inputs, data);
  REQUIRE(outputs.ok());
  REQUIRE(outputs->updates.size() == 1);
  CHECK(outputs->updates[0].first == "@w");
  for (std::int64_t i = 0; i < 4; ++i)
    CHECK(outputs->updates[0].second.get_double(i) == 4 - 0.5 * x[static_cast<std::size_t>(i)]);
}

TEST_CASE("a split gradient computes in two halves what it computed in one, with what backward reads saved") {
  for (const Differentiable& f : kFunctions) {
    INFO(f.what);
    Question q(f.text);
    q.request.seed = true;
    DiagnosticEngine diagnostics(q.parsed.context->locations());
    Module module = q.parsed.module;
    const FuncRef joint = add_grad_function(module, find_function(module, "f"), q.request, diagnostics);
    REQUIRE(joint.valid());
    const auto halves = split_gradient(joint, "f", q.of.size(), q.of.size());
    REQUIRE(halves.has_value());
    require_valid(module);
    CHECK((halves->forward.name() == "f_forward" && halves->backward.name() == "f_backward"));
    const std::vector<std::string> outer = result_names(halves->forward), inner = argument_names(halves->backward);
    CHECK(argument_names(halves->forward) == argument_names(q.function));
    // Forward: results, then what is saved; backward: what was saved, then cotangents.
    const std::size_t saved = outer.size() - q.of.size();
    CHECK(inner.size() == saved + q.of.size());
    for (std::size_t i = 0; i < saved; ++i) {
      CHECK(outer[q.of.size() + i].starts_with("saved_"));
      CHECK(inner[i] == outer[q.of.size() + i]);
      // What has no operands is made again.
      const Value value = halves->forward.results()[q.of.size() + i];
      CHECK((value.is_argument() || value.definer().operand_count() > 0));
    }
    for (std::size_t i = 0; i < q.of.size(); ++i) CHECK(inner[saved + i] == "g_" + q.request.of[i]);
    // Nothing that neither results nor backward need.
    for (const FuncRef half : {halves->forward, halves->backward})
      for (const OpRef op : half.body().ops())
        if (!op.has_trait(Traits::Terminator) && op.pure()) CHECK_FALSE(op.results_unused());
    // The same bits.
    std::vector<Tensor> cotangents, all = q.inputs;
    for (const Tensor& t : results_of(module, "f", q.inputs)) {
      Tensor g = Tensor::zeros(t.dtype(), t.shape());
      for (std::int64_t i = 0; i < g.size(); ++i) g.set_double(i, 0.5 + static_cast<double>(i % 3));
      cotangents.push_back(std::move(g));
    }
    all.insert(all.end(), cotangents.begin(), cotangents.end());
    const std::vector<Tensor> expected = results_of(module, "f_grad", all);
    const std::vector<Tensor> forward = results_of(module, "f_forward", q.inputs);
    std::vector<Tensor> given(forward.begin() + static_cast<std::ptrdiff_t>(q.of.size()), forward.end());
    given.insert(given.end(), cotangents.begin(), cotangents.end());
    const std::vector<Tensor> backward = results_of(module, "f_backward", given);
    REQUIRE(q.of.size() + backward.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Tensor& got = i < q.of.size() ? forward[i] : backward[i - q.of.size()];
      CHECK(agrees(got, expected[i], nullptr, {.zero_signs = true, .subject = "exact rewrites"}).agrees);
    }
  }
}

TEST_CASE("what needs a cotangent is no result of forward") {
  ParsedModule parsed(R"(func @f(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = mul %x, %g
  %b = sin %x
  return %a, %b
}
)");
  CHECK_FALSE(split_gradient(FuncRef(parsed.func()), "f", 1, 1).has_value());
}

}  // namespace mlgc
