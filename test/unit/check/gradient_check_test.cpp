// Wrong adjoints are found and named, right ones are not blamed, and corners are told from errors.
#include "check/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "autodiff/grad_function.h"
#include "check/compare_runs.h"
#include "check/draw_inputs.h"
#include "check/random_program.h"
#include "diag/kinds_check.h"
#include "ir/walk.h"
#include "mutate_formula.h"
#include "transforms/program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kStraighten = "inline{segments=true fusions=true keep-gradients=true}";

bool run_passes(Module& module, const std::string& text, DiagnosticEngine& diagnostics) {
  auto pipeline = parse_pipeline(text, all_passes());
  REQUIRE(pipeline.ok());
  return PassManager(module.context(), {}).run(module, *pipeline, diagnostics);
}

std::vector<std::size_t> float_results(const FuncRef& function) {
  const TypePool& types = function.op().module().context().types();
  std::vector<std::size_t> of;
  const std::vector<Value> results = function.results();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (types.is_tensor(results[i].type()) && is_float(types.dtype(results[i].type()))) of.push_back(i);
  return of;
}

// Values of the largest sizes that are drawn; nothing when the function runs on none.
std::optional<Draw> plain_values(Module& module, const FuncRef& function, std::uint64_t seed) {
  for (const std::int64_t largest : {9, 1, 0}) {
    auto draws = draw_inputs(function, {.seed = seed, .non_finite = false, .largest_integer = largest});
    if (!draws) return std::nullopt;
    std::reverse(draws->begin(), draws->end());
    for (Draw& draw : *draws)
      if (draw.kind == DrawKind::Plain &&
          run_draw(module, function.name(), draw, {.precision = Precision::F64, .max_trips = 10'000}).ok())
        return std::move(draw);
  }
  return std::nullopt;
}

struct Checked {
  bool made = false;  // there is a gradient, and something to run it on
  std::size_t adjoints = 0, corners = 0, gradients = 0;
  std::string messages;
};

// All of what `mlgc grad --seed --check` does for a function, without its report.
Checked check_whole(const Module& module, std::string_view name, std::uint64_t seed) {
  Checked checked;
  Module straight = module, derived = module, original = module;
  DiagnosticEngine unused(module.context().locations());
  if (!run_passes(straight, std::string(kStraighten), unused)) return checked;
  const FuncRef function = find_function(straight, name);
  GradientQuestion question{float_results(function), float_values(straight, function), {}, {}};
  if (question.of.empty() || question.wrt.empty()) return checked;
  // A result is asked for by name, so of two that have the same name only the first.
  std::set<std::string> names;
  std::erase_if(question.of, [&](std::size_t i) { return !names.insert(result_name(function, i)).second; });
  std::string of;
  for (const std::size_t i : question.of) of += (of.empty() ? "" : ",") + result_name(function, i);
  if (!run_passes(derived,
                  std::string(kStraighten) + ",grad{function=" + std::string(name) + " of=" + of +
                      " seed=true name=made_by_grad},canonicalize,cse,dce,canonicalize,cse,dce",
                  unused))
    return checked;
  auto draw = plain_values(original, find_function(original, name), seed);
  if (!draw) return checked;
  question.inputs = std::move(draw->inputs);
  question.data = std::move(draw->data);
  checked.made = true;
  DiagnosticEngine diagnostics(module.context().locations());
  const GradientCheckOptions options{.seed = seed, .max_work = 1 << 26, .max_trips = 10'000};
  const auto ops = check_op_gradients(straight, name, question, options, diagnostics);
  REQUIRE(ops.has_value());
  const auto values =
      check_function_gradient(module, name, {&derived, "made_by_grad", true}, question, *ops, options, diagnostics);
  checked.messages = render_text(diagnostics);
  INFO(checked.messages);
  REQUIRE(values.has_value());
  for (const RowCheck& row : ops->rows) {
    checked.adjoints += row.adjoints - row.not_differentiable;
    checked.corners += row.not_differentiable;
  }
  for (const ValueCheck& value : *values)
    checked.gradients += value.left_out.empty() && value.slope.verdict == SlopeVerdict::Agrees ? 1 : 0;
  return checked;
}

// One op whose operands are the arguments, in order.
struct OpProgram {
  std::string_view op, text;
};
constexpr OpProgram kOps[] = {
    {"add", "func @f(%x: tensor<3x4xf64>, %y: tensor<4xf64>) -> tensor<3x4xf64> {\n  %0 = add %x, %y\n  return %0\n}"},
    {"mul",
     "func @f(%x: tensor<3x4xf64>, %y: tensor<3x1xf64>) -> tensor<3x4xf64> {\n  %0 = mul %x, %y\n  return %0\n}"},
    {"div", "func @f(%x: tensor<3x4xf64>, %y: tensor<4xf64>) -> tensor<3x4xf64> {\n  %0 = div %x, %y\n  return %0\n}"},
    {"sin", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = sin %x\n  return %0\n}"},
    {"tanh", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = tanh %x\n  return %0\n}"},
    {"sigmoid", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = sigmoid %x\n  return %0\n}"},
    {"gelu", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = gelu %x\n  return %0\n}"},
    {"silu", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = silu %x\n  return %0\n}"},
    {"relu", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = relu %x\n  return %0\n}"},
    {"leaky_relu", "func @f(%x: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = leaky_relu %x\n  return %0\n}"},
    {"atan2", "func @f(%x: tensor<5xf64>, %y: tensor<5xf64>) -> tensor<5xf64> {\n  %0 = atan2 %x, %y\n  return %0\n}"},
    {"matmul",
     "func @f(%x: tensor<4x4xf64>, %y: tensor<4x4xf64>) -> tensor<4x4xf64> {\n  %0 = matmul %x, %y\n  return %0\n}"},
    {"linear",
     "func @f(%x: tensor<3x4xf64>, %w: tensor<2x4xf64>, %b: tensor<2xf64>) -> tensor<3x2xf64> {\n"
     "  %0 = linear %x, %w, %b\n  return %0\n}"},
    {"conv2d",
     "func @f(%x: tensor<1x2x5x5xf64>, %w: tensor<3x2x3x3xf64>, %b: tensor<3xf64>) -> tensor<1x3x5x5xf64> {\n"
     "  %0 = conv2d %x, %w, %b {padding = [1, 1]}\n  return %0\n}"},
    {"softmax", "func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {\n  %0 = softmax %x {dim = 1}\n  return %0\n}"},
    {"log_softmax",
     "func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {\n  %0 = log_softmax %x {dim = 1}\n  return %0\n}"},
    {"layer_norm",
     "func @f(%x: tensor<3x4xf64>, %w: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<3x4xf64> {\n"
     "  %0, %m, %r = layer_norm %x, %w, %b {normalized_shape = [4]}\n  return %0\n}"},
    {"rms_norm",
     "func @f(%x: tensor<3x4xf64>, %w: tensor<4xf64>) -> tensor<3x4xf64> {\n"
     "  %0 = rms_norm %x, %w {normalized_shape = [4], eps = 1e-5}\n  return %0\n}"},
    {"sum", "func @f(%x: tensor<3x4xf64>) -> tensor<3xf64> {\n  %0 = sum %x {dim = [1]}\n  return %0\n}"},
    {"mean", "func @f(%x: tensor<3x4xf64>) -> tensor<3xf64> {\n  %0 = mean %x {dim = [1]}\n  return %0\n}"},
    {"prod", "func @f(%x: tensor<3x4xf64>) -> tensor<3xf64> {\n  %0 = prod %x {dim = 1}\n  return %0\n}"},
    {"var", "func @f(%x: tensor<3x4xf64>) -> tensor<3xf64> {\n  %0 = var %x {dim = [1]}\n  return %0\n}"},
    {"amax", "func @f(%x: tensor<3x4xf64>) -> tensor<3xf64> {\n  %0 = amax %x {dim = [1]}\n  return %0\n}"},
    {"cumsum", "func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {\n  %0 = cumsum %x {dim = 1}\n  return %0\n}"},
};

bool differ(const Tensor& a, const Tensor& b) {
  double scale = 0, off = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    scale = std::max(scale, std::abs(a.get_double(i)));
    const double d = std::abs(a.get_double(i) - b.get_double(i));
    off = std::isnan(d) ? 1e300 : std::max(off, d);
  }
  return off > 1e-6 * scale;
}

// What the formula of the only op sends back to each operand that it has a gradient for, from its first result. A row
// of several results states its gradient, so the others follow (ops/row_gradient.h).
std::optional<std::vector<Tensor>> sent_back(Context& context, const Formula& backward,
                                             const GradientQuestion& question, const std::vector<Tensor>& results) {
  std::vector<Tensor> given = question.inputs;
  for (std::size_t i = given.size(); i + 1 + results.size() < backward.operand_count(); ++i)
    given.push_back(Tensor::zeros(backward.tensors[i].dtype, {}));
  given.push_back(results[0]);
  given.push_back(draw_cotangent(results[0], 77));
  given.insert(given.end(), results.begin() + 1, results.end());
  const auto found = evaluate(formulas(context), backward, given, {Precision::F64});
  return found ? std::optional(*found) : std::nullopt;
}

struct Faults {
  std::size_t planted = 0, without_effect = 0;
  std::set<std::string> rows;
};

void plant_faults(const OpProgram& program, Faults& faults) {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, program.text);
  const FuncRef function = find_function(module, "f");
  GradientQuestion question{{0}, float_values(module, function), {}, {}};
  std::uint64_t seed = 5;
  for (const Value argument : function.arguments()) {
    Shape shape;
    for (const IndexExpr dim : context->types().dims(argument.type()))
      shape.push_back(*context->index().as_constant(dim));
    question.inputs.push_back(draw_argument(Dtype::F64, shape, {}, seed++));
  }
  std::vector<Tensor> results;
  InterpretOptions options{.precision = Precision::F64};
  options.observe = [&](OpRef, std::span<const Tensor> seen) { results.assign(seen.begin(), seen.end()); };
  REQUIRE(interpret(module, "f", question.inputs, {}, options).ok());

  Formula right;
  std::vector<std::size_t> wanted;
  const auto check = [&](const GradientRules::Alter& alter, DiagnosticEngine& diagnostics) {
    auto found = check_op_gradients(module, "f", question, {.alter = alter}, diagnostics);
    REQUIRE(found.has_value());
    return *std::move(found);
  };
  DiagnosticEngine none(context->locations());
  const OpGradients unchanged = check(
      [&](OpRef, std::span<const std::size_t> operands, Formula& formula) {
        right = formula;
        wanted.assign(operands.begin(), operands.end());
      },
      none);
  INFO(program.text);
  INFO(render_text(none));
  CHECK(unchanged.wrong.empty());
  REQUIRE(unchanged.rows.size() == 1);
  CHECK(unchanged.rows[0].not_differentiable == 0);
  const auto right_values = sent_back(*context, right, question, results);
  REQUIRE(right_values.has_value());

  test::FormulaFaults all(formulas(*context), right);
  const OpDef& def = context->def(context->find_op(program.op));
  for (const auto& fault : all.all()) {
    Formula wrong = right;
    fault.plant(wrong);
    INFO(fault.what << ":\n" << print_formula(formulas(*context), wrong));
    const auto values = sent_back(*context, wrong, question, results);
    DiagnosticEngine diagnostics(context->locations(), 0);
    const OpGradients found =
        check([&](OpRef, std::span<const std::size_t>, Formula& formula) { formula = wrong; }, diagnostics);
    if (!values) {  // it cannot even be evaluated
      CHECK(render_text(diagnostics).find("the gradient of `" + std::string(program.op) + "` cannot be evaluated") !=
            std::string::npos);
      continue;
    }
    std::set<std::string> expected, named;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (differ((*right_values)[k], (*values)[k])) expected.emplace(def.operands[wanted[k]].name);
    for (const AdjointCheck& adjoint : found.wrong) {
      CHECK(adjoint.op == program.op);
      named.insert(adjoint.operand);
    }
    CHECK(named == expected);
    if (expected.empty()) {
      ++faults.without_effect;
    } else {
      ++faults.planted;
      faults.rows.emplace(program.op);
    }
  }
}

TEST_CASE("every wrong adjoint is caught, and its op and operand are named") {
  Faults faults;
  for (const OpProgram& program : kOps) plant_faults(program, faults);
  std::printf("%zu wrong adjoints of %zu rows, and %zu changes without effect\n", faults.planted, faults.rows.size(),
              faults.without_effect);
  CHECK(faults.planted >= 292);
  CHECK(faults.rows.size() == std::size(kOps));
}

TEST_CASE("the message names op, operand, both numbers and place") {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, "func @f(%x: tensor<f64>) -> tensor<f64> {\n  %0 = sin %x\n  return %0\n}");
  const GradientQuestion question{{0}, {"x"}, {Tensor::scalar<double>(0)}, {}};
  DiagnosticEngine diagnostics(context->locations());
  const auto negate = [&](OpRef, std::span<const std::size_t>, Formula& formula) {
    Statement& last = formula.statements.back();
    last.body = formulas(*context).call(ScalarFn::Neg, last.body);
  };
  (void)check_op_gradients(module, "f", question, {.alter = negate}, diagnostics);
  const std::string text = render_text(diagnostics);
  INFO(text);
  CHECK_THAT(text, Contains("test.mlir:2:8: error: the gradient that `sin` sends to `x` is wrong: "));
  CHECK_THAT(text, Contains(" along a direction in which differences of what it computes give "));
  CHECK_THAT(text, Contains(" at most\n"));
  CHECK_THAT(text,
             Contains("note: a gradient follows from the row's formula: a branch that decides the slope holds `stop`; "
                      "otherwise this is a bug of mlgc, and `mlgc reduce --keep=mismatch --test='mlgc grad --check "
                      "{}'` makes it small"));
  CHECK(diagnostics.exit_code() == ExitCode::Mismatch);
  CHECK(diagnostics.sorted().front().kind == &kWrongAdjoint);
}

TEST_CASE("a gradient that cannot be evaluated is wrong") {
  const std::shared_ptr<Context> context = make_context();
  const Module module =
      test::parse(context, "func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n  %0 = sin %x\n  return %0\n}");
  const GradientQuestion question{{0}, {"x"}, {draw_argument(Dtype::F64, {3}, {}, 1)}, {}};
  DiagnosticEngine diagnostics(context->locations());
  const auto read_beside = [&](OpRef, std::span<const std::size_t>, Formula& formula) {
    FormulaPool& pool = formulas(*context);
    FormulaPool::Rewrite how;
    how.reads = [&](ExprId read, const ReadParts& parts) {
      const IndexExpr beside = pool.index().add(parts.subscripts[0], pool.index().constant(1));
      return pool.read(pool.type(read), parts.tensor, std::span(&beside, 1), parts.fill);
    };
    formula.statements.back().body = pool.rewrite(formula.statements.back().body, how);
  };
  (void)check_op_gradients(module, "f", question, {.alter = read_beside}, diagnostics);
  REQUIRE(diagnostics.error_count() == 1);
  CHECK(diagnostics.sorted().front().kind == &kGradientFails);
  CHECK_THAT(
      render_text(diagnostics),
      Contains("error: the gradient of `sin` cannot be evaluated, and what it is the gradient of can: reading "));
}

TEST_CASE("a derived function that is wrong is found") {
  const std::shared_ptr<Context> context = make_context();
  const Module module = test::parse(context,
                                    "func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {\n"
                                    "  %0 = mul %x, %y\n  return %0\n}");
  Module derived = test::parse(context,
                               "func @g(%x: tensor<4xf64>, %y: tensor<4xf64>, %g: tensor<4xf64>) -> (tensor<4xf64>, "
                               "tensor<4xf64>, tensor<4xf64>) {\n"
                               "  %0 = mul %x, %y\n  %1 = mul %g, %y\n  %2 = mul %g, %y\n  return %0, %1, %2\n}");
  const GradientQuestion question{
      {0}, {"x", "y"}, {draw_argument(Dtype::F64, {4}, {}, 1), draw_argument(Dtype::F64, {4}, {}, 2)}, {}};
  DiagnosticEngine diagnostics(context->locations());
  const auto values = check_function_gradient(module, "f", {&derived, "g", true}, question, {}, {}, diagnostics);
  REQUIRE(values.has_value());
  REQUIRE(values->size() == 2);
  CHECK((*values)[0].slope.verdict == SlopeVerdict::Agrees);
  CHECK((*values)[1].slope.verdict == SlopeVerdict::Wrong);
  const std::string text = render_text(diagnostics);
  CHECK(diagnostics.sorted().front().kind == &kWrongGradient);
  CHECK_THAT(text, Contains("error: the gradient of `@f` with respect to y is wrong: "));
  CHECK_THAT(text,
             Contains("note: where an adjoint is wrong too, that is the cause; otherwise compare with `mlgc grad --raw "
                      "--check`, which leaves out the passes after it"));
  // Together, where there is no time for each.
  DiagnosticEngine again(context->locations());
  const auto together = check_function_gradient(module, "f", {&derived, "g", true}, question,
                                                {.rows = {}, .wrong = {}, .work = 4}, {.max_work = 4}, again);
  REQUIRE(together.has_value());
  REQUIRE(together->size() == 1);
  CHECK_THAT(render_text(again), Contains("the gradient of `@f` with respect to all values together is wrong: "));
}

struct Corner {
  std::string_view text;
  std::vector<double> x;
  bool differentiable;
};
const Corner kCorners[] = {
    {"relu %x", {0, 0, 0}, false},
    {"relu %x", {0, 1, -1}, true},  // in the elements that are not 0
    {"abs %x", {1, -2, 3}, true},
    {"amax %x {dim = [0], keepdim = true}", {2, 2, 2}, false},
    {"floor %x", {1, 2, 3}, true},  // has no gradient, which is not asked for
    {"clamp %x {min = 1.0, max = 2.0}", {1, 2, 1}, false},
    {"sqrt %x", {-1, -2, -3}, false},
    {"std %x {dim = [0], correction = 5, keepdim = true}", {1, 2, 4}, false},  // a quotient by 0
    {"detach %x", {1, 2, 3}, true},
};

TEST_CASE("corners are told from errors") {
  for (const Corner& corner : kCorners) {
    const bool one = corner.text.find("keepdim") != std::string_view::npos;
    const std::shared_ptr<Context> context = make_context();
    const Module module = test::parse(context, "func @f(%x: tensor<3xf64>) -> tensor<" + std::string(one ? "1" : "3") +
                                                   "xf64> {\n  %0 = " + std::string(corner.text) + "\n  return %0\n}");
    const GradientQuestion question{{0}, {"x"}, {Tensor::from_values<double>({3}, corner.x)}, {}};
    DiagnosticEngine diagnostics(context->locations());
    const auto found = check_op_gradients(module, "f", question, {}, diagnostics);
    REQUIRE(found.has_value());
    INFO(corner.text);
    CHECK(render_text(diagnostics) == "");
    std::size_t corners = 0;
    for (const RowCheck& row : found->rows) corners += row.not_differentiable;
    CHECK((corners == 0) == corner.differentiable);
  }
}

TEST_CASE("what stop holds is constant for the differences too") {
  const std::shared_ptr<Context> context = make_context();
  const Module module = test::parse(context,
                                    "func @f(%x: tensor<4xf64>) -> tensor<f64> {\n  %c = detach %x\n"
                                    "  %0 = mul %x, %c\n  %1 = sum %0 {dim = [0]}\n  return %1\n}");
  const Checked checked = check_whole(module, "f", 3);
  CHECK(checked.made);
  CHECK(checked.gradients == 1);
  CHECK(checked.messages == "");
  const Module embedding = test::parse(context,
                                       "func @f(%w: tensor<5x4xf64>, %i: tensor<6xi64>) -> tensor<6x4xf64> {\n"
                                       "  %0 = embedding %w, %i {padding_idx = 2}\n  return %0\n}");
  const Checked padded = check_whole(embedding, "f", 3);
  CHECK(padded.made);
  CHECK(padded.adjoints == 1);
  CHECK(padded.messages == "");
}

TEST_CASE("where colliding writes make a value unspecified nobody is blamed") {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context,
                              "func @f(%x: tensor<4xf64>, %v: tensor<3xf64>, %i: tensor<3xi64>) -> tensor<4xf64> {\n"
                              "  %0 = index_put %x, %v, %i {positions = [0]}\n  return %0\n}");
  for (const bool collide : {false, true}) {
    const std::vector<std::int64_t> positions{0, 2, collide ? 2 : 3};
    GradientQuestion question{
        {0}, {"x", "v"}, {draw_argument(Dtype::F64, {4}, {}, 1), draw_argument(Dtype::F64, {3}, {}, 2)}, {}};
    question.inputs.push_back(Tensor::from_values<std::int64_t>({3}, positions));
    DiagnosticEngine diagnostics(context->locations());
    const auto found = check_op_gradients(module, "f", question, {}, diagnostics);
    REQUIRE(found.has_value());
    CHECK(render_text(diagnostics) == "");
    REQUIRE(found->rows.size() == 1);
    CHECK(found->rows[0].adjoints == 2);
    CHECK(found->rows[0].not_differentiable == (collide ? 2 : 0));
  }
}

