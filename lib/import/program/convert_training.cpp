// Operators of training graphs: what layers send back.
#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"
#include "ops/aten_names.h"

namespace mlgc::program {

namespace {

// Gives the results that `output_mask` says are wanted, made by their numbers. Others have no name, or an unused one.
template <class Make>
void give_wanted(NodeScope& scope, Make make) {
  const std::vector<bool> wanted = scope.argument("output_mask").flags;
  std::size_t result = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) {
      const Value value = make(i);
      if (scope.failed()) return;
      scope.result(result++, value);
    } else if (result < scope.output_names().size() && !scope.used(result)) {
      ++result;
    }
  }
}

// The gradients of operand, weight and bias, of which `output_mask` says which are wanted.
class ConvolutionBackward {
 public:
  explicit ConvolutionBackward(NodeScope& scope)
      : scope_(scope),
        attributes_(scope.context().attributes()),
        index_(scope.context().index()),
        gradient_(scope.tensor("grad_output")),
        x_(scope.tensor("input")),
        weight_(scope.tensor("weight")),
        transposed_(scope.flag("transposed")) {}

  void run() {
    if (scope_.failed()) return;
    if (weight_.rank() < 3 || x_.rank() != weight_.rank() || gradient_.rank() != weight_.rank())
      return scope_.refuse<kRanksDiffer>("its operand", x_.rank(), "its weight", weight_.rank());
    const std::size_t spatial = weight_.rank() - 2;
    if (spatial > 3)
      return scope_.refuse<kOperandAxes>("its weight", weight_.rank(), "at most three beside batch and channels");
    for (const std::string_view name : {"stride", "padding", "dilation"})
      if (entries(name).size() != spatial)
        return scope_.refuse<kCountsDiffer>(entries(name).size(), "items of `" + std::string(name) + "`", spatial,
                                            "axes");
    give_wanted(scope_, [&](std::size_t i) { return i == 0 ? to_input() : i == 1 ? to_weight() : to_bias(); });
  }

 private:
  // A list of one entry stands for that entry on every axis.
  [[nodiscard]] std::vector<IndexExpr> entries(std::string_view name) {
    std::vector<IndexExpr> values = scope_.integers(name);
    if (values.size() == 1) values.resize(weight_.rank() - 2, values[0]);
    return values;
  }
  [[nodiscard]] NodeScope::Attrs geometry() {
    return {{"stride", attributes_.int_list(entries("stride"))},
            {"padding", attributes_.int_list(entries("padding"))},
            {"dilation", attributes_.int_list(entries("dilation"))},
            {"groups", attributes_.integer(scope_.integer("groups"))}};
  }
  [[nodiscard]] std::string spatial(std::string_view op) const {
    return std::string(op) + std::to_string(weight_.rank() - 2) + "d";
  }

  // A convolution sends back by the transposed one, and the other way round.
  Value to_input() {
    NodeScope::Attrs attrs = geometry();
    if (transposed_) {
      Value y = scope_.emit_one(spatial("conv"), {gradient_, weight_}, attrs);
      // An output padding may reach as far as another element.
      for (std::size_t axis = 2; axis < x_.rank() && !scope_.failed(); ++axis)
        if (y.dims()[axis] != x_.dims()[axis])
          y = scope_.emit_one("slice", {y},
                              {{"dim", attributes_.integer(static_cast<std::int64_t>(axis))},
                               {"start", attributes_.integer(std::int64_t{0})},
                               {"end", attributes_.integer(x_.dims()[axis])}});
      return y;
    }
    const auto stride = entries("stride"), padding = entries("padding"), dilation = entries("dilation");
    std::vector<IndexExpr> rest;  // what a stride leaves over at the end of the operand
    for (std::size_t i = 0; i + 2 < x_.rank() && !scope_.failed(); ++i) {
      const IndexExpr one = index_.constant(1);
      const IndexExpr reached = index_.add(
          index_.sub(index_.mul(index_.sub(gradient_.dims()[i + 2], one), stride[i]), index_.scale(padding[i], 2)),
          index_.add(index_.mul(dilation[i], index_.sub(weight_.dims()[i + 2], one)), one));
      rest.push_back(index_.sub(x_.dims()[i + 2], reached));
    }
    attrs.emplace_back("output_padding", attributes_.int_list(rest));
    return scope_.emit_one(spatial("conv_transpose"), {gradient_, weight_}, attrs);
  }

  Value to_weight() {
    NodeScope::Attrs attrs = geometry();
    attrs.emplace_back("kernel_size", attributes_.int_list(weight_.dims().subspan(2)));
    return transposed_ ? scope_.emit_one("conv_weight_gradient", {x_, gradient_}, attrs)
                       : scope_.emit_one("conv_weight_gradient", {gradient_, x_}, attrs);
  }

