// Operators of training graphs: statistics of a batch, and what layers send back.
#include <array>

#include "import/program/convert.h"

namespace mlgc::program {

namespace {

// Results that the op gives are the node's, in order; any other must not be used.
void results(NodeScope& scope, OpRef op) {
  if (scope.failed()) return;
  for (std::size_t i = 0; i < scope.output_names().size(); ++i) {
    if (i < op.result_count())
      scope.result(i, op.result(i));
    else if (scope.used(i))
      scope.unsupported("its result number " + std::to_string(i) + " is used");
  }
}

std::vector<Value> operands(NodeScope& scope, std::initializer_list<std::string_view> required) {
  std::vector<Value> values;
  for (const std::string_view name : required) {
    values.push_back(scope.tensor(name));
    if (!scope.failed() && !values.back().valid()) scope.unsupported("argument `" + std::string(name) + "` is missing");
  }
  if (scope.is_tensor("bias") && !scope.is_tensor("weight")) scope.unsupported("a bias without a weight");
  for (const std::string_view name : {"weight", "bias"})
    if (scope.is_tensor(name)) values.push_back(scope.tensor(name));
  return values;
}

void convert_batch_norm(NodeScope& scope) {
  AttributePool& attributes = scope.context().attributes();
  const std::vector<Value> values = operands(scope, {"input", "running_mean", "running_var"});
  const NodeScope::Attrs eps{{"eps", attributes.real(scope.real("eps"))}};
  if (scope.failed()) return;
  if (!scope.flag("training")) {
    // The running statistics stay; those of the batch are empty.
    const OpRef op = scope.emit("batch_norm", values, eps);
    if (scope.failed()) return;
    scope.result(0, op.result());
    for (std::size_t i = 1; i < 3 && !scope.failed(); ++i)
      if (scope.used(i)) scope.unsupported("its result number " + std::to_string(i) + " is used");
    for (std::size_t i = 3; i < scope.output_names().size() && !scope.failed(); ++i) scope.result(i, values[i - 2]);
    return;
  }
  NodeScope::Attrs attrs = eps;
  attrs.emplace_back("momentum", attributes.real(scope.real("momentum")));
  results(scope, scope.emit("batch_norm_train", values, attrs));
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
      return scope_.unsupported("operands of different ranks");
    const std::vector<bool> wanted = scope_.argument("output_mask").flags;
    // Results that are not wanted have no name.
    std::size_t result = 0;
    const auto next = [&](std::size_t which, Value (ConvolutionBackward::*make)()) {
      if (which >= wanted.size() || !wanted[which]) return skip(result);
      const Value value = (this->*make)();
      if (!scope_.failed()) scope_.result(result, value);
      ++result;
    };
    next(0, &ConvolutionBackward::to_input);
    next(1, &ConvolutionBackward::to_weight);
    next(2, &ConvolutionBackward::to_bias);
  }

 private:
  void skip(std::size_t& result) {
    if (result < scope_.output_names().size() && !scope_.used(result)) ++result;
  }

  [[nodiscard]] NodeScope::Attrs geometry() {
    return {{"stride", attributes_.int_list(scope_.integers("stride"))},
            {"padding", attributes_.int_list(scope_.integers("padding"))},
            {"dilation", attributes_.int_list(scope_.integers("dilation"))},
            {"groups", attributes_.integer(scope_.integer("groups"))}};
  }
  [[nodiscard]] std::string spatial(std::string_view op) const {
    return std::string(op) + std::to_string(weight_.rank() - 2) + "d";
  }

  // A convolution sends back by the transposed one, and the other way round.
  Value to_input() {
    NodeScope::Attrs attrs = geometry();
    if (transposed_) return scope_.emit_one(spatial("conv"), {gradient_, weight_}, attrs);
    const auto stride = scope_.integers("stride"), padding = scope_.integers("padding"),
               dilation = scope_.integers("dilation");
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

void convert_native_group_norm(NodeScope& scope) {
  AttributePool& attributes = scope.context().attributes();
  const std::vector<Value> values = operands(scope, {"input"});
  results(scope, scope.emit("group_norm", values,
                            {{"num_groups", attributes.integer(scope.integer("group"))},
                             {"eps", attributes.real(scope.real("eps"))}}));
}

void convert_max_pool_backward(NodeScope& scope) {
  const Value y = scope.emit_one("max_pool2d_backward",
                                 {scope.tensor("grad_output"), scope.tensor("self"), scope.tensor("indices")});
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kConverters[] = {
    {"aten._native_batch_norm_legit_functional.default", convert_batch_norm, "batch_norm_train", "batch_norm"},
    {"aten.convolution_backward.default", convert_convolution_backward, "conv_weight_gradient", "conv_transpose2d"},
    {"aten.native_group_norm.default", convert_native_group_norm, "group_norm"},
    {"aten.max_pool2d_with_indices_backward.default", convert_max_pool_backward, "max_pool2d_backward"},
};

}  // namespace

std::span<const Converter> training_converters() { return kConverters; }

}  // namespace mlgc::program
