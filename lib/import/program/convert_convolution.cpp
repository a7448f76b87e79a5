// Convolutions: ATen's one operator for all of them, and those of each number of axes, as the rows of that number.
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// One call. The input may lack the batch axis; a list of one entry stands for that entry on every axis.
class Convolution {
 public:
  explicit Convolution(NodeScope& scope) : scope_(scope) {}

  void run() {
    input_ = scope_.tensor("input");
    weight_ = scope_.tensor("weight");
    if (scope_.failed()) return;
    spatial_ = weight_.rank() < 2 ? 0 : weight_.rank() - 2;
    bool transposed = scope_.target().starts_with("aten.conv_transpose");
    if (scope_.target() == "aten.convolution.default") transposed = scope_.flag("transposed");
    const std::string row = (transposed ? "conv_transpose" : "conv") + std::to_string(spatial_) + "d";
    if (scope_.context().find_op(row) == Opcode::Invalid)
      return scope_.refuse<kOperandAxes>("its weight", weight_.rank(), "one to three beside channels");
    const bool batched = input_.rank() != spatial_ + 1;
    if (!batched) input_ = with_batch(input_);
    AttributePool& attributes = scope_.context().attributes();
    NodeScope::Attrs attrs{{"padding", padding()},
                           {"stride", entries("stride")},
                           {"dilation", entries("dilation")},
                           {"groups", attributes.integer(scope_.integer("groups"))}};
    if (transposed) attrs.emplace_back("output_padding", entries("output_padding"));
    std::vector<Value> operands{input_, weight_};
    if (scope_.is_tensor("bias")) operands.push_back(scope_.tensor("bias"));
    const OpRef built = scope_.emit(row, operands, attrs);
    if (scope_.failed()) return;
    scope_.result(0, batched ? built.result() : without_batch(built.result()));
  }

 private:
  Value with_batch(Value x) {
    return scope_.emit_one("unsqueeze", {x}, {{"dim", scope_.context().attributes().integer(std::int64_t{0})}});
  }
  Value without_batch(Value x) {
    constexpr std::array<std::int64_t, 1> kFirst{0};
    return scope_.emit_one("squeeze", {x}, {{"dim", scope_.context().attributes().int_list(kFirst)}});
  }

  Attribute entries(std::string_view name) {
    std::vector<IndexExpr> values = scope_.integers(name);
    if (values.size() == 1) values.resize(spatial_, values[0]);
    return scope_.context().attributes().int_list(values);
  }

  Attribute padding() {
    if (!scope_.argument("padding").is(Kind::String)) return entries("padding");
    std::vector<std::int64_t> in_front(spatial_, 0);
    if (scope_.argument("padding").text != "valid") in_front = same_padding();
    return scope_.context().attributes().int_list(in_front);
  }

  // What keeps the sizes. An odd amount has the larger half at the end: that much more is padded before the
  // convolution.
  std::vector<std::int64_t> same_padding() {
    const std::vector<IndexExpr> dilation = scope_.integers("dilation");
    std::vector<std::int64_t> in_front, behind_more;  // pad lists the last axis first
    for (std::size_t axis = 0; axis < spatial_ && !scope_.failed(); ++axis) {
      const IndexPool& pool = scope_.context().index();
      const auto step = pool.as_constant(dilation[dilation.size() == 1 ? 0 : axis]);
      const auto taps = pool.as_constant(weight_.dims()[axis + 2]);
      if (!step || !taps) {
        scope_.refuse<kArgumentNotConstant>("the size of the kernel, with padding `same`,", "sizes");
        return std::vector<std::int64_t>(spatial_, 0);
      }
      const std::int64_t total = *step * (*taps - 1);
      in_front.push_back(total / 2);
      behind_more.insert(behind_more.begin(), {0, total % 2});
    }
    AttributePool& attributes = scope_.context().attributes();
    if (behind_more != std::vector<std::int64_t>(2 * spatial_, 0))
      input_ = scope_.emit_one(
          "pad", {input_}, {{"pad", attributes.int_list(behind_more)}, {"value", attributes.integer(std::int64_t{0})}});
    return in_front;
  }

  NodeScope& scope_;
  Value input_, weight_;
  std::size_t spatial_ = 0;
};

void convert_convolution(NodeScope& scope) { Convolution(scope).run(); }

constexpr Converter kConvolutionConverters[] = {
    {"aten.convolution.default", convert_convolution},    {"aten.conv1d.default", convert_convolution},
    {"aten.conv2d.default", convert_convolution},         {"aten.conv3d.default", convert_convolution},
    {"aten.conv1d.padding", convert_convolution},         {"aten.conv2d.padding", convert_convolution},
    {"aten.conv3d.padding", convert_convolution},         {"aten.conv_transpose1d.default", convert_convolution},
    {"aten.conv_transpose2d.input", convert_convolution}, {"aten.conv_transpose3d.input", convert_convolution},
};

}  // namespace

std::span<const Converter> convolution_converters() { return kConvolutionConverters; }

}  // namespace mlgc::program
