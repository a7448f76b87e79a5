// The derived tangent of every formula row, over f64 and bf16, static and symbolic extents, and second derivatives.
//
// Rows come from op_table(), as in row_gradients_test.cpp: a new row is checked here as well, or must be listed with
// the reason why it is not.
#include <iterator>

#include "derivative_checks.h"
#include "row_samples.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// Rows that do not take symbolic extents at their examples, and why.
constexpr RowNote kStaticRows[] = {
    {"view", "the attribute `shape` of the example says sizes"},
    {"expand", "the attribute `size` of the example says sizes"},
    {"slice_scatter", "one element is written, which the example says as a size"},
    {"dropout", "the seed is two numbers"},
    {"layer_norm", "the attribute `normalized_shape` says sizes"},
    {"rms_norm", "the attribute `normalized_shape` says sizes"},
    {"group_norm", "the groups must divide the channels"},
    {"dequantize", "there is a scale for each group"},
    {"grid_sampler_2d", "a place has two coordinates"},
    {"grid_sampler_3d", "a place has three coordinates"},
};

}  // namespace

TEST_CASE("the derived tangent of every formula row agrees with central differences and with its gradient") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  std::size_t rows = 0, elements = 0, alone = 0, constant = 0, static_rows = 0;
  for (const auto& [def, text, example, direction] : rows_with_floats(*context).rows) {
    INFO(def->name << ": " << text);
    const Sample sample = sample_of(*context, *def, example, Dtype::F64, direction);
    const auto wanted = differentiable_operands(pool, sample.formula);
    if (wanted.empty()) {
      ++constant;
      CHECK(find(kConstantRows, def->name) != nullptr);
      continue;
    }
    ++rows;
    elements += check_tangent(pool, sample.formula, sample.inputs, wanted);
    // One operand moves, the others stand still.
    for (TensorId w : wanted)
      if (wanted.size() > 1) alone += check_tangent(pool, sample.formula, sample.inputs, {w});
    const Sample narrow = sample_of(*context, *def, example, Dtype::BF16, direction);
    elements += check_tangent(pool, narrow.formula, narrow.inputs, wanted);
    const auto symbolic = sample_with(*context, *def, example, Dtype::F64, direction, Extents::Symbolic);
    CHECK(!symbolic == (find(kStaticRows, def->name) != nullptr));
    if (symbolic)
      elements += check_tangent(pool, symbolic->formula, symbolic->inputs, wanted);
    else
      ++static_rows;
  }
  CHECK(constant == std::size(kConstantRows));
  CHECK(static_rows == std::size(kStaticRows));
  // What there was when this was written; each element counts in f64, in bf16 and with symbolic extents.
  CHECK(rows >= 157);
  CHECK(elements >= 1050);
  CHECK(alone >= 266);
}

TEST_CASE("second derivatives of every formula row agree forward over reverse and reverse over reverse") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  std::size_t rows = 0, elements = 0;
  for (const auto& [def, text, example, direction] : rows_with_floats(*context).rows) {
    INFO(def->name << ": " << text);
    const Sample sample = sample_of(*context, *def, example, Dtype::F64, direction);
    const auto wanted = differentiable_operands(pool, sample.formula);
    if (wanted.empty()) continue;
    ++rows;
    const SecondOrder found = second_order(pool, sample.formula, sample.inputs, wanted);
    CHECK(found.right);
    CHECK(found.symmetric);
    elements += found.elements;
  }
  CHECK(rows >= 157);
  CHECK(elements >= 511);
}

TEST_CASE("second derivatives where formulas turn from one branch to the other") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  struct Point {
    std::string_view op, attributes;
    std::vector<double> operands;
    double curvature;  // by the first operand
  };
  const std::vector<Point> points{
      // Smooth there.
      {"log_sigmoid", "", {0.0}, -0.25},
      {"log_sigmoid", "", {-0.0}, -0.25},
      {"binary_cross_entropy_with_logits", "{reduction = \"none\"}", {0.0, 1.0}, 0.25},
      {"binary_cross_entropy_with_logits", "{reduction = \"none\"}", {-0.0, 0.3}, 0.25},
      // Both branches have the slope; the straight one counts, as in PyTorch.
      {"huber_loss", "{reduction = \"none\"}", {2.0, 1.0}, 0},
      {"huber_loss", "{reduction = \"none\"}", {1.0, 2.0}, 0},
      {"smooth_l1_loss", "{reduction = \"none\"}", {2.0, 1.0}, 0},
  };
  for (const Point& point : points) {
    INFO(point.op << " at " << point.operands[0]);
    const auto attrs = parse_example_attributes(*context, *find_op_def(point.op), point.attributes);
    REQUIRE(attrs);
    const std::vector<Type> types(point.operands.size(), context->types().tensor(Dtype::F64, {}));
    const auto formula = instantiate_op(*context, context->find_op(point.op), types, *attrs);
    REQUIRE(formula);
    std::vector<Tensor> inputs;
    for (const double value : point.operands) {
      inputs.push_back(Tensor::zeros(Dtype::F64, {}));
      inputs.back().set_double(0, value);
    }
    inputs.resize(formula->operand_count(), Tensor::zeros(Dtype::F64, {}));
    const std::vector<TensorId> wanted{TensorId(0)};
    const Formula twice = gradient(pool, gradient(pool, *formula, wanted), wanted);
    Tensor one = Tensor::zeros(Dtype::F64, {});
    one.set_double(0, 1);
    CHECK(evaluate_in_f64(pool, twice, joined(inputs, {one, one}))[0].get_double(0) == Approx(point.curvature));
  }
}