TEST_CASE("what is scattered may be larger than where it goes to") {
  for (const std::string_view op : {"scatter_reduce %x, %i, %s {dim = 0, reduce = \"sum\"}",
                                    "scatter_reduce %x, %i, %s {dim = 0, reduce = \"mean\"}",
                                    "scatter_reduce %x, %i, %s {dim = 0, reduce = \"prod\"}",
                                    "scatter_reduce %x, %i, %s {dim = 0, reduce = \"amax\"}",
                                    "scatter_reduce %x, %i, %s {dim = 1, reduce = \"amin\"}",
                                    "scatter %x, %i, %s {dim = 0}", "scatter_add %x, %i, %s {dim = 1}"}) {
    const std::shared_ptr<Context> context = make_context();
    const Module module = test::parse(
        context,
        "func @f(%x: tensor<3x3xf64>, %i: tensor<2x1xi64>, %s: tensor<3x4xf64>) -> tensor<3x3xf64> {\n  %0 = " +
            std::string(op) + "\n  return %0\n}");
    GradientQuestion question{{0}, {"x", "s"}, {draw_argument(Dtype::F64, {3, 3}, {}, 1)}, {}};
    question.inputs.push_back(Tensor::from_values<std::int64_t>({2, 1}, std::vector<std::int64_t>{2, 0}));
    question.inputs.push_back(draw_argument(Dtype::F64, {3, 4}, {}, 2));
    std::string formula;
    DiagnosticEngine diagnostics(context->locations());
    const auto print = [&](OpRef, std::span<const std::size_t>, Formula& backward) {
      formula = print_formula(formulas(*context), backward);
    };
    const auto found = check_op_gradients(module, "f", question, {.alter = print}, diagnostics);
    REQUIRE(found.has_value());
    INFO(op << "\n" << formula);
    CHECK(render_text(diagnostics) == "");
    REQUIRE(found->rows.size() == 1);
    CHECK(found->rows[0].adjoints == 2);
  }
}

