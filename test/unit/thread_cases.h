// The formulas that go through the whole house: six that stress the language in different ways, and what is derived
// from them. Shared by the tests of every client, so that all of them see the same formulas, sizes and inputs.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diag/render.h"
#include "formula/differentiate.h"
#include "formula/instantiate.h"
#include "interp/evaluate_formula.h"
#include "ir/module.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "text/parser.h"
#include "text/printer.h"

namespace mlgc::thread_test {

// A dim is a number or a symbol.
struct Operand {
  const char* name;
  std::vector<const char*> dims;
  Dtype dtype = Dtype::F32;
  std::int64_t below = 0;  // integers are drawn from 0 .. below-1
};

using Sizes = std::map<std::string, std::int64_t>;

struct Case {
  const char* name;
  const char* text;
  std::vector<Operand> operands;
  std::vector<std::pair<const char*, std::vector<std::int64_t>>> lists;
  std::vector<std::pair<const char*, std::int64_t>> integers;
  std::vector<std::pair<const char*, double>> reals;
  std::vector<std::string> results;
  std::vector<Sizes> sizes;
};

inline const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"add",
       "a + alpha*b",
       {{"a", {"B", "3"}}, {"b", {"1", "3"}}},
       {},
       {},
       {{"alpha", 1.5}},
       {},
       {{{"B", 0}}, {{"B", 1}}, {{"B", 7}}}},
      {"matmul",
       "y[B.., m, n] = sum[k](a[B.., m, k]*b[B.., k, n])",
       {{"a", {"B", "M", "K"}}, {"b", {"K", "5"}}},
       {},
       {},
       {},
       {},
       {{{"B", 2}, {"M", 3}, {"K", 4}},
        {{"B", 1}, {"M", 1}, {"K", 0}},
        {{"B", 0}, {"M", 2}, {"K", 3}},
        {{"B", 3}, {"M", 5}, {"K", 17}}}},
      {"conv2d",
       "y[n, o, h, w] = sum[c, p, q](x[n, (o // (#o // groups))*#c + c, h*stride.0 + p*dilation.0 - padding.0, "
       "w*stride.1 + q*dilation.1 - padding.1]?0*k[o, c, p, q]) + b[o] "
       "where h = (dim(x, 2) + 2*padding.0 - dilation.0*(#p - 1) - 1) // stride.0 + 1, "
       "w = (dim(x, 3) + 2*padding.1 - dilation.1*(#q - 1) - 1) // stride.1 + 1",
       {{"x", {"N", "4", "H", "W"}}, {"k", {"6", "2", "3", "2"}}, {"b", {"6"}}},
       {{"stride", {2, 1}}, {"padding", {1, 1}}, {"dilation", {1, 2}}},
       {{"groups", 2}},
       {},
       {},
       {{{"N", 2}, {"H", 5}, {"W", 4}}, {{"N", 1}, {"H", 1}, {"W", 1}}, {{"N", 0}, {"H", 6}, {"W", 3}}}},
      {"softmax",
       "m[I..!axis] = stop(max[I..&axis](x[I..])); e[I..] = exp(x[I..] - m[I..!axis]); "
       "s[I..!axis] = sum[I..&axis](e[I..]); y[I..] = e[I..] / s[I..!axis]",
       {{"x", {"B", "S"}}},
       {},
       {{"axis", -1}},
       {},
       {},
       {{{"B", 3}, {"S", 5}}, {{"B", 1}, {"S", 1}}, {{"B", 0}, {"S", 4}}, {{"B", 2}, {"S", 33}}}},
      {"gather",
       "y[I..] = x[I..{every: _ + 0}{axis: i[I..]}]",
       {{"x", {"R", "4"}}, {"i", {"R", "J"}, Dtype::I64, 4}},
       {},
       {{"axis", 1}},
       {},
       {},
       {{{"R", 3}, {"J", 2}}, {{"R", 1}, {"J", 1}}, {{"R", 4}, {"J", 0}}, {{"R", 5}, {"J", 9}}}},
      {"max_pool2d",
       "a[n, c, h, w] = argmax[i, j | h*2 - 1 + i >= 0 and h*2 - 1 + i < dim(x, 2) and w*2 - 1 + j >= 0 and "
       "w*2 - 1 + j < dim(x, 3)](x[n, c, h*2 - 1 + i, w*2 - 1 + j]) "
       "where i = 3, j = 3, h = (dim(x, 2) + 2 - 3) // 2 + 1, w = (dim(x, 3) + 2 - 3) // 2 + 1; "
       "indices[n, c, h, w] = (h*2 - 1 + a[n, c, h, w] // 3)*dim(x, 3) + w*2 - 1 + a[n, c, h, w] % 3; "
       "y[n, c, h, w] = x[n, c, indices[n, c, h, w] // dim(x, 3), indices[n, c, h, w] % dim(x, 3)]",
       {{"x", {"N", "2", "H", "W"}}},
       {},
       {},
       {},
       {"y", "indices"},
       {{{"N", 1}, {"H", 4}, {"W", 5}},
        {{"N", 2}, {"H", 1}, {"W", 1}},
        {{"N", 0}, {"H", 3}, {"W", 2}},
        {{"N", 1}, {"H", 7}, {"W", 2}}}},
  };
  return all;
}

