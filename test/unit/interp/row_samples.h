// Every formula row with float operands at the operands of its example, moved away from kinks: what tests of
// derivatives walk over, and the rows that they must list with a reason.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/differentiate.h"
#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"

namespace mlgc::test {

struct RowNote {
  std::string_view op;
  std::string_view text;
};

// Rows that no element of a float operand passes a derivative through, and why. The test fails for a row that is here
// and has something to differentiate.
inline constexpr RowNote kConstantRows[] = {
    {"floor_divide", "constant between its steps"},
    {"trunc_divide", "constant between its steps"},
    {"sign", "constant between its steps"},
    {"floor", "constant between its steps"},
    {"ceil", "constant between its steps"},
    {"trunc", "constant between its steps"},
    {"round", "constant between its steps"},
    {"quantize", "the result is integers"},
    {"eq", "the result is a truth value"},
    {"ne", "the result is a truth value"},
    {"lt", "the result is a truth value"},
    {"le", "the result is a truth value"},
    {"gt", "the result is a truth value"},
    {"ge", "the result is a truth value"},
    {"logical_and", "the result is a truth value"},
    {"logical_or", "the result is a truth value"},
    {"logical_xor", "the result is a truth value"},
    {"logical_not", "the result is a truth value"},
    {"isnan", "the result is a truth value"},
    {"isinf", "the result is a truth value"},
    {"any", "the result is a truth value"},
    {"all", "the result is a truth value"},
    {"detach", "stops derivatives, which is what it is for"},
    {"argmax", "the result is a position"},
    {"argmin", "the result is a position"},
    {"bucketize", "the result is a position"},
    {"searchsorted", "the result is a position"},
    {"histc", "constant between its steps"},
    {"bernoulli", "constant between its steps"},
    {"round_decimals", "constant between its steps"},
};

// Examples that speak of another dtype, and what stands in for them here.
inline constexpr RowNote kOtherExamples[] = {
    {"cast", "cast([1.5, -1.5]) {dtype = f64} == [1.5, -1.5]"},
};

// Operands that take floats, but hold positions in the example: (op, operand).
inline constexpr RowNote kPositions[] = {
    {"cross_entropy", "target"},
};

inline const RowNote* find(std::span<const RowNote> notes, std::string_view op) {
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
inline double moved(double value, std::size_t operand, std::int64_t element, double direction) {
  const double turn = std::sqrt(2.0) * static_cast<double>(element + 1) + std::sqrt(3.0) * static_cast<double>(operand);
  return std::isfinite(value) ? value + direction * (0.01 + 0.1 * (turn - std::floor(turn))) : 0.5 + turn;
}

inline bool accepts_floats(ElementClass elements) {
  return elements == ElementClass::Any || elements == ElementClass::Number || elements == ElementClass::Float;
}

// The definition of the o-th operand of a use; a variadic one comes last or stands alone.
inline const OperandDef& definition(const OpDef& def, std::size_t o) {
  return def.operands[std::min(o, def.operands.size() - 1)];
}

enum class Extents { Static, Symbolic };

// Whole numbers in examples are written without a point: they stand for floats wherever the row takes floats. Symbolic
// extents above 1 are one symbol for each number; nothing where the row does not take them.
inline std::optional<Sample> sample_with(Context& context, const OpDef& def, const Example& example, Dtype dtype,
                                         double direction, Extents extents) {
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
    for (std::int64_t d : operand->shape())
      dims.push_back(extents == Extents::Symbolic && d > 1 ? context.index().symbol("N" + std::to_string(d))
                                                           : context.index().constant(d));
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
  if (!formula && extents == Extents::Symbolic) return std::nullopt;
  if (!formula) FAIL(formula.error().message());
  out.formula = std::move(*formula);
  while (out.inputs.size() < out.formula.operand_count()) out.inputs.push_back(Tensor::zeros(Dtype::F64, {}));
  return out;
}

inline Sample sample_of(Context& context, const OpDef& def, const Example& example, Dtype dtype, double direction) {
  return *sample_with(context, def, example, dtype, direction, Extents::Static);
}

inline std::vector<Tensor> evaluate_all(FormulaPool& pool, const Formula& f, const std::vector<Tensor>& in) {
  auto results = evaluate(pool, f, in, {Precision::F64});
  if (!results) FAIL(results.error().message() << "\n" << print_formula(pool, f));
  return *results;
}

// Whether every element of a float result is a number; a domain may end at the example's operand.
inline bool inside_domain(FormulaPool& pool, const Sample& sample) {
  for (const Tensor& result : evaluate_all(pool, sample.formula, sample.inputs))
    for (std::int64_t i = 0; i < result.size(); ++i)
      if (is_float(result.dtype()) && std::isnan(result.get_double(i))) return false;
  return true;
}

// A row that takes floats, its example, and the direction of `moved` that stays inside its domain.
struct Row {
  const OpDef* def;
  std::string_view text;
  Example example;
  double direction;
};

struct Rows {
  std::vector<Row> rows;
  std::size_t without_floats = 0;
};

inline Rows rows_with_floats(Context& context) {
  Rows found;
  for (const OpDef* def : op_table()) {
    if (!has_formula(*def)) continue;
    if (std::none_of(def->operands.begin(), def->operands.end(),
                     [](const OperandDef& operand) { return accepts_floats(operand.elements); })) {
      ++found.without_floats;
      continue;
    }
    const RowNote* other = find(kOtherExamples, def->name);
    const std::string_view text = other ? other->text : def->example;
    INFO(def->name << ": " << text);
    auto example = parse_example(context, text);
    if (!example) FAIL(example.error());
    const Sample sample = sample_of(context, *def, *example, Dtype::F64, 1);
    const double direction = inside_domain(formulas(context), sample) ? 1 : -1;
    CHECK(inside_domain(formulas(context), sample_of(context, *def, *example, Dtype::F64, direction)));
    found.rows.push_back({def, text, std::move(*example), direction});
  }
  return found;
}

}  // namespace mlgc::test
