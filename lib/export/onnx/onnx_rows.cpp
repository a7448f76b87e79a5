// See onnx_notation.h: rows that ONNX has an operator for. A form gives nothing where the operator means something
// else.
#include <algorithm>
#include <array>

#include "export/onnx/onnx_notation.h"
#include "export/pool_windows.h"

namespace mlgc {
namespace {

using Made = std::optional<TensorValues>;
using Numbers = std::vector<std::int64_t>;

// One node, for the first result.
TensorValues one(OnnxNotation& to, const RowCall& call, std::string_view op_type, const OnnxNotation::Inputs& inputs,
                 std::vector<OnnxAttribute> attributes = {}) {
  return {to.node(op_type, inputs, std::move(attributes), call.results[0].dtype, call.results[0].shape)};
}
template <std::size_t N>
struct Word {
  constexpr Word(const char (&text)[N]) { std::copy_n(text, N, value.data()); }
  std::array<char, N> value{};
  [[nodiscard]] constexpr std::string_view text() const { return {value.data(), N - 1}; }
};
template <Word OpType>
Made same(OnnxNotation& to, const RowCall& call) {
  OnnxNotation::Inputs inputs;
  for (const TensorValue& operand : call.operands) inputs.push_back(&operand);
  return one(to, call, OpType.text(), inputs);
}

std::int64_t signed_axis(std::size_t axis) { return static_cast<std::int64_t>(axis); }
TensorValue number(OnnxNotation& to, double value, Dtype dtype) { return to.number(value, dtype, 0); }
// Ones or zeros where the operand is absent, as long as `like`.
TensorValue vector_of(OnnxNotation& to, const RowCall& call, std::size_t operand, double otherwise,
                      const TensorValue& like, std::vector<IndexExpr> shape) {
  if (call.has(operand)) return call.operands[operand];
  return to.expand(to.number(otherwise, like.dtype, shape.size()), std::move(shape));
}
bool is_read(const RowCall& call, std::size_t result) { return call.op.result(result).has_uses(); }

// Products.
Made linear(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const TensorValue& weight = call.operands[1];
  if (!is_float(x.dtype) || weight.shape.size() != 2) return std::nullopt;
  if (x.shape.size() == 2)
    return one(to, call, "Gemm", {&x, &weight, call.has(2) ? &call.operands[2] : nullptr}, {onnx_integer("transB", 1)});
  const TensorValue turned = to.permute(weight, {1, 0});
  TensorValues out = one(to, call, "MatMul", {&x, &turned});
  return call.has(2) ? one(to, call, "Add", {&out[0], &call.operands[2]}) : out;
}
Made addmm(OnnxNotation& to, const RowCall& call) {
  if (!is_float(call.results[0].dtype)) return std::nullopt;
  const double beta = call.attrs.real("beta");
  return one(to, call, "Gemm", {&call.operands[1], &call.operands[2], beta == 0 ? nullptr : &call.operands[0]},
             {onnx_real("alpha", call.attrs.real("alpha")), onnx_real("beta", beta)});
}
Made matmul(OnnxNotation& to, const RowCall& call) {
  return is_float(call.results[0].dtype) ? same<"MatMul">(to, call) : std::nullopt;
}

// Windows.
Numbers twice(const Numbers& padding) {
  Numbers out = padding;
  out.insert(out.end(), padding.begin(), padding.end());
  return out;
}
std::vector<OnnxAttribute> window(const RowCall& call, std::initializer_list<std::string_view> names) {
  std::vector<OnnxAttribute> out;
  for (const std::string_view name : names) {
    const Numbers numbers = call.constants(name);
    if (name == "stride") out.push_back({"strides", numbers});
    if (name == "padding") out.push_back({"pads", twice(numbers)});
    if (name == "dilation") out.push_back({"dilations", numbers});
    if (name == "output_padding") out.push_back({"output_padding", numbers});
  }
  return out;
}
template <Word OpType>
Made convolution(OnnxNotation& to, const RowCall& call) {
  if (!is_float(call.results[0].dtype)) return std::nullopt;
  const bool transposed = OpType.text() != "Conv";
  std::vector<OnnxAttribute> attributes = transposed ? window(call, {"stride", "padding", "dilation", "output_padding"})
                                                     : window(call, {"stride", "padding", "dilation"});
  attributes.push_back(onnx_integer("group", call.attrs.integer("groups").value_or(1)));
  return one(to, call, OpType.text(), {&call.operands[0], &call.operands[1], call.has(2) ? &call.operands[2] : nullptr},
             std::move(attributes));
}
// Whether rounding up makes no window more: engines differ in where such a last one may start.
bool rounds_down(OnnxNotation& to, const RowCall& call, const PoolWindows& pool) {
  if (!call.attrs.flag("ceil_mode")) return true;
  IndexPool& sizes = to.sizes();
  const std::size_t first = call.operands[0].shape.size() - pool.window.size();
  for (std::size_t i = 0; i < pool.window.size(); ++i) {
    const std::int64_t more = 2 * pool.low[i] - pool.dilations[i] * (pool.window[i] - 1) - 1;
    const IndexExpr reach = sizes.add(call.operands[0].shape[first + i], sizes.constant(more));
    const IndexExpr windows = sizes.add(sizes.floordiv(reach, sizes.constant(pool.strides[i])), sizes.constant(1));
    if (windows != call.results[0].shape[first + i]) return false;
  }
  return true;
}
std::vector<OnnxAttribute> attributes_of(const PoolWindows& pool) {
  return {{"kernel_shape", pool.window}, {"strides", pool.strides}, {"pads", twice(pool.low)}};
}
// Positions count otherwise there.
Made max_pool(OnnxNotation& to, const RowCall& call) {
  const PoolWindows pool(to.sizes(), call);
  if (is_read(call, 1) || !rounds_down(to, call, pool)) return std::nullopt;
  std::vector<OnnxAttribute> attributes = attributes_of(pool);
  attributes.push_back({"dilations", pool.dilations});
  TensorValues out = one(to, call, "MaxPool", {&call.operands[0]}, std::move(attributes));
  out.push_back(to.unread(call.results[1]));
  return out;
}
Made average_pool(OnnxNotation& to, const RowCall& call) {
  const PoolWindows pool(to.sizes(), call);
  const bool padding_counts = call.attrs.flag("count_include_pad");
  if (!is_float(call.results[0].dtype) || !rounds_down(to, call, pool) || call.attrs.has("divisor_override") ||
      (padding_counts && !pool.elements_only))
    return std::nullopt;
  std::vector<OnnxAttribute> attributes = attributes_of(pool);
  attributes.push_back(onnx_integer("count_include_pad", padding_counts ? 1 : 0));
  return one(to, call, "AveragePool", {&call.operands[0]}, std::move(attributes));
}

// Normalisations.
template <Word OpType>
Made over_axis(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (x.shape.empty() || call.attrs.has("dtype") || call.attrs.flag("safe")) return std::nullopt;
  return one(to, call, OpType.text(), {&x}, {onnx_integer("axis", signed_axis(call.axis("dim", x.shape.size())))});
}
Made layer_norm(OnnxNotation& to, const RowCall& call) {
  if (is_read(call, 1) || is_read(call, 2)) return std::nullopt;
  const TensorValue& x = call.operands[0];
  const std::size_t axes = call.attrs.list("normalized_shape").size();
  const std::size_t first = x.shape.size() - axes;
  const TensorValue scale =
      vector_of(to, call, 1, 1, x, {x.shape.begin() + static_cast<std::ptrdiff_t>(first), x.shape.end()});
  TensorValues out = one(to, call, "LayerNormalization", {&x, &scale, call.has(2) ? &call.operands[2] : nullptr},
                         {onnx_integer("axis", signed_axis(first)), onnx_real("epsilon", call.attrs.real("eps"))});
  for (const std::size_t i : {1, 2}) out.push_back(to.unread(call.results[i]));
  return out;
}
Made batch_norm(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (x.shape.size() < 2) return std::nullopt;
  const TensorValue scale = vector_of(to, call, 3, 1, x, {x.shape[1]}),
                    bias = vector_of(to, call, 4, 0, x, {x.shape[1]});
  return one(to, call, "BatchNormalization", {&x, &scale, &bias, &call.operands[1], &call.operands[2]},
             {onnx_real("epsilon", call.attrs.real("eps"))});
}
Made instance_norm(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  if (x.shape.size() < 3) return std::nullopt;
  const TensorValue scale = vector_of(to, call, 1, 1, x, {x.shape[1]}),
                    bias = vector_of(to, call, 2, 0, x, {x.shape[1]});
  return one(to, call, "InstanceNormalization", {&x, &scale, &bias}, {onnx_real("epsilon", call.attrs.real("eps"))});
}

// Each group as a channel of InstanceNormalization, then scaled and shifted by channel.
Made group_norm(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const auto groups = call.attrs.integer("num_groups");
  if (x.shape.size() < 2 || !groups || is_read(call, 1) || is_read(call, 2)) return std::nullopt;
  IndexPool& sizes = to.sizes();
  const IndexExpr count = sizes.constant(*groups), one_more = sizes.constant(1);
  IndexExpr rest = sizes.floordiv(x.shape[1], count);
  for (std::size_t i = 2; i < x.shape.size(); ++i) rest = sizes.mul(rest, x.shape[i]);
  const TensorValue grouped = to.reshape(x, {x.shape[0], count, rest});
  const TensorValue ones = to.expand(to.number(1.0, x.dtype, 1), {count}),
                    zeros = to.expand(to.number(0.0, x.dtype, 1), {count});
  const TensorValue normal = to.node("InstanceNormalization", {&grouped, &ones, &zeros},
                                     {onnx_real("epsilon", call.attrs.real("eps"))}, x.dtype, grouped.shape);
  TensorValue out = to.reshape(normal, x.shape);
  std::vector<IndexExpr> channels(x.shape.size() - 1, one_more);
  channels[0] = x.shape[1];
  for (const std::size_t operand : {1, 2}) {
    if (!call.has(operand)) continue;
    const TensorValue by_channel = to.whole(to.reshape(call.operands[operand], channels));
    out = to.node(operand == 1 ? "Mul" : "Add", {&out, &by_channel}, {}, x.dtype, x.shape);
  }
  return TensorValues{out, to.unread(call.results[1]), to.unread(call.results[2])};
}

// Activations.
Made gelu(OnnxNotation& to, const RowCall& call) {
  return one(to, call, "Gelu", {&call.operands[0]}, {{"approximate", call.attrs.text("approximate")}});
}
Made leaky_relu(OnnxNotation& to, const RowCall& call) {
  return one(to, call, "LeakyRelu", {&call.operands[0]}, {onnx_real("alpha", call.attrs.real("negative_slope"))});
}
Made elu(OnnxNotation& to, const RowCall& call) {
  if (call.attrs.real("scale") != 1 || call.attrs.real("input_scale") != 1) return std::nullopt;
  return one(to, call, "Elu", {&call.operands[0]}, {onnx_real("alpha", call.attrs.real("alpha"))});
}
Made hardsigmoid(OnnxNotation& to, const RowCall& call) {
  return one(to, call, "HardSigmoid", {&call.operands[0]}, {onnx_real("alpha", 1.0 / 6)});
}
Made silu(OnnxNotation& to, const RowCall& call) {
  const TensorValue& x = call.operands[0];
  const TensorValue gate = to.node("Sigmoid", {&x}, {}, x.dtype, x.shape);
  return one(to, call, "Mul", {&x, &gate});
}
Made clamp(OnnxNotation& to, const RowCall& call) {
  const Dtype dtype = call.operands[0].dtype;
  if (!is_float(dtype)) return std::nullopt;
  TensorValue low{}, high{};
  const bool has_low = call.attrs.has("min"), has_high = call.attrs.has("max");
  if (has_low) low = number(to, call.attrs.real("min"), dtype);
  if (has_high) high = number(to, call.attrs.real("max"), dtype);
  return one(to, call, "Clip", {&call.operands[0], has_low ? &low : nullptr, has_high ? &high : nullptr});
}
Made cast(OnnxNotation& to, const RowCall& call) {
  return TensorValues{to.cast(call.operands[0], call.results[0].dtype)};
}

// Movement.
Made reshaped(OnnxNotation& to, const RowCall& call) {
  return TensorValues{to.reshape(call.operands[0], call.results[0].shape)};
}
Made expanded(OnnxNotation& to, const RowCall& call) {
  if (call.operands[0].shape == call.results[0].shape) return TensorValues{call.operands[0]};
  return TensorValues{to.expand(call.operands[0], call.results[0].shape)};
}
Made transposed(OnnxNotation& to, const RowCall& call) {
  const std::size_t rank = call.operands[0].shape.size();
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = i;
  if (rank > 0) std::swap(order[call.axis("dim0", rank)], order[call.axis("dim1", rank)]);
  return TensorValues{to.permute(call.operands[0], order)};
}
Made permuted(OnnxNotation& to, const RowCall& call) {
  std::vector<std::size_t> order;
  for (const std::int64_t axis : call.constants("dims"))
    order.push_back(
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(call.operands[0].shape.size()) : axis));
  return TensorValues{to.permute(call.operands[0], order)};
}
Made concatenated(OnnxNotation& to, const RowCall& call) {
  const std::size_t rank = call.results[0].shape.size();
  OnnxNotation::Inputs inputs;
  for (const TensorValue& operand : call.operands)
    if (operand.shape.size() == rank) inputs.push_back(&operand);
  return one(to, call, "Concat", inputs, {onnx_integer("axis", signed_axis(call.axis("dim", rank)))});
}
Made slice(OnnxNotation& to, const RowCall& call) {
  const auto start = call.attrs.integer("start"), end = call.attrs.integer("end"), step = call.attrs.integer("step");
  if (!start || !end || !step) return std::nullopt;
  const TensorValue starts = to.integer_list({*start}), ends = to.integer_list({*end}),
                    steps = to.integer_list({*step});
  const TensorValue axes = to.integer_list({signed_axis(call.axis("dim", call.operands[0].shape.size()))});
  return one(to, call, "Slice", {&call.operands[0], &starts, &ends, &axes, &steps});
}
Made select(OnnxNotation& to, const RowCall& call) {
  const auto at = call.attrs.integer("index");
  if (!at) return std::nullopt;
  const TensorValue index = to.number(to.sizes().constant(*at), Dtype::I64, 0);
  return one(to, call, "Gather", {&call.operands[0], &index},
             {onnx_integer("axis", signed_axis(call.axis("dim", call.operands[0].shape.size())))});
}
Made flip(OnnxNotation& to, const RowCall& call) {
  Numbers axes;
  for (const std::size_t axis : call.axes("dims", call.operands[0].shape.size())) axes.push_back(signed_axis(axis));
  if (axes.empty()) return std::nullopt;
  const TensorValue starts = to.integer_list(Numbers(axes.size(), -1)),
                    ends = to.integer_list(Numbers(axes.size(), std::int64_t{-1} << 62U)),
                    steps = to.integer_list(Numbers(axes.size(), -1)), along = to.integer_list(axes);
  return one(to, call, "Slice", {&call.operands[0], &starts, &ends, &along, &steps});
}
Made pad(OnnxNotation& to, const RowCall& call) {
  const std::string mode = call.attrs.text("mode");
  const TensorValue& x = call.operands[0];
  if (mode != "constant" && mode != "reflect" && mode != "replicate") return std::nullopt;
  const Numbers pairs = call.constants("pad");
  const std::size_t rank = x.shape.size();
  Numbers pads(2 * rank, 0);
  for (std::size_t i = 0; 2 * i < pairs.size(); ++i) {
    pads[rank - 1 - i] = pairs[2 * i];
    pads[2 * rank - 1 - i] = pairs[2 * i + 1];
  }
  // Cropping and padding at once is not what the operator does in every engine.
  if (std::ranges::any_of(pads, [](std::int64_t amount) { return amount < 0; })) return std::nullopt;
  const TensorValue amounts = to.integer_list(pads);
  TensorValue value{};
  if (mode == "constant" && is_float(x.dtype)) value = number(to, call.attrs.real("value"), x.dtype);
  if (mode == "constant" && !is_float(x.dtype) && call.attrs.real("value") != 0) return std::nullopt;
  return one(to, call, "Pad", {&x, &amounts, value.name.empty() ? nullptr : &value},
             {{"mode", mode == "replicate" ? std::string("edge") : mode}});
}

// Indexing.
Made embedding(OnnxNotation& to, const RowCall& call) {
  return one(to, call, "Gather", {&call.operands[0], &call.operands[1]}, {onnx_integer("axis", 0)});
}
Made index_select(OnnxNotation& to, const RowCall& call) {
  const std::size_t rank = call.operands[0].shape.size();
  if (rank == 0 || call.operands[1].shape.size() != 1) return std::nullopt;
  return one(to, call, "Gather", {&call.operands[0], &call.operands[1]},
             {onnx_integer("axis", signed_axis(call.axis("dim", rank)))});
}
Made gather(OnnxNotation& to, const RowCall& call) {
  const std::size_t rank = call.operands[0].shape.size();
  if (rank == 0) return std::nullopt;
  const std::size_t axis = call.axis("dim", rank);
  // The operator wants the other extents to be equal.
  for (std::size_t i = 0; i < rank; ++i)
    if (i != axis && call.operands[0].shape[i] != call.operands[1].shape[i]) return std::nullopt;
  return one(to, call, "GatherElements", {&call.operands[0], &call.operands[1]},
             {onnx_integer("axis", signed_axis(axis))});
}

// Reductions.
template <Word OpType>
Made reduced(OnnxNotation& to, const RowCall& call) {
  const TensorValue x = to.cast(call.operands[0], call.results[0].dtype);
  Numbers numbers;
  for (const std::size_t axis : call.axes("dim", x.shape.size())) numbers.push_back(signed_axis(axis));
  if (numbers.empty()) return std::nullopt;
  const TensorValue axes = to.integer_list(numbers);
  return one(to, call, OpType.text(), {&x, &axes}, {onnx_integer("keepdims", call.attrs.flag("keepdim") ? 1 : 0)});
}
Made cumsum(OnnxNotation& to, const RowCall& call) {
  if (call.operands[0].shape.empty()) return std::nullopt;
  const TensorValue x = to.cast(call.operands[0], call.results[0].dtype);
  const TensorValue axis = to.number(to.sizes().constant(signed_axis(call.axis("dim", x.shape.size()))), Dtype::I64, 0);
  return one(to, call, "CumSum", {&x, &axis});
}
Made topk(OnnxNotation& to, const RowCall& call) {
  const auto k = call.attrs.integer("k");
  if (!k || call.operands[0].shape.empty()) return std::nullopt;
  const TensorValue count = to.integer_list({*k});
  return to.node("TopK", {&call.operands[0], &count},
                 {onnx_integer("axis", signed_axis(call.axis("dim", call.operands[0].shape.size()))),
                  onnx_integer("largest", call.attrs.flag("largest") ? 1 : 0)},
                 call.results);
}

struct Form {
  std::string_view row;
  Made (*make)(OnnxNotation& to, const RowCall& call);
};
constexpr Form kForms[] = {
    {"relu", same<"Relu">},
    {"where", same<"Where">},
    {"silu", silu},
    {"gelu", gelu},
    {"leaky_relu", leaky_relu},
    {"elu", elu},
    {"hardsigmoid", hardsigmoid},
    {"hardswish", same<"HardSwish">},
    {"mish", same<"Mish">},
    {"clamp", clamp},
    {"cast", cast},
    {"linear", linear},
    {"addmm", addmm},
    {"matmul", matmul},
    {"conv1d", convolution<"Conv">},
    {"conv2d", convolution<"Conv">},
    {"conv3d", convolution<"Conv">},
    {"conv_transpose1d", convolution<"ConvTranspose">},
    {"conv_transpose2d", convolution<"ConvTranspose">},
    {"conv_transpose3d", convolution<"ConvTranspose">},
    {"max_pool1d", max_pool},
    {"max_pool2d", max_pool},
    {"max_pool3d", max_pool},
    {"avg_pool1d", average_pool},
    {"avg_pool2d", average_pool},
    {"avg_pool3d", average_pool},
    {"softmax", over_axis<"Softmax">},
    {"log_softmax", over_axis<"LogSoftmax">},
    {"layer_norm", layer_norm},
    {"batch_norm", batch_norm},
    {"instance_norm", instance_norm},
    {"group_norm", group_norm},
    {"view", reshaped},
    {"unsqueeze", reshaped},
    {"squeeze", reshaped},
    {"expand", expanded},
    {"transpose", transposed},
    {"permute", permuted},
    {"cat", concatenated},
    {"slice", slice},
    {"select", select},
    {"flip", flip},
    {"pad", pad},
    {"embedding", embedding},
    {"index_select", index_select},
    {"gather", gather},
    {"sum", reduced<"ReduceSum">},
    {"mean", reduced<"ReduceMean">},
    {"prod", reduced<"ReduceProd">},
    {"cumsum", cumsum},
    {"topk", topk},
};

}  // namespace

std::optional<TensorValues> OnnxNotation::row(const RowCall& call) {
  const auto* const form = std::ranges::find(kForms, call.op.name(), &Form::row);
  if (form == std::end(kForms)) return std::nullopt;
  TensorValues operands;
  for (const TensorValue& operand : call.operands) operands.push_back(whole(operand));
  return form->make(*this, {call.op, operands, call.attrs, call.results, call.size_of});
}

}  // namespace mlgc
