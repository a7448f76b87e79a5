// See xla_windows.h.
#include "export/xla/xla_windows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "export/pool_windows.h"

namespace mlgc {
namespace {

// [1, 1] in front of what spatial axes have.
XlaList with_batch(const XlaList& spatial, std::int64_t first = 1) {
  XlaList out{first, first};
  out.insert(out.end(), spatial.begin(), spatial.end());
  return out;
}

TensorValue convolved(XlaBuilder& xla, const RowCall& call, const TensorValue& weight, XlaLists lists) {
  XlaType type = xla.type_of(call.results[0]);
  const Dtype dtype = type.dtype;
  const std::vector<std::int64_t> shape = type.shape;
  type.dtype = xla_sum_type(dtype);
  const TensorValue y =
      xla.converted(xla.node(XlaOp::Convolution, {call.operands[0], weight}, std::move(type), std::move(lists)), dtype);
  if (!call.has(2)) return y;
  std::vector<std::int64_t> bias(shape.size(), 1);
  bias[1] = shape[1];
  return xla.binary(XlaOp::Add, y, xla.broadcast(xla.resized(call.operands[2], bias), shape));
}

// How far a window reaches beyond the last element of each axis: more than the padding where sizes are rounded up.
XlaList overhang(const XlaList& in, const XlaList& out, const XlaList& window, const XlaList& strides,
                 const XlaList& low, const XlaList& dilations) {
  XlaList high;
  for (std::size_t i = 0; i < window.size(); ++i)
    high.push_back((out[i + 2] - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1 - in[i + 2] - low[i]);
  return high;
}

XlaLists window_lists(const XlaBuilder& xla, const RowCall& call, const PoolWindows& pool) {
  const XlaList &in = xla.type(call.operands[0]).shape, out = xla.constants(call.results[0].shape);
  return {{"window", with_batch(pool.window)},
          {"strides", with_batch(pool.strides)},
          {"low", with_batch(pool.low, 0)},
          {"high", with_batch(overhang(in, out, pool.window, pool.strides, pool.low, pool.dilations), 0)},
          {"window_dilations", with_batch(pool.dilations)}};
}

// As many as a window has of the elements, or of these and the padding, by its place along an axis.
XlaList counts_along(const XlaBuilder& xla, const RowCall& call, std::size_t i) {
  const std::vector<std::int64_t> shape = xla.constants(call.results[0].shape);
  const std::int64_t window = call.constants("kernel_size")[i], stride = call.constants("stride")[i];
  const std::int64_t padding = call.constants("padding")[i], extent = xla.type(call.operands[0]).shape[i + 2];
  const std::int64_t beyond = call.attrs.flag("count_include_pad") ? padding : 0;
  XlaList counts;
  for (std::int64_t at = 0; at < shape[i + 2]; ++at) {
    const std::int64_t first = at * stride - padding;
    counts.push_back(std::min(first + window, extent + beyond) - std::max(first, -beyond));
  }
  return counts;
}

}  // namespace

std::optional<TensorValues> xla_convolution(XlaBuilder& xla, const RowCall& call) {
  const XlaList padding = call.constants("padding"), ones(padding.size(), 1);
  return TensorValues{convolved(xla, call, call.operands[1],
                                {{"strides", call.constants("stride")},
                                 {"low", padding},
                                 {"high", padding},
                                 {"base_dilations", ones},
                                 {"window_dilations", call.constants("dilation")},
                                 {"groups", {*call.attrs.integer("groups")}}})};
}

// A convolution of the operand, spread by the stride, with the reversed weight, whose channel axes are transposed.
std::optional<TensorValues> xla_transposed_convolution(XlaBuilder& xla, const RowCall& call) {
  const XlaList padding = call.constants("padding"), dilation = call.constants("dilation");
  const XlaList more = call.constants("output_padding");
  const std::int64_t groups = *call.attrs.integer("groups");
  TensorValue weight = call.operands[1];
  const XlaList shape = xla.type(weight).shape;
  XlaList spatial, low, high, apart{groups, shape[0] / groups, shape[1]}, whole{groups * shape[1], shape[0] / groups};
  std::vector<std::size_t> order{0, 2, 1};
  for (std::size_t i = 0; i < padding.size(); ++i) {
    const std::int64_t size = shape[i + 2], reach = dilation[i] * (size - 1);
    spatial.push_back(static_cast<std::int64_t>(i) + 2);
    low.push_back(reach - padding[i]);
    high.push_back(reach - padding[i] + more[i]);
    apart.push_back(size);
    whole.push_back(size);
    order.push_back(i + 3);
  }
  weight = xla.node(XlaOp::Reverse, {weight}, xla.type(weight), {{"dimensions", spatial}});
  if (groups == 1) {
    order = {1, 0};
    for (const std::int64_t axis : spatial) order.push_back(static_cast<std::size_t>(axis));
    weight = xla.transposed(weight, order);
  } else {
    weight = xla.resized(xla.transposed(xla.resized(weight, apart), order), whole);
  }
  return TensorValues{convolved(xla, call, weight,
                                {{"strides", XlaList(padding.size(), 1)},
                                 {"low", low},
                                 {"high", high},
                                 {"base_dilations", call.constants("stride")},
                                 {"window_dilations", dilation},
                                 {"groups", {groups}}})};
}

std::optional<TensorValues> xla_max_pool(XlaBuilder& xla, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const XlaLists windows = window_lists(xla, call, PoolWindows(xla.sizes(), call));
  const TensorValue least = xla.splat(x.dtype, -std::numeric_limits<double>::infinity(), {});
  const XlaType values = xla.type_of(call.results[0]), indices = xla.type_of(call.results[1]);
  const TensorValue one_operand[] = {x, least};
  const auto larger = [&](XlaBuilder::Operands a, XlaBuilder::Operands b) {
    return TensorValues{xla.binary(XlaOp::Maximum, a[0], b[0])};
  };
  const TensorValue y = xla.node_with_block(XlaOp::ReduceWindow, one_operand, {values}, windows, false, larger)[0];
  if (!call.op.result(1).has_uses()) return TensorValues{y, xla.splat_integer(Dtype::I64, 0, indices.shape)};
  // Row-major positions of the spatial axes.
  const XlaList& shape = xla.type(x).shape;
  XlaList flat{1, 1, 1}, spatial{1, 1};
  for (std::size_t i = 2; i < shape.size(); ++i) {
    flat[2] *= shape[i];
    spatial.push_back(shape[i]);
  }
  const TensorValue at = xla.broadcast(xla.resized(xla.iota(Dtype::I64, flat, 2), spatial), shape);
  const TensorValue operands[] = {x, at, least, xla.splat_integer(Dtype::I64, 0, {})};
  const auto first = [&](XlaBuilder::Operands a, XlaBuilder::Operands b) { return xla.first_extremum(a, b, true); };
  const TensorValues both =
      xla.node_with_block(XlaOp::ReduceWindow, operands, {values, indices}, windows, false, first);
  return TensorValues{y, both[1]};
}

std::optional<TensorValues> xla_avg_pool(XlaBuilder& xla, const RowCall& call) {
  const XlaType type = xla.type_of(call.results[0]);
  if (!is_float(type.dtype)) return std::nullopt;
  const Dtype wide = xla_sum_type(type.dtype);
  const PoolWindows pool(xla.sizes(), call);
  const XlaLists windows = window_lists(xla, call, pool);
  const auto summed = [&](const TensorValue& value, const XlaType& to) {
    const TensorValue operands[] = {value, xla.splat(wide, 0, {})};
    const auto add = [&](XlaBuilder::Operands a, XlaBuilder::Operands b) {
      return TensorValues{xla.binary(XlaOp::Add, a[0], b[0])};
    };
    return xla.node_with_block(XlaOp::ReduceWindow, operands, {to}, windows, false, add)[0];
  };
  const TensorValue x = xla.converted(call.operands[0], wide);
  const TensorValue sum = summed(x, {wide, type.shape});
  // What is the same in every window is one number.
  const bool stated = call.attrs.has("divisor_override");
  double every = stated ? call.attrs.real("divisor_override") : 1;
  std::optional<TensorValue> varying;
  for (std::size_t i = 0; i < pool.window.size() && !stated; ++i) {
    const XlaList counts = counts_along(xla, call, i);
    if (std::ranges::all_of(counts, [&](std::int64_t count) { return count == counts[0]; })) {
      every *= counts.empty() ? 1 : static_cast<double>(counts[0]);
      continue;
    }
    XlaList alone(type.shape.size(), 1);
    alone[i + 2] = type.shape[i + 2];
    const TensorValue own = xla.broadcast(xla.resized(xla.numbers(wide, counts), alone), type.shape);
    varying = varying ? xla.binary(XlaOp::Multiply, *varying, own) : own;
  }
  TensorValue count = xla.splat(wide, every, type.shape);
  if (varying) count = every == 1 ? *varying : xla.binary(XlaOp::Multiply, *varying, count);
  return TensorValues{xla.converted(xla.binary(XlaOp::Divide, sum, count), type.dtype)};
}

}  // namespace mlgc
