// The derived gradient of every formula row, over f64 and bf16, at the operands of its example, against central
// differences in f64.
//
// Rows come from op_table(), so a new row is checked, or must be listed below with the reason why it is constant. Only
// rows that take no floats at all (integers, truth values, positions, no operands) are passed by.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "interp/evaluate_formula.h"
#include "ops/differentiate.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct RowNote {
  std::string_view op;
  std::string_view text;
};

// Rows that no element of a float operand passes a derivative through, and why. The test fails for a row that is here
// and has something to differentiate.
constexpr RowNote kConstantRows[] = {
    {"floor_divide", "constant between its steps"}, {"trunc_divide", "constant between its steps"},
    {"sign", "constant between its steps"},         {"floor", "constant between its steps"},
    {"ceil", "constant between its steps"},         {"trunc", "constant between its steps"},
    {"round", "constant between its steps"},        {"eq", "the result is a truth value"},
    {"ne", "the result is a truth value"},          {"lt", "the result is a truth value"},
    {"le", "the result is a truth value"},          {"gt", "the result is a truth value"},
    {"ge", "the result is a truth value"},          {"logical_and", "the result is a truth value"},
    {"logical_or", "the result is a truth value"},  {"logical_xor", "the result is a truth value"},
    {"logical_not", "the result is a truth value"}, {"isnan", "the result is a truth value"},
    {"isinf", "the result is a truth value"},       {"any", "the result is a truth value"},
    {"all", "the result is a truth value"},         {"detach", "stops derivatives, which is what it is for"},
    {"argmax", "the result is a position"},         {"argmin", "the result is a position"},
    {"bucketize", "the result is a position"},      {"searchsorted", "the result is a position"},
    {"histc", "constant between its steps"},        {"bernoulli", "constant between its steps"},
};

// Examples that speak of another dtype, and what stands in for them here.
constexpr RowNote kOtherExamples[] = {
    {"cast", "cast([1.5, -1.5]) {dtype = f64} == [1.5, -1.5]"},
};

// Operands that take floats, but hold positions in the example: (op, operand).
constexpr RowNote kPositions[] = {
    {"cross_entropy", "target"},
};

const RowNote* find(std::span<const RowNote> notes, std::string_view op) {
  const auto it = std::find_if(notes.begin(), notes.end(), [&](const RowNote& note) { return note.op == op; });
  return it == notes.end() ? nullptr : &*it;
}

// A row at its example: the formula over the dtype asked for, the values of float operands in f64.
struct Sample {
  Formula formula;
  std::vector<Tensor> inputs;
};

// Examples sit on kinks (0, ties, whole numbers): every element moves by an irrational amount of its own, below 0.11,
// so that elements keep their order. What is not finite becomes a number.
double moved(double value, std::size_t operand, std::int64_t element, double direction) {
  const double turn = std::sqrt(2.0) * static_cast<double>(element + 1) + std::sqrt(3.0) * static_cast<double>(operand);
  return std::isfinite(value) ? value + direction * (0.01 + 0.1 * (turn - std::floor(turn))) : 0.5 + turn;
}

bool accepts_floats(ElementClass elements) {
  return elements == ElementClass::Any || elements == ElementClass::Number || elements == ElementClass::Float;
}

// The definition of the o-th operand of a use; a variadic one comes last or stands alone.
const OperandDef& definition(const OpDef& def, std::size_t o) {
  return def.operands[std::min(o, def.operands.size() - 1)];
}

// Whole numbers in examples are written without a point: they stand for floats wherever the row takes floats.
Sample sample_of(Context& context, const OpDef& def, const Example& example, Dtype dtype, double direction) {
  Sample out;
  std::vector<Type> types;
  for (std::size_t o = 0; o < example.operands.size(); ++o) {
    const auto& operand = example.operands[o];
    if (!operand) {
      types.emplace_back();
      out.inputs.push_back(Tensor::zeros(Dtype::F64, {}));
      continue;
    }
    std::vector<IndexExpr> dims;
    for (std::int64_t d : operand->shape()) dims.push_back(context.index().constant(d));
    Tensor value = *operand;
    const RowNote* position = find(kPositions, def.name);
    const bool keep = value.dtype() == Dtype::I1 || (position && position->text == definition(def, o).name);
    if (accepts_floats(definition(def, o).elements) && !keep) {
      value = Tensor::zeros(Dtype::F64, operand->shape());
      for (std::int64_t i = 0; i < value.size(); ++i)
        value.mutable_data<double>()[static_cast<std::size_t>(i)] = moved(operand->get_double(i), o, i, direction);
    }
    types.push_back(context.types().tensor(is_float(value.dtype()) ? dtype : value.dtype(), dims));
    out.inputs.push_back(std::move(value));
  }
  auto formula = instantiate_op(context, context.find_op(def.name), types, example.attrs);
  if (!formula) FAIL(formula.error().message());
  out.formula = std::move(*formula);
  while (out.inputs.size() < out.formula.operand_count()) out.inputs.push_back(Tensor::zeros(Dtype::F64, {}));
  return out;
}