  Value to_bias() {
    std::vector<std::int64_t> axes{0};
    for (std::size_t i = 2; i < gradient_.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    return scope_.emit_one("sum", {gradient_}, {{"dim", attributes_.int_list(axes)}});
  }

  NodeScope& scope_;
  AttributePool& attributes_;
  IndexPool& index_;
  Value gradient_, x_, weight_;
  bool transposed_;
};
void convert_convolution_backward(NodeScope& scope) { ConvolutionBackward(scope).run(); }

// What a pool over `spatial` axes takes: one without the batch axis is a batch of one.
Value with_batch(NodeScope& scope, Value x, std::size_t spatial) {
  if (scope.failed() || x.rank() != spatial + 1) return x;
  std::vector<IndexExpr> dims(x.dims().begin(), x.dims().end());
  dims.insert(dims.begin(), scope.context().index().constant(1));
  return OpChain(scope).view(x, dims);
}

// Gives y, in the form of x.
void give_like(NodeScope& scope, Value y, Value x) {
  if (!scope.failed() && y.rank() != x.rank()) y = OpChain(scope).view(y, x.dims());
  if (!scope.failed()) scope.result(0, y);
}

void convert_max_pool_backward(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Value y =
      scope.emit_one("max_pool2d_backward", {with_batch(scope, scope.tensor("grad_output"), 2), with_batch(scope, x, 2),
                                             with_batch(scope, scope.tensor("indices"), 2)});
  give_like(scope, y, x);
}

// The elements that the indices name of each picture, line or volume get what comes back; axes are flattened for that.
void convert_indexed_pool_backward(NodeScope& scope) {
  const Value g = scope.tensor("grad_output"), x = scope.tensor("self"), indices = scope.tensor("indices");
  if (scope.failed()) return;
  const std::size_t spatial = scope.target().find("3d") != std::string_view::npos ? 3 : 2;
  if (x.rank() < spatial || g.rank() != x.rank() || indices.rank() != x.rank())
    return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its gradient", g.rank());
  OpChain ops(scope);
  const auto flat = [&](std::span<const IndexExpr> dims) {
    std::vector<IndexExpr> shape(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(spatial));
    shape.push_back(ops.count(dims.last(spatial)));
    return shape;
  };
  const Value nothing = ops.full(flat(x.dims()), 0.0, g.dtype());
  const Value places = ops.view(indices, flat(indices.dims())), values = ops.view(g, flat(g.dims()));
  const Value sum = ops.call("scatter_add", {nothing, places, values},
                             {{"dim", ops.integer(static_cast<std::int64_t>(x.rank() - spatial))}});
  const Value y = ops.view(sum, x.dims());
  if (!scope.failed()) scope.result(0, y);
}

void convert_avg_pool3d_backward(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Value g = with_batch(scope, scope.tensor("grad_output"), 3), pooled = with_batch(scope, x, 3);
  if (scope.failed()) return;
  const OpDef& def = *row_for_aten("aten.avg_pool3d.default");
  NodeScope::Attrs attrs;
  for (const BoundArgument& argument : scope.arguments())
    for (const AttrDef& attr : def.attrs)
      // A stride that is not given is the kernel's size.
      if (attr.name == argument.name && !(argument.value.is(Argument::Kind::Ints) && argument.value.ints.empty()))
        if (const auto value = row_attribute(scope, def, argument, attr)) attrs.emplace_back(attr.name, *value);
  give_like(scope, emit_gradient(scope, def.name, pooled, attrs, g), x);
}

void convert_replication_pad_backward(NodeScope& scope) {
  const Value g = scope.tensor("grad_output"), x = scope.tensor("self");
  AttributePool& attributes = scope.context().attributes();
  const NodeScope::Attrs attrs{{"pad", attributes.int_list(scope.integers("padding"))},
                               {"mode", attributes.string("replicate")}};
  if (scope.failed()) return;
  const Value y = emit_gradient(scope, "pad", x, attrs, g);
  if (!scope.failed()) scope.result(0, y);
}

// Of as many cells as the gradient has.
Value from_cells(NodeScope& scope, Type picture, Value gradient) {
  if (scope.failed()) return {};
  return emit_gradient(scope, "adaptive_avg_pool2d", picture,
                       {{"output_size", scope.context().attributes().int_list(gradient.dims().last(2))}}, gradient);
}

void convert_adaptive_avg_pool2d_backward(NodeScope& scope) {
  const Value g = scope.tensor("grad_output"), x = scope.tensor("self");
  if (scope.failed()) return;
  const Value y = from_cells(scope, x.type(), g);
  if (!scope.failed()) scope.result(0, y);
}

// The two steps of the forward conversion, the last one first.
void convert_adaptive_avg_pool3d_backward(NodeScope& scope) {
  Value g = scope.tensor("grad_output");
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  if (x.rank() < 3 || g.rank() != x.rank())
    return scope.refuse<kRanksDiffer>("its operand", x.rank(), "its gradient", g.rank());
  TypePool& types = scope.context().types();
  OpChain ops(scope);
  const auto from = x.dims().last(3);
  const std::vector<IndexExpr> to(g.dims().end() - 3, g.dims().end());
  const IndexExpr volumes = ops.count(x.dims().first(x.rank() - 3)), plane = ops.count(std::array{to[1], to[2]});
  g = ops.view(g, std::array{volumes, to[0], plane});
  g = from_cells(scope, types.tensor(x.dtype(), std::array{volumes, from[0], plane}), g);
  g = ops.view(g, std::array{volumes, from[0], to[1], to[2]});
  g = from_cells(scope, types.tensor(x.dtype(), std::array{volumes, from[0], from[1], from[2]}), g);
  g = ops.view(g, x.dims());
  if (!scope.failed()) scope.result(0, g);
}

void convert_grid_sampler_backward(NodeScope& scope) {
  const std::array<DifferentiatedOperand, 2> operands{scope.tensor("input"), scope.tensor("grid")};
  const Value g = scope.tensor("grad_output");
  const std::string_view row =
      scope.target().find("3d") == std::string_view::npos ? "grid_sampler_2d" : "grid_sampler_3d";
  const NodeScope::Attrs attrs = grid_sampler_attributes(scope);
  give_wanted(scope, [&](std::size_t i) {
    const std::vector<Value> found = emit_gradient(scope, row, operands, attrs, std::span(&g, 1), std::span(&i, 1));
    return found.empty() ? Value() : found[0];
  });
}

// The table of the bags that this node sends back from: that of the node which made the argument.
Value table_of_bags(NodeScope& scope, std::string_view made_with) {
  const Argument& made = scope.argument(made_with);
  for (const Node& node : scope.graph().graph().nodes)
    for (const Argument& output : node.outputs)
      if (made.is(Argument::Kind::Tensor) && output.reads(made.names[0]) && !node.inputs.empty() &&
          node.inputs[0].value.is(Argument::Kind::Tensor))
        return scope.tensor_named(node.inputs[0].value.names[0]);
  scope.refuse<kArgumentKind>("argument `" + std::string(made_with) + "`", "of another graph", "one of this graph");
  return {};
}

void convert_embedding_bag_backward(NodeScope& scope) {
  const bool to_table = scope.target() == "aten._embedding_bag_backward.default";
  const Value g = scope.tensor("grad"), indices = scope.tensor("indices"), offsets = scope.tensor("offsets");
  const std::int64_t mode = scope.constant("mode"), padding = scope.constant("padding_idx");
  if (scope.failed()) return;
  if (mode < 0 || mode > 2) return scope.refuse<kUnsupportedArgument>("mode", std::to_string(mode), "0 to 2");
  if (to_table && scope.flag("scale_grad_by_freq"))
    return scope.refuse<kUnsupportedArgument>("scale_grad_by_freq", "true", "false");
  AttributePool& attributes = scope.context().attributes();
  constexpr std::string_view kModes[] = {"sum", "mean", "max"};
  NodeScope::Attrs attrs{{"mode", attributes.string(kModes[mode])},
                         {"include_last_offset", attributes.boolean(g.dims()[0] != offsets.dims()[0])}};
  if (padding >= 0) attrs.emplace_back("padding_idx", attributes.integer(padding));
  TypePool& types = scope.context().types();
  std::vector<DifferentiatedOperand> operands{scope.recorded(0), indices, offsets};
  if (!to_table) {
    operands[0] = scope.tensor("weight");
    operands.emplace_back(types.tensor(g.dtype(), indices.dims()));
  } else {
    // Which row is the largest depends on the table.
    if (mode == 2) operands[0] = table_of_bags(scope, "maximum_indices");
    operands.emplace_back(scope.is_tensor("per_sample_weights") ? scope.tensor("per_sample_weights") : Value());
  }
  if (scope.failed()) return;
  const std::size_t wanted = to_table ? 0 : 3;
  const std::vector<Value> found =
      emit_gradient(scope, "embedding_bag", operands, attrs, std::span(&g, 1), std::span(&wanted, 1));
  if (!scope.failed()) scope.result(0, found[0]);
}

constexpr Converter kTrainingConverters[] = {
    {"aten.convolution_backward.default", convert_convolution_backward},
    {"aten.max_pool2d_with_indices_backward.default", convert_max_pool_backward},
    {"aten.max_pool3d_with_indices_backward.default", convert_indexed_pool_backward},
    {"aten.adaptive_max_pool2d_backward.default", convert_indexed_pool_backward},
    {"aten.adaptive_max_pool3d_backward.default", convert_indexed_pool_backward},
    {"aten.avg_pool3d_backward.default", convert_avg_pool3d_backward},
    {"aten.replication_pad1d_backward.default", convert_replication_pad_backward},
    {"aten.replication_pad2d_backward.default", convert_replication_pad_backward},
    {"aten.replication_pad3d_backward.default", convert_replication_pad_backward},
    {"aten._adaptive_avg_pool2d_backward.default", convert_adaptive_avg_pool2d_backward},
    {"aten._adaptive_avg_pool3d_backward.default", convert_adaptive_avg_pool3d_backward},
    {"aten._embedding_bag_backward.default", convert_embedding_bag_backward},
    {"aten._embedding_bag_per_sample_weights_backward.default", convert_embedding_bag_backward},
    {"aten.grid_sampler_3d_backward.default", convert_grid_sampler_backward},
    {"aten.grid_sampler_2d_backward.default", convert_grid_sampler_backward},
};

}  // namespace

std::span<const Converter> training_converters() { return kTrainingConverters; }

}  // namespace mlgc::program
