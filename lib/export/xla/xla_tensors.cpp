// See xla_notation.h: operations on tensors.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "export/xla/xla_notation.h"

namespace mlgc {

TensorValue XlaNotation::constant(XlaType type, std::string bytes, bool splat) {
  if (is_complex(type.dtype)) throw NoForm{"complex numbers"};
  XlaNode node{.op = XlaOp::Constant, .bytes = std::move(bytes), .splat = splat};
  return add(std::move(node), std::move(type));
}

TensorValue XlaNotation::splat(Dtype dtype, double value, std::vector<std::int64_t> shape) {
  const Tensor one = Tensor::splat(dtype, {}, value);
  return constant({dtype, std::move(shape)},
                  std::string(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size()), true);
}
TensorValue XlaNotation::splat_integer(Dtype dtype, std::int64_t value, std::vector<std::int64_t> shape) {
  const Tensor one = Tensor::splat_int(dtype, {}, value);
  return constant({dtype, std::move(shape)},
                  std::string(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size()), true);
}
TensorValue XlaNotation::numbers(Dtype dtype, const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t value : values) {
    const Tensor one = Tensor::splat_int(dtype, {}, value);
    bytes.append(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size());
  }
  return constant({dtype, {static_cast<std::int64_t>(values.size())}}, std::move(bytes), false);
}
TensorValue XlaNotation::number(const TensorNumber& value, Dtype dtype, std::size_t rank) {
  const std::vector<std::int64_t> shape(rank, 1);
  if (const auto* const truth = std::get_if<bool>(&value)) return splat_integer(dtype, *truth ? 1 : 0, shape);
  if (const auto* const real = std::get_if<double>(&value)) return splat(dtype, *real, shape);
  return splat_integer(dtype, constants(std::span(&std::get<IndexExpr>(value), 1))[0], shape);
}

TensorValue XlaNotation::iota(Dtype dtype, std::vector<std::int64_t> shape, std::size_t axis) {
  return node(XlaOp::Iota, {}, {dtype, std::move(shape)}, {{"dimensions", {static_cast<std::int64_t>(axis)}}});
}
TensorValue XlaNotation::positions(std::size_t rank, std::size_t axis, IndexExpr extent) {
  std::vector<std::int64_t> shape(rank, 1);
  shape[axis] = constants(std::span(&extent, 1))[0];
  return iota(Dtype::I64, std::move(shape), axis);
}

// Shapes.
TensorValue XlaNotation::resized(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  if (type(value).shape == shape) return value;
  // Of a reshape: of what that is of.
  if (const auto found = reshapes_.find(id(value)); found != reshapes_.end())
    return resized(value_of(found->second), shape);
  if (const auto found = splats_.find(id(value)); found != splats_.end())
    return constant({value.dtype, shape}, std::string(found->second), true);
  return node(XlaOp::Reshape, {value}, {value.dtype, shape});
}
TensorValue XlaNotation::broadcast(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  const std::vector<std::int64_t>& from = type(value).shape;
  if (from == shape) return value;
  if (splats_.contains(id(value))) return resized(value, shape);
  if (const auto found = iotas_.find(id(value)); found != iotas_.end() && from[found->second] == shape[found->second])
    return iota(value.dtype, shape, found->second);
  std::vector<std::int64_t> kept, axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (from[i] == shape[i]) {
      kept.push_back(shape[i]);
      axes.push_back(static_cast<std::int64_t>(i));
    }
  return node(XlaOp::Broadcast, {resized(value, kept)}, {value.dtype, shape}, {{"dimensions", axes}});
}
TensorValue XlaNotation::aligned(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> whole = type(value).shape;
  whole.insert(whole.begin(), shape.size() - whole.size(), 1);
  if (whole == shape || splats_.contains(id(value))) return resized(value, shape);
  std::vector<std::int64_t> axes;
  for (std::size_t i = shape.size() - type(value).shape.size(); i < shape.size(); ++i) {
    if (whole[i] != shape[i]) return broadcast(resized(value, whole), shape);
    axes.push_back(static_cast<std::int64_t>(i));
  }
  return node(XlaOp::Broadcast, {value}, {value.dtype, shape}, {{"dimensions", axes}});
}
TensorValue XlaNotation::transposed(const TensorValue& value, const std::vector<std::size_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  XlaType to{value.dtype, {}};
  for (const std::size_t axis : order) to.shape.push_back(type(value).shape[axis]);
  return node(XlaOp::Transpose, {value}, std::move(to), {{"dimensions", {order.begin(), order.end()}}});
}
TensorValue XlaNotation::expand(const TensorValue& value, std::vector<IndexExpr> shape) {
  return broadcast(value, constants(shape));
}
TensorValue XlaNotation::reshape(const TensorValue& value, std::vector<IndexExpr> shape) {
  return resized(value, constants(shape));
}
TensorValue XlaNotation::permute(const TensorValue& value, const std::vector<std::size_t>& order) {
  return transposed(value, order);
}