TEST_CASE("an op in a loop is checked a few times, and what is left out is counted") {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context,
                              "func @f(%x: tensor<4xf64>) -> tensor<4xf64> {\n"
                              "  %y = for [0, 10] (%i: index, %s = %x) {\n    %t = sin %s\n    yield %t\n  }\n"
                              "  return %y\n}");
  const GradientQuestion question{{0}, {"x"}, {draw_argument(Dtype::F64, {4}, {}, 1)}, {}};
  DiagnosticEngine diagnostics(context->locations());
  const auto found = check_op_gradients(module, "f", question, {.runs = 2}, diagnostics);
  REQUIRE(found.has_value());
  REQUIRE(found->rows.size() == 1);
  CHECK(found->rows[0].ops == 1);
  CHECK(found->rows[0].runs == 2);
  CHECK(found->rows[0].left_out == 8);
}

TEST_CASE("right gradients of the samples are not blamed") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MLGC_SAMPLES))
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t functions_checked = 0, adjoints = 0;
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    const std::shared_ptr<Context> context = make_context();
    const Module module = test::parse(context, text.str());
    for (const FuncRef& function : functions(module)) {
      INFO(file << " @" << function.name());
      const Checked checked = check_whole(module, function.name(), 1);
      CHECK(checked.messages == "");
      functions_checked += checked.made ? 1 : 0;
      adjoints += checked.adjoints;
    }
  }
  std::printf("%zu functions of samples, %zu adjoints\n", functions_checked, adjoints);
  CHECK(functions_checked >= 36);
}

