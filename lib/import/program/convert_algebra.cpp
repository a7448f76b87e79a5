// Composites of the exporter's higher levels that compute with vectors and matrices: products, norms and differences.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// --- products

void convert_chain_matmul(NodeScope& scope) {
  OpChain chain(scope);
  const std::vector<Value> factors = scope.tensors("matrices");
  if (scope.failed() || factors.empty()) return;
  Value y = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) y = chain.call("matmul", {y, factors[i]});
  if (!scope.failed()) scope.result(0, y);
}

// By squares. The power 0 is the unit matrix.
void convert_matrix_power(NodeScope& scope) {
  const Value x = scope.tensor("self");
  std::int64_t n = scope.constant("n");
  if (scope.failed()) return;
  if (x.rank() < 2) return scope.refuse<kOperandAxes>("its operand", x.rank(), "a matrix or a batch of them");
  if (n < 0) return scope.refuse<kUnsupportedArgument>("n", std::to_string(n), "a power of 0 or more");
  OpChain chain(scope);
  if (n == 0) {
    const Attribute size = scope.context().attributes().integer(x.dims().back());
    const Value unit =
        chain.call("eye", {}, {{"n", size}, {"m", size}, {"dtype", scope.context().attributes().dtype(x.dtype())}});
    return chain.result(0, scope.failed() ? unit : chain.expand(unit, OpChain::dims(x)));
  }
  Value square = x, y;
  for (; n > 0 && !scope.failed(); n /= 2) {
    if (n % 2 == 1) y = y.valid() ? chain.call("matmul", {y, square}) : square;
    if (n > 1) square = chain.call("matmul", {square, square});
  }
  if (!scope.failed()) scope.result(0, y);
}

// Without an axis it is the first one of size 3.
void convert_cross(NodeScope& scope) {
  const Value a = scope.tensor("self"), b = scope.tensor("other");
  if (scope.failed()) return;
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const auto dims = scope.context().types().dims(type);
  std::int64_t axis = 0;
  if (scope.has("dim")) {
    axis = scope.axis(scope.constant("dim"), dims.size());
  } else {
    const auto found =
        std::ranges::find_if(dims, [&](IndexExpr d) { return scope.context().index().as_constant(d) == 3; });
    if (found == dims.end()) return scope.refuse<kArgumentMissing>("dim");
    axis = found - dims.begin();
  }
  OpChain chain(scope);
  const auto turned = [&](Value x, std::int64_t by) {
    return chain.call(
        "roll", {chain.cast(x, scope.context().types().dtype(type))},
        {{"shifts", chain.list({by})}, {"dims", chain.list({axis - static_cast<std::int64_t>(dims.size())})}});
  };
  const Value left = chain.call("mul", {turned(a, -1), turned(b, -2)});
  chain.result(0, chain.call("sub", {left, chain.call("mul", {turned(a, -2), turned(b, -1)})}));
}

// The powers of x from 0 on along a new last axis, each from the one before.
Value powers(NodeScope& scope, OpChain& chain, Value x, IndexExpr count) {
  std::vector<IndexExpr> one = OpChain::dims(x);
  one.push_back(chain.size(1));
  std::vector<IndexExpr> many = one;
  many.back() = scope.context().index().sub(count, chain.size(1));
  if (scope.failed()) return {};
  const Value ones = chain.full(one, std::int64_t{1}, x.dtype());
  if (scope.context().index().as_constant(many.back()) == 0) return ones;
  const Value products = chain.call("cumprod", {chain.expand(chain.view(x, one), many)}, {{"dim", chain.integer(-1)}});
  if (scope.failed()) return {};
  const std::array parts{chain.cast(ones, products.dtype()), products};
  return chain.cat(parts, one.size() - 1);
}

void convert_vander(NodeScope& scope) {
  const bool plain = scope.target() == "aten.vander.default";
  const Value x = scope.tensor("x");
  if (scope.failed()) return;
  if (x.rank() == 0) return scope.refuse<kOperandAxes>("its operand", x.rank(), "at least one");
  OpChain chain(scope);
  const IndexExpr count = scope.has("N") ? scope.integer("N") : x.dims().back();
  if (scope.failed()) return;
  if (scope.context().index().as_constant(count).value_or(1) < 1)
    return scope.refuse<kUnsupportedArgument>("N", scope.context().index().print(count), "at least one column");
  Value y = powers(scope, chain, x.dtype() == Dtype::I1 ? chain.cast(x, Dtype::I64) : x, count);
  if (plain && !scope.flag("increasing"))
    y = chain.call("flip", {y}, {{"dims", chain.list({static_cast<std::int64_t>(x.rank())})}});
  chain.result(0, y);
}

