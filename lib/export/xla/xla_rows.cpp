// See xla_rows.h.
#include "export/xla/xla_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "export/xla/xla_windows.h"

namespace mlgc {
namespace {

using Values = std::optional<TensorValues>;

std::int64_t as_integer(std::size_t i) { return static_cast<std::int64_t>(i); }
Values only(TensorValue value) { return TensorValues{std::move(value)}; }

// Products. Leading axes that only one side has, or that broadcast, take part as batches.
TensorValue matrix_product(XlaBuilder& xla, const TensorValue& a, const TensorValue& b, Dtype dtype) {
  const std::vector<std::int64_t>&left = xla.type(a).shape, &right = xla.type(b).shape;
  const std::size_t rows = left.size(), columns = right.size();
  XlaType type{xla_sum_type(dtype), {}};
  XlaLists lists;
  if (columns <= 2) {
    type.shape.assign(left.begin(), left.end() - 1);
    if (columns == 2) type.shape.push_back(right[1]);
    lists = {
        {"lhs_batch", {}}, {"rhs_batch", {}}, {"lhs_contracting", {as_integer(rows - 1)}}, {"rhs_contracting", {0}}};
    return xla.converted(xla.node(XlaOp::Dot, {a, b}, std::move(type), std::move(lists)), dtype);
  }
  const std::size_t own = rows == 1 ? 1 : 2, batches = std::max(rows - own, columns - 2);
  std::vector<std::int64_t> batch(batches, 1);
  const auto merge = [&](const std::vector<std::int64_t>& shape, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (shape[i] != 1) batch[batches - count + i] = shape[i];
  };
  merge(left, rows - own);
  merge(right, columns - 2);
  const auto whole = [&](const TensorValue& value, std::size_t kept) {
    const std::vector<std::int64_t>& shape = xla.type(value).shape;
    std::vector<std::int64_t> to = batch;
    to.insert(to.end(), shape.end() - static_cast<std::ptrdiff_t>(kept), shape.end());
    return xla.aligned(value, to);
  };
  XlaList axes(batches);
  std::iota(axes.begin(), axes.end(), 0);
  type.shape = batch;
  if (own == 2) type.shape.push_back(left[rows - 2]);
  type.shape.push_back(right.back());
  lists = {{"lhs_batch", axes},
           {"rhs_batch", axes},
           {"lhs_contracting", {as_integer(batches + own - 1)}},
           {"rhs_contracting", {as_integer(batches)}}};
  return xla.converted(xla.node(XlaOp::Dot, {whole(a, own), whole(b, 2)}, std::move(type), std::move(lists)), dtype);
}
Values matmul_row(XlaBuilder& xla, const RowCall& call) {
  return only(matrix_product(xla, call.operands[0], call.operands[1], call.results[0].dtype));
}
Values linear_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue &x = call.operands[0], &weight = call.operands[1];
  const Dtype dtype = call.results[0].dtype;
  XlaType type = xla.type_of(call.results[0]);
  const std::vector<std::int64_t> shape = type.shape;
  type.dtype = xla_sum_type(dtype);
  const TensorValue y = xla.converted(xla.node(XlaOp::Dot, {x, weight}, std::move(type),
                                               {{"lhs_batch", {}},
                                                {"rhs_batch", {}},
                                                {"lhs_contracting", {as_integer(shape.size() - 1)}},
                                                {"rhs_contracting", {1}}}),
                                      dtype);
  if (!call.has(2)) return only(y);
  return only(xla.binary(XlaOp::Add, y, xla.aligned(call.operands[2], shape)));
}
// beta*x + alpha*(a @ b)
Values addmm_row(XlaBuilder& xla, const RowCall& call) {
  const Dtype dtype = call.results[0].dtype;
  if (!is_float(dtype)) return std::nullopt;
  const std::vector<std::int64_t> shape = xla.constants(call.results[0].shape);
  const auto scaled = [&](const TensorValue& value, double factor) {
    return factor == 1 ? value : xla.binary(XlaOp::Multiply, value, xla.splat(dtype, factor, shape));
  };
  const TensorValue y =
      scaled(matrix_product(xla, call.operands[1], call.operands[2], dtype), call.attrs.real("alpha"));
  const double beta = call.attrs.real("beta");
  if (beta == 0) return only(y);
  return only(xla.binary(XlaOp::Add, scaled(xla.aligned(call.operands[0], shape), beta), y));
}

// Elements.
Values relu_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  return only(xla.binary(XlaOp::Maximum, x, xla.splat(x.dtype, 0, xla.type(x).shape)));
}
Values clamp_row(XlaBuilder& xla, const RowCall& call) {
  TensorValue x = call.operands[0];
  if (!is_float(x.dtype) || x.dtype != call.results[0].dtype) return std::nullopt;
  const std::vector<std::int64_t> shape = xla.type(x).shape;
  const bool low = call.attrs.has("min"), high = call.attrs.has("max");
  const auto bound = [&](std::string_view name) { return xla.splat(x.dtype, call.attrs.real(name), shape); };
  if (low && high) return only(xla.node(XlaOp::Clamp, {bound("min"), x, bound("max")}, xla.type(x)));
  if (low) return only(xla.binary(XlaOp::Maximum, x, bound("min")));
  if (high) return only(xla.binary(XlaOp::Minimum, x, bound("max")));
  return only(x);
}

