// See relay_notation.h: rows that Relay has an operator for. A form gives nothing where the operator means something
// else.
#include <algorithm>
#include <array>

#include "export/relay/relay_notation.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

using RelayMade = std::optional<TensorValues>;

RelayMade one_result(RelayNotation& relay, const RowCall& call, std::string_view name,
                     std::span<const TensorValue> operands, const std::string& attributes) {
  return TensorValues{relay.operation(name, operands, attributes, call.results[0].dtype, call.results[0].shape)};
}
std::string numbers(const RowCall& call, std::string_view name) { return RelayNotation::list(call.constants(name)); }
std::string integer_text(const RowCall& call, std::string_view name) {
  if (const auto value = call.attrs.integer(name)) return std::to_string(*value);
  throw NoForm{"`" + std::string(name) + "` depends on a size"};
}
bool unread_from(const RowCall& call, std::size_t first) {
  for (std::size_t i = first; i < call.op.result_count(); ++i)
    if (call.op.result(i).has_uses()) return false;
  return true;
}
// The first result, where nothing reads the others.
RelayMade first_result(const RowCall& call, const TensorValue& value) {
  TensorValues out(call.results);
  out[0] = value;
  return out;
}
TensorValue with_bias(RelayNotation& relay, const RowCall& call, const TensorValue& value, int axis) {
  if (!call.has(2)) return value;
  return relay.operation("nn.bias_add", {value, call.operands[2]}, "axis=" + std::to_string(axis), value.dtype,
                         call.results[0].shape);
}

RelayMade relay_dense(RelayNotation& relay, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const TensorValue y =
      relay.operation("nn.dense", {x, call.operands[1]}, "units=None", x.dtype, call.results[0].shape);
  return TensorValues{with_bias(relay, call, y, -1)};
}
RelayMade relay_matmul(RelayNotation& relay, const RowCall& call) {
  if (call.operands[0].shape.size() != 2 || call.operands[1].shape.size() != 2) return std::nullopt;
  return one_result(relay, call, "nn.matmul", call.operands, "transpose_a=False, transpose_b=False");
}
RelayMade relay_convolution(RelayNotation& relay, const RowCall& call) {
  const std::string name(call.op.name());
  const bool transposed = name.starts_with("conv_transpose");
  const std::string spatial = name.substr(name.size() - 2);
  std::vector<std::int64_t> padding = call.constants("padding");
  padding.insert(padding.end(), padding.begin(), padding.end());
  std::string attributes = "strides=" + numbers(call, "stride") + ", padding=" + RelayNotation::list(padding) +
                           ", dilation=" + numbers(call, "dilation") + ", groups=" + integer_text(call, "groups");
  if (transposed) attributes += ", output_padding=" + numbers(call, "output_padding");
  const TensorValue y = relay.operation("nn.conv" + spatial + (transposed ? "_transpose" : ""), call.operands.first(2),
                                        attributes, call.results[0].dtype, call.results[0].shape);
  return TensorValues{with_bias(relay, call, y, 1)};
}
RelayMade relay_pool(RelayNotation& relay, const RowCall& call) {
  const std::string name(call.op.name());
  const bool largest = name.starts_with("max");
  if (!unread_from(call, 1) || call.attrs.has("divisor_override")) return std::nullopt;
  std::vector<std::int64_t> padding = call.constants("padding");
  padding.insert(padding.end(), padding.begin(), padding.end());
  std::string attributes = "pool_size=" + numbers(call, "kernel_size") + ", strides=" + numbers(call, "stride");
  if (largest) attributes += ", dilation=" + numbers(call, "dilation");
  attributes +=
      ", padding=" + RelayNotation::list(padding) + ", ceil_mode=" + (call.attrs.flag("ceil_mode") ? "True" : "False");
  if (!largest)
    attributes += std::string(", count_include_pad=") + (call.attrs.flag("count_include_pad") ? "True" : "False");
  return first_result(call, relay.operation("nn." + name, call.operands.first(1), attributes, call.results[0].dtype,
                                            call.results[0].shape));
}
RelayMade relay_softmax(RelayNotation& relay, const RowCall& call) {
  if (call.attrs.flag("safe") || call.attrs.has("dtype")) return std::nullopt;
  return one_result(relay, call, "nn." + std::string(call.op.name()), call.operands,
                    "axis=" + integer_text(call, "dim"));
}
RelayMade relay_layer_norm(RelayNotation& relay, const RowCall& call) {
  if (!unread_from(call, 1) || !call.has(2) || call.attrs.list("normalized_shape").size() != 1) return std::nullopt;
  const std::string epsilon = "axis=-1, epsilon=" + format_number(call.attrs.real("eps")) + "f";
  return first_result(
      call, relay.operation("nn.layer_norm", call.operands, epsilon, call.results[0].dtype, call.results[0].shape));
}
RelayMade relay_relu(RelayNotation& relay, const RowCall& call) {
  return one_result(relay, call, "nn.relu", call.operands, "");
}
RelayMade relay_leaky_relu(RelayNotation& relay, const RowCall& call) {
  return one_result(relay, call, "nn.leaky_relu", call.operands,
                    "alpha=" + format_number(call.attrs.real("negative_slope")) + "f");
}
RelayMade relay_clip(RelayNotation& relay, const RowCall& call) {
  if (!call.attrs.has("min") || !call.attrs.has("max")) return std::nullopt;
  return one_result(
      relay, call, "clip", call.operands,
      "a_min=" + format_number(call.attrs.real("min")) + "f, a_max=" + format_number(call.attrs.real("max")) + "f");
}