// --- norms

// Along axes; of all of them where the list is empty.
Value vector_norm(NodeScope& scope, OpChain& chain, Value x, double ord, std::span<const std::int64_t> axes,
                  bool keep) {
  NodeScope::Attrs attrs{{"ord", scope.context().attributes().real(ord)}, {"keepdim", chain.flag(keep)}};
  if (!axes.empty()) attrs.emplace_back("dim", chain.list(axes));
  return chain.call("linalg_vector_norm", {x}, attrs);
}

// The largest or least sum of magnitudes over the rows or the columns.
void matrix_norm(NodeScope& scope, Value x, double ord, std::array<std::int64_t, 2> axes, bool keep) {
  OpChain chain(scope);
  const bool columns = std::abs(ord) == 1;
  if (!columns && !std::isinf(ord))
    return scope.refuse<kUnsupportedArgument>("ord", "a norm of singular values", "a sum of magnitudes or of squares");
  const std::int64_t summed = columns ? axes[0] : axes[1], compared = columns ? axes[1] : axes[0];
  const Value sums = vector_norm(scope, chain, x, 1, std::array{summed}, true);
  Value y =
      chain.call(ord > 0 ? "amax" : "amin", {sums}, {{"dim", chain.list({compared})}, {"keepdim", chain.flag(true)}});
  if (!keep) y = chain.call("squeeze", {y}, {{"dim", chain.list(axes)}});
  chain.result(0, y);
}

void convert_norm(NodeScope& scope) {
  Value x = scope.tensor("self");
  if (scope.failed()) return;
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(scope.arguments(), [&](const BoundArgument& a) { return a.name == name; });
  };
  if (given("dtype"))
    if (const auto dtype = scope.dtype("dtype")) x = scope.cast(x, *dtype);
  const bool keep = scope.flag("keepdim"), of_matrix = scope.target().starts_with("aten.linalg_matrix_norm");
  if (scope.failed()) return;
  std::vector<std::int64_t> axes;
  for (const IntArg& axis : scope.argument("dim").ints) axes.push_back(scope.axis(axis.value, x.rank()));
  if (scope.failed()) return;
  OpChain chain(scope);
  const Argument& ord = scope.argument("ord");
  const bool word = ord.is(Kind::String), everything = axes.empty();
  if (everything) {
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(x.rank()); ++axis) axes.push_back(axis);
    // Without a kind of norm it is that of all elements in a line.
    if (!ord.none() && axes.size() > 2) return scope.refuse<kOperandAxes>("its operand", axes.size(), "at most two");
  }
  if (word && ord.text != "fro") return scope.refuse<kUnsupportedArgument>("ord", "`" + ord.text + "`", "`fro`");
  if (word && axes.size() != 2) return scope.refuse<kCountsDiffer>(axes.size(), "axes", 2, "axes of a matrix");
  if (word || ord.none() || (axes.size() < 2 && !of_matrix)) {
    const double kind = word || ord.none() ? 2 : scope.real("ord");
    if (axes.empty()) axes.push_back(0), x = chain.with_axis(x);
    return chain.result(0, vector_norm(scope, chain, x, kind, axes, keep));
  }
  if (axes.size() != 2) return scope.refuse<kCountsDiffer>(axes.size(), "axes", 2, "axes of a matrix");
  const double kind = scope.real("ord");
  if (!scope.failed()) matrix_norm(scope, x, kind, {axes[0], axes[1]}, keep);
}

// Of each slice along an axis; of the whole at axis -1.
void convert_norm_except(NodeScope& scope) {
  const Value v = scope.tensor("v");
  const std::int64_t given = scope.constant("dim");
  const double pow = scope.real("pow");
  if (scope.failed()) return;
  const std::int64_t axis = given == -1 ? -1 : scope.axis(given, v.rank());
  std::vector<std::int64_t> others;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(v.rank()); ++i)
    if (i != axis) others.push_back(i);
  OpChain chain(scope);
  chain.result(0, vector_norm(scope, chain, v, pow, others, axis >= 0));
}

// --- differences