TEST_CASE("random programs have functions that state their gradient, and calls of them") {
  std::size_t stated = 0, called = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::shared_ptr<Context> context = make_context();
    const Module module = draw_program(context, {.seed = seed});
    const FuncRef g = FuncRef::from(module.lookup("g"));
    if (!g.valid() || !g.gradient()) continue;
    INFO("seed " << seed);
    DiagnosticEngine diagnostics(context->locations());
    CHECK(verify(module, diagnostics));
    ++stated;
    walk(FuncRef::from(module.lookup("f")).op(), [&](OpRef op) { called += op.is(GraphOp::Call) ? 1U : 0U; });
  }
  CHECK(stated >= 10);
  CHECK(called >= 3);
}

TEST_CASE("right gradients of random programs are not blamed") {
  std::size_t programs = 0, adjoints = 0, corners = 0, gradients = 0;
  for (std::uint64_t seed = 1; seed <= 210; ++seed) {
    const std::shared_ptr<Context> context = make_context();
    const Module module = draw_program(context, {.seed = seed});
    INFO("seed " << seed);
    const Checked checked = check_whole(module, "f", seed);
    CHECK(checked.messages == "");
    programs += checked.made ? 1 : 0;
    adjoints += checked.adjoints;
    corners += checked.corners;
    gradients += checked.gradients;
  }
  std::printf("%zu random programs, %zu adjoints, %zu gradients, %zu not differentiable\n", programs, adjoints,
              gradients, corners);
  CHECK(programs >= 170);
}

}  // namespace
}  // namespace mlgc