TensorValue XlaNotation::sliced(const TensorValue& value, std::size_t axis, std::int64_t start, std::int64_t count,
                                std::int64_t step) {
  XlaType to = type(value);
  if (count == to.shape[axis] && step == 1) return value;
  XlaList starts(to.shape.size(), 0), limits = to.shape, strides(to.shape.size(), 1);
  starts[axis] = start;
  limits[axis] = count == 0 ? start : start + (count - 1) * step + 1;
  strides[axis] = step;
  to.shape[axis] = count;
  return node(XlaOp::Slice, {value}, std::move(to), {{"start", starts}, {"limit", limits}, {"strides", strides}});
}

// Elements.
TensorValue XlaNotation::converted(const TensorValue& value, Dtype dtype) {
  if (value.dtype == dtype) return value;
  return node(XlaOp::Convert, {value}, {dtype, type(value).shape});
}
TensorValue XlaNotation::cast(const TensorValue& value, Dtype dtype) {
  if (is_float(value.dtype) && is_integer(dtype) && dtype != Dtype::I64) {
    // Of numbers that do not fit the low bits are kept, and not the nearest number taken.
    return converted(converted(value, dtype == Dtype::UI8 ? Dtype::I64 : Dtype::I32), dtype);
  }
  return converted(value, dtype);
}
TensorValue XlaNotation::binary(XlaOp op, const TensorValue& a, const TensorValue& b) {
  return node(op, {a, b}, type(a));
}
TensorValue XlaNotation::compare(std::string_view direction, const TensorValue& a, const TensorValue& b) {
  return node(XlaOp::Compare, {a, b}, {Dtype::I1, type(a).shape}, {}, direction);
}
TensorValue XlaNotation::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  const std::vector<std::int64_t> shape = constants(common_shape(std::array{condition, a, b}));
  return node(XlaOp::Select, {broadcast(condition, shape), broadcast(a, shape), broadcast(b, shape)}, {a.dtype, shape});
}

// Index vectors, one for each element of `shape`.
TensorValue XlaNotation::joined_subscripts(std::span<const TensorValue> subscripts,
                                           const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> column = shape;
  column.push_back(1);
  TensorValues columns;
  for (const TensorValue& subscript : subscripts) columns.push_back(resized(broadcast(subscript, shape), column));
  if (columns.size() == 1) return columns[0];
  column.back() = static_cast<std::int64_t>(columns.size());
  return node(XlaOp::Concatenate, columns, {columns[0].dtype, column},
              {{"dimensions", {static_cast<std::int64_t>(shape.size())}}});
}

// The number that stands for every element of a constant.
std::optional<std::int64_t> XlaNotation::constant_of(const TensorValue& value) const {
  const auto found = splats_.find(id(value));
  if (found == splats_.end() || value.dtype != Dtype::I64) return std::nullopt;
  std::int64_t out = 0;
  std::memcpy(&out, found->second.data(), sizeof out);
  return out;
}

// A subscript that is a number is a slice, and so is one that is a whole axis of the operand; the other ones make index
// vectors.
TensorValue XlaNotation::gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                                std::vector<IndexExpr> shape) {
  const std::vector<std::int64_t> to = constants(shape), &from = type(operand).shape;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto at = constant_of(subscripts[i]);
    if (!at || *at < 0 || *at >= from[i]) continue;
    std::vector<std::int64_t> rest = from;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    TensorValues others(subscripts.begin(), subscripts.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    return gather(resized(sliced(operand, i, *at, 1), rest), others, std::move(shape));
  }
  std::vector<std::optional<std::size_t>> sliced(from.size());  // the axis of the result
  std::vector<bool> taken(to.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto found = iotas_.find(id(subscripts[i]));
    if (found == iotas_.end() || found->second < next || to[found->second] != from[i]) continue;
    const std::size_t axis = found->second;
    bool alone = true;
    for (std::size_t j = 0; j < from.size(); ++j) alone = alone && (j == i || type(subscripts[j]).shape[axis] == 1);
    if (!alone) continue;
    sliced[i] = axis;
    taken[axis] = true;
    next = axis + 1;
  }
  XlaList offset, collapsed, start_map, sizes;
  TensorValues columns;
  std::vector<std::int64_t> batch;
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    if (!taken[axis]) batch.push_back(to[axis]);
  for (std::size_t i = 0; i < from.size(); ++i) {
    sizes.push_back(sliced[i] ? from[i] : 1);
    if (sliced[i]) {
      offset.push_back(static_cast<std::int64_t>(*sliced[i]));
      continue;
    }
    collapsed.push_back(static_cast<std::int64_t>(i));
    std::vector<std::int64_t> rest;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
      if (!taken[axis]) rest.push_back(type(subscripts[i]).shape[axis]);
    columns.push_back(resized(subscripts[i], rest));
  }
  start_map = collapsed;
  if (columns.empty()) return resized(operand, to);
  return node(XlaOp::Gather, {operand, joined_subscripts(columns, batch)}, {operand.dtype, to},
              {{"offset", offset}, {"collapsed", collapsed}, {"start_map", start_map}, {"slice_sizes", sizes}});
}