// Movement.
Values reshape_row(XlaBuilder& xla, const RowCall& call) {
  return only(xla.resized(call.operands[0], xla.constants(call.results[0].shape)));
}
Values expand_row(XlaBuilder& xla, const RowCall& call) {
  return only(xla.aligned(call.operands[0], xla.constants(call.results[0].shape)));
}
Values transpose_row(XlaBuilder& xla, const RowCall& call) {
  const std::size_t rank = call.operands[0].shape.size();
  if (rank == 0) return only(call.operands[0]);
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[call.axis("dim0", rank)], order[call.axis("dim1", rank)]);
  return only(xla.transposed(call.operands[0], order));
}
Values permute_row(XlaBuilder& xla, const RowCall& call) {
  std::vector<std::size_t> order;
  const auto rank = as_integer(call.operands[0].shape.size());
  for (const std::int64_t axis : call.constants("dims"))
    order.push_back(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  return only(xla.transposed(call.operands[0], order));
}
Values flip_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const std::vector<std::size_t> axes = call.axes("dims", x.shape.size());
  if (axes.empty()) return only(x);
  return only(xla.node(XlaOp::Reverse, {x}, xla.type(x), {{"dimensions", {axes.begin(), axes.end()}}}));
}
// A constant position; one below 0 counts from the end.
std::optional<std::int64_t> position(const RowCall& call, std::string_view name, std::int64_t extent) {
  const auto at = call.attrs.integer(name);
  if (!at) return std::nullopt;
  return std::clamp<std::int64_t>(*at < 0 ? *at + extent : *at, 0, extent);
}
Values slice_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const std::size_t axis = call.axis("dim", x.shape.size());
  const auto start = position(call, "start", xla.type(x).shape[axis]), step = call.attrs.integer("step");
  if (!start || !step) return std::nullopt;
  return only(xla.sliced(x, axis, *start, xla.constants(call.results[0].shape)[axis], *step));
}
Values select_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const std::size_t axis = call.axis("dim", x.shape.size());
  const auto at = position(call, "index", xla.type(x).shape[axis]);
  if (!at) return std::nullopt;
  return only(xla.resized(xla.sliced(x, axis, *at, 1), xla.constants(call.results[0].shape)));
}
// `part` in the place of the elements from `start` on.
TensorValue updated(XlaBuilder& xla, const TensorValue& x, const TensorValue& part, std::size_t axis,
                    std::int64_t start) {
  TensorValues operands{x, part};
  for (std::size_t i = 0; i < xla.type(x).shape.size(); ++i)
    operands.push_back(xla.splat_integer(Dtype::I64, i == axis ? start : 0, {}));
  return xla.node(XlaOp::DynamicUpdateSlice, operands, xla.type(x));
}
Values slice_scatter_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue &x = call.operands[0], &part = call.operands[1];
  const std::size_t axis = call.axis("dim", x.shape.size());
  const auto start = position(call, "start", xla.type(x).shape[axis]);
  if (!start || call.attrs.integer("step") != 1) return std::nullopt;
  return only(updated(xla, x, part, axis, *start));
}
Values select_scatter_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue &x = call.operands[0], &part = call.operands[1];
  const std::size_t axis = call.axis("dim", x.shape.size());
  std::vector<std::int64_t> shape = xla.type(x).shape;
  const auto at = position(call, "index", shape[axis]);
  if (!at) return std::nullopt;
  shape[axis] = 1;
  return only(updated(xla, x, xla.resized(part, shape), axis, *at));
}
TensorValue joined_along(XlaBuilder& xla, const TensorValues& parts, std::size_t axis) {
  if (parts.size() == 1) return parts[0];
  XlaType type = xla.type(parts[0]);
  type.shape[axis] = 0;
  for (const TensorValue& part : parts) type.shape[axis] += xla.type(part).shape[axis];
  return xla.node(XlaOp::Concatenate, parts, std::move(type), {{"dimensions", {as_integer(axis)}}});
}
Values cat_row(XlaBuilder& xla, const RowCall& call) {
  return only(
      joined_along(xla, {call.operands.begin(), call.operands.end()}, call.axis("dim", call.operands[0].shape.size())));
}
Values stack_row(XlaBuilder& xla, const RowCall& call) {
  const std::size_t axis = call.axis("dim", call.operands[0].shape.size() + 1);
  std::vector<std::int64_t> one = xla.constants(call.results[0].shape);
  one[axis] = 1;
  TensorValues parts;
  for (const TensorValue& part : call.operands) parts.push_back(xla.resized(part, one));
  return only(joined_along(xla, parts, axis));
}
Values repeat_row(XlaBuilder& xla, const RowCall& call) {
  const std::vector<std::int64_t> repeats = call.constants("repeats"), &shape = xla.type(call.operands[0]).shape;
  std::vector<std::int64_t> apart, whole;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const std::size_t missing = repeats.size() - shape.size();
    const std::int64_t extent = i < missing ? 1 : shape[i - missing];
    apart.insert(apart.end(), {1, extent});
    whole.insert(whole.end(), {repeats[i], extent});
  }
  return only(
      xla.resized(xla.broadcast(xla.resized(call.operands[0], apart), whole), xla.constants(call.results[0].shape)));
}
Values pad_row(XlaBuilder& xla, const RowCall& call) {
  if (call.attrs.text("mode") != "constant") return std::nullopt;
  const TensorValue& x = call.operands[0];
  const std::vector<std::int64_t> amounts = call.constants("pad");
  const std::size_t rank = x.shape.size();
  XlaList low(rank, 0), high(rank, 0);
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    low[rank - 1 - i / 2] = amounts[i];
    high[rank - 1 - i / 2] = amounts[i + 1];
  }
  return only(xla.node(XlaOp::Pad, {x, xla.splat(x.dtype, call.attrs.real("value"), {})}, xla.type_of(call.results[0]),
                       {{"low", low}, {"high", high}, {"interior", XlaList(rank, 0)}}));
}

