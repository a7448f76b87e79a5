// Operators of training graphs: what layers send back.
#include <array>

#include "import/program/convert.h"

namespace mlgc::program {

namespace {

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
    const std::size_t spatial = weight_.rank() - 2;
    if (spatial > 3) return scope_.unsupported("more than three axes beside batch and channels");
    for (const std::string_view name : {"stride", "padding", "dilation"})
      if (scope_.argument(name).ints.size() != spatial)
        return scope_.unsupported("argument `" + std::string(name) + "` has not one item for each axis");
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

void convert_max_pool_backward(NodeScope& scope) {
  const Value y = scope.emit_one("max_pool2d_backward",
                                 {scope.tensor("grad_output"), scope.tensor("self"), scope.tensor("indices")});
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kConverters[] = {
    {"aten.convolution_backward.default", convert_convolution_backward, "conv_weight_gradient", "conv_transpose2d"},
    {"aten.max_pool2d_with_indices_backward.default", convert_max_pool_backward, "max_pool2d_backward"},
};

}  // namespace

std::span<const Converter> training_converters() { return kConverters; }

}  // namespace mlgc::program