inline IndexExpr dim(IndexPool& pool, const char* text) {
  return *text >= '0' && *text <= '9' ? pool.constant(std::atoll(text)) : pool.symbol(text);
}

inline Formula formula_of(Context& context, const Case& c) {
  IndexPool& pool = context.index();
  std::vector<FormulaOperand> operands;
  for (const Operand& o : c.operands) {
    FormulaOperand operand{o.name, true, o.dtype, {}};
    for (const char* d : o.dims) operand.shape.push_back(dim(pool, d));
    operands.push_back(std::move(operand));
  }
  AttrValues attrs;
  for (const auto& [name, list] : c.lists) {
    std::vector<IndexExpr> values;
    for (const std::int64_t v : list) values.push_back(pool.constant(v));
    attrs.values.emplace_back(name, values);
  }
  for (const auto& [name, v] : c.integers) attrs.values.emplace_back(name, pool.constant(v));
  for (const auto& [name, v] : c.reals) attrs.values.emplace_back(name, v);
  auto formula = instantiate_text(formulas(context), c.text, operands, attrs, c.results);
  if (!formula) FAIL(formula.error().message());
  return *formula;
}

// The vector-Jacobian product with respect to every operand that has one.
inline Formula gradient_of(Context& context, const Formula& formula, bool invert = true) {
  FormulaPool& pool = formulas(context);
  return gradient(pool, formula, differentiable_operands(pool, formula), {invert});
}

// Numbers that are the same everywhere.
class Numbers {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33;
  }

 private:
  std::uint64_t state_ = 12345;
};

enum class Values { Plain, Edge };

// Inputs for the operands of a formula: those it shares with the case by their names, the rest (cotangents) floats.
inline std::vector<Tensor> inputs_of(Context& context, const Case& c, const Formula& formula, const Sizes& sizes,
                                     Values kind) {
  IndexPool& pool = context.index();
  Numbers numbers;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < formula.operand_count(); ++i) {
    const FormulaTensor& t = formula.tensors[i];
    Shape shape;
    for (const IndexExpr e : t.shape)
      shape.push_back(
          *pool.evaluate(e, [&](AtomId id) { return std::optional(sizes.at(std::string(pool.symbol_name(id)))); }));
    Tensor input = Tensor::zeros(t.dtype, shape);
    std::int64_t below = 1;
    for (const Operand& o : c.operands)
      if (t.name == o.name && o.below > 0) below = o.below;
    constexpr double kEdge[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                -0.0,
                                0.0,
                                3e38,
                                1e-45,
                                1.0};
    for (std::int64_t k = 0; k < input.size(); ++k) {
      const std::uint64_t n = numbers.next();
      if (!is_float(t.dtype))
        input.set_int(k, static_cast<std::int64_t>(n % static_cast<std::uint64_t>(below)));
      else if (kind == Values::Edge && n % 3 == 0)
        input.set_double(k, kEdge[n / 3 % 8]);
      else
        input.set_double(k, static_cast<double>(n % 8001) / 1000.0 - 4.0);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// What inference says of an op while its text is read.
inline Inferred infer_from_rows(OpRef op, std::span<const Type>, std::vector<Type>& types, DiagnosticEngine& engine) {
  if (!has_inference(op.def())) return Inferred::Unknown;
  auto inferred = infer_types(op);
  if (!inferred) {
    inferred.error().at = op.location();
    engine.emit(inferred.error());
    return Inferred::Failed;
  }
  types = *inferred;
  return Inferred::Yes;
}

// The module that a text stands for; fails the test when it does not read.
inline Module read_text(const std::shared_ptr<Context>& context, const std::string& text) {
  const SourceFile& file = context->locations().add_source("test.mlir", text);
  DiagnosticEngine engine(context->locations());
  auto module = parse_module(context, file, engine, {.infer = infer_from_rows});
  std::string messages;
  for (const Diagnostic& d : engine.sorted()) messages += render_text(d, context->locations());
  if (!module) FAIL(messages << text);
  return std::move(*module);
}

// Equal bits, except that any NaN is like any other.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (!is_float(a.dtype())) {
      if (a.get_int(i) != b.get_int(i)) return false;
      continue;
    }
    const double x = a.get_double(i), y = b.get_double(i);
    if (std::isnan(x) != std::isnan(y)) return false;
    if (!std::isnan(x) && (x != y || std::signbit(x) != std::signbit(y))) return false;
  }
  return true;
}

inline std::vector<Tensor> evaluate_all(Context& context, const Formula& formula, const std::vector<Tensor>& inputs,
                                        Precision precision) {
  auto results = evaluate(formulas(context), formula, inputs, {precision});
  if (!results) FAIL(results.error().message());
  return *results;
}

}  // namespace mlgc::thread_test