// Order.
// Values and positions along an axis; numbers that are none are the largest.
TensorValues sorted(XlaBuilder& xla, const TensorValue& x, std::size_t axis, bool descending) {
  const XlaType type = xla.type(x);
  const TensorValue operands[] = {x, xla.iota(Dtype::I64, type.shape, axis)};
  const auto before = [&](XlaBuilder::Operands a, XlaBuilder::Operands b) {
    const TensorValue &first = descending ? b[0] : a[0], &second = descending ? a[0] : b[0];
    TensorValue less = xla.compare("LT", first, second);
    if (is_float(x.dtype))
      less = xla.binary(XlaOp::Or, less,
                        xla.binary(XlaOp::And, xla.compare("EQ", first, first), xla.compare("NE", second, second)));
    return TensorValues{less};
  };
  return xla.node_with_block(XlaOp::Sort, operands, {type, {Dtype::I64, type.shape}},
                             {{"dimensions", {as_integer(axis)}}}, true, before);
}
Values sort_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (x.shape.empty()) return std::nullopt;
  return sorted(xla, x, call.axis("dim", x.shape.size()), call.attrs.flag("descending"));
}
Values topk_row(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (x.shape.empty()) return std::nullopt;
  const std::size_t axis = call.axis("dim", x.shape.size());
  TensorValues out = sorted(xla, x, axis, call.attrs.flag("largest"));
  const std::int64_t count = xla.constants(call.results[0].shape)[axis];
  for (TensorValue& value : out) value = xla.sliced(value, axis, 0, count);
  return out;
}
// A window up to each element.
Values running_row(XlaBuilder& xla, const RowCall& call, XlaOp op) {
  const Dtype dtype = call.results[0].dtype, wide = xla_sum_type(dtype);
  if (call.operands[0].shape.empty()) return std::nullopt;
  const TensorValue x = xla.converted(call.operands[0], wide);
  const std::size_t rank = x.shape.size(), axis = call.axis("dim", rank);
  const std::int64_t extent = xla.type(x).shape[axis];
  if (extent == 0) return std::nullopt;
  XlaList window(rank, 1), low(rank, 0);
  window[axis] = extent;
  low[axis] = extent - 1;
  const TensorValue operands[] = {x, xla.splat(wide, op == XlaOp::Add ? 0 : 1, {})};
  const auto combine = [&](XlaBuilder::Operands a, XlaBuilder::Operands b) {
    return TensorValues{xla.binary(op, a[0], b[0])};
  };
  return only(xla.converted(xla.node_with_block(XlaOp::ReduceWindow, operands, {xla.type(x)},
                                                {{"window", window},
                                                 {"strides", XlaList(rank, 1)},
                                                 {"low", low},
                                                 {"high", XlaList(rank, 0)},
                                                 {"window_dilations", XlaList(rank, 1)}},
                                                false, combine)[0],
                            dtype));
}
Values cumsum_row(XlaBuilder& xla, const RowCall& call) { return running_row(xla, call, XlaOp::Add); }
Values cumprod_row(XlaBuilder& xla, const RowCall& call) { return running_row(xla, call, XlaOp::Multiply); }

