// See xla_notation.h: operations on tensors.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "export/xla/xla_notation.h"

namespace mlgc {

TensorValue XlaNotation::number(const TensorNumber& value, Dtype dtype, std::size_t rank) {
  const std::vector<std::int64_t> shape(rank, 1);
  if (const auto* const truth = std::get_if<bool>(&value)) return xla_.splat_integer(dtype, *truth ? 1 : 0, shape);
  if (const auto* const real = std::get_if<double>(&value)) return xla_.splat(dtype, *real, shape);
  return xla_.splat_integer(dtype, xla_.constants(std::span(&std::get<IndexExpr>(value), 1))[0], shape);
}

TensorValue XlaNotation::positions(std::size_t rank, std::size_t axis, IndexExpr extent) {
  std::vector<std::int64_t> shape(rank, 1);
  shape[axis] = xla_.constants(std::span(&extent, 1))[0];
  return xla_.iota(Dtype::I64, std::move(shape), axis);
}

TensorValue XlaNotation::expand(const TensorValue& value, std::vector<IndexExpr> shape) {
  return xla_.broadcast(value, xla_.constants(shape));
}

TensorValue XlaNotation::reshape(const TensorValue& value, std::vector<IndexExpr> shape) {
  return xla_.resized(value, xla_.constants(shape));
}

TensorValue XlaNotation::permute(const TensorValue& value, const std::vector<std::size_t>& order) {
  return xla_.transposed(value, order);
}

TensorValue XlaNotation::cast(const TensorValue& value, Dtype dtype) {
  if (is_float(value.dtype) && is_integer(dtype) && dtype != Dtype::I64) {
    // Of numbers that do not fit the low bits are kept, and not the nearest number taken.
    return xla_.converted(xla_.converted(value, dtype == Dtype::UI8 ? Dtype::I64 : Dtype::I32), dtype);
  }
  return xla_.converted(value, dtype);
}

TensorValue XlaNotation::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  const std::vector<std::int64_t> shape = xla_.constants(common_shape(std::array{condition, a, b}));
  const TensorValues operands{xla_.broadcast(condition, shape), xla_.broadcast(a, shape), xla_.broadcast(b, shape)};
  return xla_.select(operands[0], operands[1], operands[2]);
}

// Index vectors, one for each element of `shape`.
TensorValue XlaNotation::joined_subscripts(std::span<const TensorValue> subscripts,
                                           const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> column = shape;
  column.push_back(1);
  TensorValues columns;
  for (const TensorValue& subscript : subscripts)
    columns.push_back(xla_.resized(xla_.broadcast(subscript, shape), column));
  if (columns.size() == 1) return columns[0];
  column.back() = static_cast<std::int64_t>(columns.size());
  return xla_.node(XlaOp::Concatenate, columns, {columns[0].dtype, column},
                   {{"dimensions", {static_cast<std::int64_t>(shape.size())}}});
}

// A subscript that is a number is a slice, and so is one that is a whole axis of the operand; the other ones make index
// vectors.
TensorValue XlaNotation::gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                                std::vector<IndexExpr> shape) {
  const std::vector<std::int64_t> to = xla_.constants(shape), &from = xla_.type(operand).shape;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto at = xla_.constant_of(subscripts[i]);
    if (!at || *at < 0 || *at >= from[i]) continue;
    std::vector<std::int64_t> rest = from;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    TensorValues others(subscripts.begin(), subscripts.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    return gather(xla_.resized(xla_.sliced(operand, i, *at, 1), rest), others, std::move(shape));
  }
  std::vector<std::optional<std::size_t>> whole(from.size());  // the axis of the result
  std::vector<bool> taken(to.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto along = xla_.iota_axis(subscripts[i]);
    if (!along || *along < next || to[*along] != from[i]) continue;
    const std::size_t axis = *along;
    bool alone = true;
    for (std::size_t j = 0; j < from.size(); ++j)
      alone = alone && (j == i || xla_.type(subscripts[j]).shape[axis] == 1);
    if (!alone) continue;
    whole[i] = axis;
    taken[axis] = true;
    next = axis + 1;
  }
  XlaList offset, collapsed, start_map, sizes;
  TensorValues columns;
  std::vector<std::int64_t> batch;
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    if (!taken[axis]) batch.push_back(to[axis]);
  for (std::size_t i = 0; i < from.size(); ++i) {
    sizes.push_back(whole[i] ? from[i] : 1);
    if (whole[i]) {
      offset.push_back(static_cast<std::int64_t>(*whole[i]));
      continue;
    }
    collapsed.push_back(static_cast<std::int64_t>(i));
    std::vector<std::int64_t> rest;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
      if (!taken[axis]) rest.push_back(xla_.type(subscripts[i]).shape[axis]);
    columns.push_back(xla_.resized(subscripts[i], rest));
  }
  start_map = collapsed;
  if (columns.empty()) return xla_.resized(operand, to);
  return xla_.node(XlaOp::Gather, {operand, joined_subscripts(columns, batch)}, {operand.dtype, to},
                   {{"offset", offset}, {"collapsed", collapsed}, {"start_map", start_map}, {"slice_sizes", sizes}});
}