RelayMade relay_reshape(RelayNotation& relay, const RowCall& call) {
  return TensorValues{relay.reshape(call.operands[0], call.results[0].shape)};
}
RelayMade relay_transpose(RelayNotation& relay, const RowCall& call) {
  const std::size_t rank = call.operands[0].shape.size();
  if (rank == 0) return TensorValues{call.operands[0]};
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = i;
  std::swap(order[call.axis("dim0", rank)], order[call.axis("dim1", rank)]);
  return TensorValues{relay.permute(call.operands[0], order)};
}
RelayMade relay_permute(RelayNotation& relay, const RowCall& call) {
  std::vector<std::size_t> order;
  const auto rank = static_cast<std::int64_t>(call.operands[0].shape.size());
  for (const std::int64_t axis : call.constants("dims"))
    order.push_back(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  return TensorValues{relay.permute(call.operands[0], order)};
}
RelayMade relay_slice(RelayNotation& relay, const RowCall& call) {
  if (!call.attrs.integer("start") || !call.attrs.integer("end")) return std::nullopt;
  const std::size_t axis = call.axis("dim", call.operands[0].shape.size());
  return one_result(relay, call, "strided_slice", call.operands,
                    "begin=[" + integer_text(call, "start") + "], end=[" + integer_text(call, "end") + "], strides=[" +
                        integer_text(call, "step") + "], axes=[" + std::to_string(axis) + "]");
}
RelayMade relay_concatenate(RelayNotation& relay, const RowCall& call) {
  const bool stacks = call.op.name() == "stack";
  const std::size_t axis = call.axis("dim", call.operands[0].shape.size() + (stacks ? 1 : 0));
  return TensorValues{relay.of_tuple(stacks ? "stack" : "concatenate", call.operands, "axis=" + std::to_string(axis),
                                     call.results[0].dtype, call.results[0].shape)};
}
RelayMade relay_embedding(RelayNotation& relay, const RowCall& call) {
  return one_result(relay, call, "take", call.operands, "axis=0");
}
RelayMade relay_reduce(RelayNotation& relay, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (!is_float(x.dtype)) return std::nullopt;
  const std::string_view op = call.op.name();
  std::vector<std::int64_t> axes;
  for (const std::size_t axis : call.axes("dim", x.shape.size())) axes.push_back(static_cast<std::int64_t>(axis));
  return one_result(
      relay, call,
      op == "amax"   ? "max"
      : op == "amin" ? "min"
                     : op,
      call.operands,
      "axis=" + RelayNotation::list(axes) + ", keepdims=" + (call.attrs.flag("keepdim") ? "True" : "False"));
}
RelayMade relay_topk(RelayNotation& relay, const RowCall& call) {
  const std::string attributes = "k=" + integer_text(call, "k") + ", axis=" + integer_text(call, "dim") +
                                 ", ret_type=\"both\", is_ascend=" + (call.attrs.flag("largest") ? "False" : "True") +
                                 ", dtype=\"int64\"";
  return relay.items("topk", call.operands, attributes, call.results);
}

struct RelayRow {
  std::string_view name;
  RelayMade (*make)(RelayNotation& relay, const RowCall& call);
};
constexpr RelayRow kRelayRows[] = {
    {"linear", relay_dense},
    {"matmul", relay_matmul},
    {"conv1d", relay_convolution},
    {"conv2d", relay_convolution},
    {"conv3d", relay_convolution},
    {"conv_transpose1d", relay_convolution},
    {"conv_transpose2d", relay_convolution},
    {"conv_transpose3d", relay_convolution},
    {"max_pool1d", relay_pool},
    {"max_pool2d", relay_pool},
    {"max_pool3d", relay_pool},
    {"avg_pool1d", relay_pool},
    {"avg_pool2d", relay_pool},
    {"avg_pool3d", relay_pool},
    {"softmax", relay_softmax},
    {"log_softmax", relay_softmax},
    {"layer_norm", relay_layer_norm},
    {"relu", relay_relu},
    {"leaky_relu", relay_leaky_relu},
    {"clamp", relay_clip},
    {"view", relay_reshape},
    {"unsqueeze", relay_reshape},
    {"squeeze", relay_reshape},
    {"transpose", relay_transpose},
    {"permute", relay_permute},
    {"slice", relay_slice},
    {"cat", relay_concatenate},
    {"stack", relay_concatenate},
    {"embedding", relay_embedding},
    {"sum", relay_reduce},
    {"mean", relay_reduce},
    {"amax", relay_reduce},
    {"amin", relay_reduce},
    {"topk", relay_topk},
};

}  // namespace

RelayMade RelayNotation::row(const RowCall& call) {
  for (const TensorValue& value : call.operands)
    if (is_complex(value.dtype)) throw NoForm{"complex numbers"};
  for (const RelayRow& row : kRelayRows)
    if (row.name == call.op.name()) return row.make(*this, call);
  return std::nullopt;
}

}  // namespace mlgc