struct XlaRow {
  std::string_view name;
  Values (*make)(XlaBuilder& xla, const RowCall& call);
};
constexpr XlaRow kXlaRows[] = {
    {"matmul", matmul_row},
    {"linear", linear_row},
    {"addmm", addmm_row},
    {"baddbmm", addmm_row},
    {"relu", relu_row},
    {"clamp", clamp_row},
    {"view", reshape_row},
    {"unsqueeze", reshape_row},
    {"squeeze", reshape_row},
    {"expand", expand_row},
    {"transpose", transpose_row},
    {"permute", permute_row},
    {"flip", flip_row},
    {"slice", slice_row},
    {"select", select_row},
    {"slice_scatter", slice_scatter_row},
    {"select_scatter", select_scatter_row},
    {"cat", cat_row},
    {"stack", stack_row},
    {"repeat", repeat_row},
    {"pad", pad_row},
    {"sort", sort_row},
    {"topk", topk_row},
    {"cumsum", cumsum_row},
    {"cumprod", cumprod_row},
    {"conv1d", xla_convolution},
    {"conv2d", xla_convolution},
    {"conv3d", xla_convolution},
    {"conv_transpose1d", xla_transposed_convolution},
    {"conv_transpose2d", xla_transposed_convolution},
    {"conv_transpose3d", xla_transposed_convolution},
    {"max_pool1d", xla_max_pool},
    {"max_pool2d", xla_max_pool},
    {"max_pool3d", xla_max_pool},
    {"avg_pool1d", xla_avg_pool},
    {"avg_pool2d", xla_avg_pool},
    {"avg_pool3d", xla_avg_pool},
};

}  // namespace

Values xla_row(XlaBuilder& xla, const RowCall& call) {
  for (const TensorValue& value : call.operands)
    if (is_complex(value.dtype)) throw NoForm{"complex numbers"};
  for (const XlaRow& row : kXlaRows)
    if (row.name == call.op.name()) return row.make(xla, call);
  return std::nullopt;
}

}  // namespace mlgc