std::vector<Tensor> evaluate_all(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in) {
  auto results = evaluate(pool, f, in, {Precision::Judge});
  if (!results) FAIL(results.error().message() << "\n" << print_formula(pool, f));
  return *results;
}

// Checks every element of every gradient; returns how many there are.
std::size_t check_gradients(FormulaPool& pool, const Sample& sample, const std::vector<TensorId>& wanted, bool pulls) {
  const Formula g = gradient(pool, sample.formula, wanted, {pulls});
  INFO("formula:\n" << print_formula(pool, sample.formula) << "\ngradient:\n" << print_formula(pool, g));
  if (const auto problem = check_formula(pool, g)) FAIL(*problem);

  std::vector<Tensor> with_cotangents = sample.inputs;
  std::vector<Tensor> cotangents;
  for (const Tensor& result : evaluate_all(pool, sample.formula, sample.inputs)) {
    if (!is_float(result.dtype())) continue;
    Tensor c = Tensor::zeros(Dtype::F64, result.shape());
    // Results that are not finite (a fill of -inf) have no difference to compare with.
    for (std::int64_t i = 0; i < c.size(); ++i)
      if (std::isfinite(result.get_double(i)))
        c.mutable_data<double>()[static_cast<std::size_t>(i)] =
            std::cos(1.0 + 2.0 * static_cast<double>(i) + static_cast<double>(cotangents.size()));
    cotangents.push_back(c);
    with_cotangents.push_back(c);
  }
  const std::vector<Tensor> gradients = evaluate_all(pool, g, with_cotangents);
  REQUIRE(gradients.size() == wanted.size());

  std::size_t elements = 0;
  const double step = 1e-6;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const std::size_t operand = wanted[w].index();
    REQUIRE(gradients[w].shape() == sample.inputs[operand].shape());
    for (std::int64_t e = 0; e < gradients[w].size(); ++e, ++elements) {
      const auto weighted = [&](double by) {
        std::vector<Tensor> shifted = sample.inputs;
        shifted[operand].mutable_data<double>()[static_cast<std::size_t>(e)] += by;
        double total = 0;
        std::size_t k = 0;
        for (const Tensor& result : evaluate_all(pool, sample.formula, shifted)) {
          if (!is_float(result.dtype())) continue;
          for (std::int64_t i = 0; i < result.size(); ++i)
            if (cotangents[k].get_double(i) != 0) total += result.get_double(i) * cotangents[k].get_double(i);
          ++k;
        }
        return total;
      };
      const double expected = (weighted(step) - weighted(-step)) / (2 * step);
      INFO("operand " << operand << ", element " << e << (pulls ? ", pulled" : ", pushed"));
      CHECK(gradients[w].get_double(e) == Approx(expected).epsilon(2e-6).margin(2e-7));
    }
  }
  return elements;
}

// Whether every element of a float result is a number; a domain may end at the example's operand.
bool inside_domain(FormulaPool& pool, const Sample& sample) {
  for (const Tensor& result : evaluate_all(pool, sample.formula, sample.inputs))
    for (std::int64_t i = 0; i < result.size(); ++i)
      if (is_float(result.dtype()) && std::isnan(result.get_double(i))) return false;
  return true;
}

}  // namespace

TEST_CASE("the derived gradient of every formula row agrees with central differences") {
  auto context = make_context();
  FormulaPool& pool = formulas(*context);
  std::size_t rows = 0, elements = 0, constant = 0, without_floats = 0;
  for (const OpDef* def : op_table()) {
    if (!has_formula(*def)) continue;
    const RowNote* other = find(kOtherExamples, def->name);
    const std::string_view text = other ? other->text : def->example;
    INFO(def->name << ": " << text);
    if (std::none_of(def->operands.begin(), def->operands.end(),
                     [](const OperandDef& operand) { return accepts_floats(operand.elements); })) {
      ++without_floats;
      continue;
    }
    auto example = parse_example(*context, text);
    if (!example) FAIL(example.error());
    double direction = 1;
    if (!inside_domain(pool, sample_of(*context, *def, *example, Dtype::F64, direction))) direction = -1;
    const Sample sample = sample_of(*context, *def, *example, Dtype::F64, direction);
    CHECK(inside_domain(pool, sample));
    const auto wanted = differentiable_operands(pool, sample.formula);
    CHECK(wanted.empty() == (find(kConstantRows, def->name) != nullptr));
    if (wanted.empty()) {
      ++constant;
      continue;
    }
    ++rows;
    for (bool pulls : {true, false}) elements += check_gradients(pool, sample, wanted, pulls);
    // The judge computes this in f64 as well: what may differ are the conversions that the row makes for 16 bits.
    const Sample narrow = sample_of(*context, *def, *example, Dtype::BF16, direction);
    CHECK(differentiable_operands(pool, narrow.formula) == wanted);
    elements += check_gradients(pool, narrow, wanted, true);
  }
  CHECK(constant == std::size(kConstantRows));
  // What there was when this was written; each element counts as pulled, as pushed and of bf16.
  CHECK(rows >= 142);
  CHECK(elements >= 1344);
  CHECK(without_floats <= rows / 10);
}