// Central differences along axes, one-sided ones of the first or second order at both ends.
void convert_gradient(NodeScope& scope) {
  Value x = scope.tensor("self");
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(scope.arguments(),
                               [&](const BoundArgument& a) { return a.name == name && !a.value.none(); });
  };
  const double spacing = given("spacing") ? scope.real("spacing") : 1;
  const std::int64_t order = scope.constant("edge_order");
  if (scope.failed()) return;
  if (order != 1 && order != 2)
    return scope.refuse<kUnsupportedArgument>("edge_order", std::to_string(order), "1 or 2");
  std::vector<std::int64_t> axes;
  if (given("dim"))
    for (const IntArg& axis : scope.argument("dim").ints) axes.push_back(scope.axis(axis.value, x.rank()));
  else
    for (std::size_t axis = 0; axis < x.rank(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  if (scope.failed()) return;
  if (axes.size() != scope.output_names().size())
    return scope.refuse<kCountsDiffer>(scope.output_names().size(), "results", axes.size(), "axes");
  OpChain chain(scope);
  AttributePool& attributes = scope.context().attributes();
  if (!is_float(x.dtype())) x = chain.cast(x, Dtype::F32);
  const auto with = [&](std::string_view op, Value value, double number) {
    return chain.call(op, {value}, {{"other", attributes.real(number)}});
  };
  for (std::size_t i = 0; i < axes.size() && !scope.failed(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    IndexPool& pool = scope.context().index();
    const IndexExpr size = x.dims()[axis];
    const auto from_end = [&](std::int64_t back) { return pool.sub(size, chain.size(back)); };
    const auto slice = [&](IndexExpr start, IndexExpr end) { return chain.slice(x, axis, start, end); };
    const Value middle = with(
        "div", with("div", chain.call("sub", {slice(chain.size(2), size), slice(chain.size(0), from_end(2))}), spacing),
        2);
    // The difference at an end, from it inwards.
    const auto end = [&](bool first) {
      const auto at = [&](std::int64_t k) {
        return first ? slice(chain.size(k), chain.size(k + 1)) : slice(from_end(k + 1), from_end(k));
      };
      if (order == 1)
        return with("div", first ? chain.call("sub", {at(1), at(0)}) : chain.call("sub", {at(0), at(1)}), spacing);
      const double sign = first ? -1 : 1;
      const Value near = chain.call("sub", {with("mul", at(0), 1.5 * sign), with("mul", at(1), 2 * sign)});
      return with("div", chain.call("add", {near, with("mul", at(2), 0.5 * sign)}), spacing);
    };
    const Value before = end(true), after = end(false);
    if (scope.failed()) return;
    chain.result(i, chain.cat(std::array{before, middle, after}, axis));
  }
}

// --- the gamma function of several variables

// Sums of lgamma at steps of a half; PyTorch takes as many.
constexpr std::int64_t kMaxGammas = 1000;

void convert_mvlgamma(NodeScope& scope) {
  Value x = scope.tensor("self");
  const std::int64_t p = scope.constant("p");
  if (scope.failed()) return;
  if (p < 1 || p > kMaxGammas)
    return scope.refuse<kUnsupportedArgument>("p", std::to_string(p), "1 to " + std::to_string(kMaxGammas));
  OpChain chain(scope);
  AttributePool& attributes = scope.context().attributes();
  if (!is_float(x.dtype())) x = chain.cast(x, Dtype::F32);
  const auto plus = [&](Value of, double by) {
    return by == 0 ? of : chain.call("add", {of}, {{"other", attributes.real(by)}});
  };
  Value y;
  for (std::int64_t i = 0; i < p && !scope.failed(); ++i) {
    const Value term = chain.call("lgamma", {plus(x, -static_cast<double>(i) / 2)});
    y = y.valid() ? chain.call("add", {y, term}) : term;
  }
  constexpr double kLogPi = 1.1447298858494002;
  chain.result(0, plus(y, static_cast<double>(p * (p - 1)) / 4 * kLogPi));
}

constexpr Converter kAlgebraConverters[] = {
    {"aten.chain_matmul.default", convert_chain_matmul},
    {"aten.linalg_matrix_power.default", convert_matrix_power},
    {"aten.matrix_power.default", convert_matrix_power},
    {"aten.cross.default", convert_cross},
    {"aten.vander.default", convert_vander},
    {"aten.linalg_vander.default", convert_vander},
    {"aten.linalg_norm.default", convert_norm},
    {"aten.linalg_norm.ord_str", convert_norm},
    {"aten.linalg_matrix_norm.default", convert_norm},
    {"aten.linalg_matrix_norm.str_ord", convert_norm},
    {"aten.norm_except_dim.default", convert_norm_except},
    {"aten.gradient.scalarint", convert_gradient},
    {"aten.gradient.scalararray", convert_gradient},
    {"aten.gradient.array", convert_gradient},
    {"aten.mvlgamma.default", convert_mvlgamma},
    {"aten.special_multigammaln.default", convert_mvlgamma},
};

}  // namespace

std::span<const Converter> algebra_converters() { return kAlgebraConverters; }

}  // namespace mlgc::program