TensorValue XlaNotation::scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                                 const TensorValue& values, WriteOp write) {
  const TensorValue indices = joined_subscripts(subscripts, xla_.type(values).shape);
  const TensorValue operands[] = {base, indices, values};
  return xla_.node_with_block(XlaOp::Scatter, operands, {xla_.type(base)}, {}, false, [&](Operands a, Operands b) {
    switch (write) {
      case WriteOp::Add: return TensorValues{xla_.binary(XlaOp::Add, a[0], b[0])};
      case WriteOp::Mul: return TensorValues{xla_.binary(XlaOp::Multiply, a[0], b[0])};
      case WriteOp::Max: return TensorValues{xla_.binary(XlaOp::Maximum, a[0], b[0])};
      case WriteOp::Min: return TensorValues{xla_.binary(XlaOp::Minimum, a[0], b[0])};
      case WriteOp::Set: break;
    }
    return TensorValues{b[0]};
  })[0];
}

TensorValue XlaNotation::reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype dtype) {
  XlaType from = xla_.type(value);
  XlaType to{dtype, {from.shape.begin(), from.shape.begin() + static_cast<std::ptrdiff_t>(first)}};
  XlaList axes;
  for (std::size_t i = first; i < from.shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  const double infinity = std::numeric_limits<double>::infinity();
  const auto extreme = [&](bool largest) {
    if (is_float(from.dtype)) return xla_.splat(from.dtype, largest ? -infinity : infinity, {});
    const auto [low, high] = extreme_integers(from.dtype);
    return xla_.splat_integer(from.dtype, largest ? low : high, {});
  };
  const auto of = [&](const TensorValue& operand, const TensorValue& initial, XlaOp op) {
    const TensorValue operands[] = {operand, initial};
    to.dtype = operand.dtype;
    return xla_.converted(
        xla_.node_with_block(XlaOp::Reduce, operands, {to}, {{"dimensions", axes}}, false,
                             [&](Operands a, Operands b) { return TensorValues{xla_.binary(op, a[0], b[0])}; })[0],
        dtype);
  };
  const auto truth = [&] {
    return from.dtype == Dtype::I1 ? value : xla_.compare("NE", value, xla_.splat(from.dtype, 0, from.shape));
  };
  switch (reduction) {
    case Reduction::Sum:
      return of(xla_.converted(value, xla_sum_type(dtype)), xla_.splat(xla_sum_type(dtype), 0, {}), XlaOp::Add);
    case Reduction::Prod:
      return of(xla_.converted(value, xla_sum_type(dtype)), xla_.splat(xla_sum_type(dtype), 1, {}), XlaOp::Multiply);
    case Reduction::Max: return of(value, extreme(true), XlaOp::Maximum);
    case Reduction::Min: return of(value, extreme(false), XlaOp::Minimum);
    case Reduction::Any: return of(truth(), xla_.splat_integer(Dtype::I1, 0, {}), XlaOp::Or);
    case Reduction::All: return of(truth(), xla_.splat_integer(Dtype::I1, 1, {}), XlaOp::And);
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  const bool largest = reduction == Reduction::ArgMax;
  std::vector<std::int64_t> flat = to.shape;
  flat.push_back(1);
  for (const std::int64_t axis : axes) flat.back() *= from.shape[static_cast<std::size_t>(axis)];
  const TensorValue operands[] = {xla_.resized(value, flat), xla_.iota(Dtype::I64, flat, first), extreme(largest),
                                  xla_.splat_integer(Dtype::I64, 0, {})};
  const std::vector<XlaType> results{{from.dtype, to.shape}, {Dtype::I64, to.shape}};
  return xla_.converted(
      xla_.node_with_block(XlaOp::Reduce, operands, results, {{"dimensions", {static_cast<std::int64_t>(first)}}},
                           false, [&](Operands a, Operands b) { return xla_.first_extremum(a, b, largest); })[1],
      dtype);
}

std::optional<TensorValue> XlaNotation::product(const TensorValue& a, const TensorValue& b, Dtype dtype) {
  const std::vector<std::int64_t>&left = xla_.type(a).shape, &right = xla_.type(b).shape;
  return xla_.converted(
      xla_.node(XlaOp::Dot, {a, b}, {xla_sum_type(a.dtype), {left[0], left[1], right[2]}},
                {{"lhs_batch", {0}}, {"rhs_batch", {0}}, {"lhs_contracting", {2}}, {"rhs_contracting", {1}}}),
      dtype);
}

}  // namespace mlgc