TensorValue XlaNotation::scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                                 const TensorValue& values, WriteOp write) {
  const TensorValue indices = joined_subscripts(subscripts, type(values).shape);
  const TensorValue operands[] = {base, indices, values};
  return node_with_block(XlaOp::Scatter, operands, {type(base)}, {}, false, [&](Operands a, Operands b) {
    switch (write) {
      case WriteOp::Add: return TensorValues{binary(XlaOp::Add, a[0], b[0])};
      case WriteOp::Mul: return TensorValues{binary(XlaOp::Multiply, a[0], b[0])};
      case WriteOp::Max: return TensorValues{binary(XlaOp::Maximum, a[0], b[0])};
      case WriteOp::Min: return TensorValues{binary(XlaOp::Minimum, a[0], b[0])};
      case WriteOp::Set: break;
    }
    return TensorValues{b[0]};
  })[0];
}

// Reductions.
Dtype XlaNotation::sum_type(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16 ? Dtype::F32 : dtype; }

TensorValues XlaNotation::first_extremum(Operands a, Operands b, bool largest) {
  TensorValue first = compare(largest ? "GT" : "LT", a[0], b[0]);
  if (is_float(a[0].dtype)) first = binary(XlaOp::Or, first, compare("NE", a[0], a[0]));
  const TensorValue tie = binary(XlaOp::And, compare("EQ", a[0], b[0]), compare("LT", a[1], b[1]));
  return {select(first, a[0], b[0]), select(binary(XlaOp::Or, first, tie), a[1], b[1])};
}

TensorValue XlaNotation::reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype dtype) {
  XlaType from = type(value);
  XlaType to{dtype, {from.shape.begin(), from.shape.begin() + static_cast<std::ptrdiff_t>(first)}};
  XlaList axes;
  for (std::size_t i = first; i < from.shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  const double infinity = std::numeric_limits<double>::infinity();
  const auto extreme = [&](bool largest) {
    if (is_float(from.dtype)) return splat(from.dtype, largest ? -infinity : infinity, {});
    const auto [low, high] = extreme_integers(from.dtype);
    return splat_integer(from.dtype, largest ? low : high, {});
  };
  const auto of = [&](const TensorValue& operand, const TensorValue& initial, XlaOp op) {
    const TensorValue operands[] = {operand, initial};
    to.dtype = operand.dtype;
    return converted(node_with_block(XlaOp::Reduce, operands, {to}, {{"dimensions", axes}}, false,
                                     [&](Operands a, Operands b) { return TensorValues{binary(op, a[0], b[0])}; })[0],
                     dtype);
  };
  const auto truth = [&] {
    return from.dtype == Dtype::I1 ? value : compare("NE", value, splat(from.dtype, 0, from.shape));
  };
  switch (reduction) {
    case Reduction::Sum: return of(converted(value, sum_type(dtype)), splat(sum_type(dtype), 0, {}), XlaOp::Add);
    case Reduction::Prod: return of(converted(value, sum_type(dtype)), splat(sum_type(dtype), 1, {}), XlaOp::Multiply);
    case Reduction::Max: return of(value, extreme(true), XlaOp::Maximum);
    case Reduction::Min: return of(value, extreme(false), XlaOp::Minimum);
    case Reduction::Any: return of(truth(), splat_integer(Dtype::I1, 0, {}), XlaOp::Or);
    case Reduction::All: return of(truth(), splat_integer(Dtype::I1, 1, {}), XlaOp::And);
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  const bool largest = reduction == Reduction::ArgMax;
  std::vector<std::int64_t> flat = to.shape;
  flat.push_back(1);
  for (const std::int64_t axis : axes) flat.back() *= from.shape[static_cast<std::size_t>(axis)];
  const TensorValue operands[] = {resized(value, flat), iota(Dtype::I64, flat, first), extreme(largest),
                                  splat_integer(Dtype::I64, 0, {})};
  const std::vector<XlaType> results{{from.dtype, to.shape}, {Dtype::I64, to.shape}};
  return converted(
      node_with_block(XlaOp::Reduce, operands, results, {{"dimensions", {static_cast<std::int64_t>(first)}}}, false,
                      [&](Operands a, Operands b) { return first_extremum(a, b, largest); })[1],
      dtype);
}

std::optional<TensorValue> XlaNotation::product(const TensorValue& a, const TensorValue& b, Dtype dtype) {
  const std::vector<std::int64_t>&left = type(a).shape, &right = type(b).shape;
  return converted(node(XlaOp::Dot, {a, b}, {sum_type(a.dtype), {left[0], left[1], right[2]}},
                        {{"lhs_batch", {0}}, {"rhs_batch", {0}}, {"lhs_contracting", {2}}, {"rhs_contracting", {1}}}),
                   dtype);
}

}  // namespace mlgc
