// few-channel-convolutions: a convolution to few output channels becomes a product over its input channels and a sum
// over its window.
//
// y[o, i] = sum[c, j](x[c, s*i + d*j - p]*w[o, c, j]) is sum[j](t[j, o, s*i + d*j - p]), t[j, o, u] =
// sum[c](w[o, c, j]*x[c, u]). The second sum is short. The product has a row for each channel and element of the
// window, and contiguous positions as columns; output channels alone are too few rows to reuse what the columns load.
//
// In the padding x is 0, and t is sum[c](0*w[o, c, j]): 0, but NaN where a weight is infinite.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/op_maker.h"
#include "transforms/passes.h"
#include "transforms/replace_op.h"
#include "transforms/usual_size.h"

namespace mlgc {

namespace {

constexpr std::array kFewChannelConvolutionsCounters{
    PassCounter{"replaced", "convolutions that became a product and a sum over windows"},
};

// In multiply-adds of a product: what an element between the two sums takes, which is written, read at a window's place
// and added.
constexpr double kPartCost = 24;
constexpr double kRows = 8;  // of a convolution's sums, which take as long as one row does
// Fewer columns leave lanes empty; strided ones are copied one by one.
constexpr double kColumns = 8, kStridedCost = 4;
constexpr double kMargin = 1.25;                          // a change has to be better by this, in case the count is off
constexpr double kMostElements = std::int64_t{1} << 22U;  // between the sums, of one image: they stay near

class Replacement {
 public:
  Replacement(OpRef op, std::size_t rank, const Facts& facts)
      : op_(op),
        rank_(rank),
        facts_(facts),
        context_(op.module().context()),
        index_(context_.index()),
        attributes_(context_.attributes()),
        builder_(op.module()),
        make_(builder_, facts) {}

  // Whether it can be done, and pays.
  bool read() {
    if (op_.result().dtype() != Dtype::F32 && op_.result().dtype() != Dtype::F64) return false;
    const auto x = op_.operand(0).dims(), w = op_.operand(1).dims(), y = op_.result().dims();
    if (x.size() != rank_ + 2) return false;
    const auto constant = [&](IndexExpr e) { return index_.as_constant(e).value_or(0); };
    groups_ = attributes_.as_int64(op_.attr("groups")).value_or(1);
    inputs_ = constant(w[1]);
    if (groups_ < 1 || inputs_ < 1 || constant(w[0]) < 1 || constant(w[0]) % groups_ != 0) return false;
    outputs_ = constant(w[0]) / groups_;
    for (std::size_t i = 0; i < rank_; ++i) {
      const auto item = [&](std::string_view name, std::int64_t otherwise) -> std::optional<std::int64_t> {
        const std::span<const IndexExpr> list = attributes_.as_int_list(op_.attr(name));
        return list.empty() ? otherwise : index_.as_constant(list[list.size() == 1 ? 0 : i]);
      };
      const auto stride = item("stride", 1), padding = item("padding", 0), dilation = item("dilation", 1);
      const std::int64_t kernel = constant(w[i + 2]);
      if (!stride || !padding || !dilation || kernel < 1) return false;
      axes_.push_back({x[i + 2], y[i + 2], kernel, *stride, *padding, *dilation});
      taps_ *= kernel;
    }
    return taps_ > 1 && pays();
  }

  void run() {
    builder_.set_before(op_);
    builder_.set_location(op_.location());
    const IndexExpr batch = op_.operand(0).dims()[0];
    // Rows of the product.
    std::vector<std::int64_t> parted{groups_, outputs_, inputs_}, order{0}, window;
    for (std::size_t i = 0; i < rank_; ++i) {
      parted.push_back(axes_[i].kernel), window.push_back(axes_[i].kernel);
      order.push_back(static_cast<std::int64_t>(3 + i));
    }
    order.insert(order.end(), {1, 2});
    const std::int64_t rows = taps_ * outputs_;
    Value w = view(op_.operand(1), ints(parted));
    w = make_.make("permute", {w}, {{"dims", ints(order)}});
    const bool grouped = groups_ > 1;
    w = view(w, grouped ? ints({groups_, rows, inputs_}) : ints({rows, inputs_}));
    // Columns.
    IndexExpr positions = index_.constant(1);
    std::vector<IndexExpr> image;
    for (const Axis& axis : axes_) positions = index_.mul(positions, axis.size), image.push_back(axis.size);
    std::vector<IndexExpr> columns{batch};
    if (grouped) columns.push_back(index_.constant(groups_));
    columns.insert(columns.end(), {index_.constant(inputs_), positions});
    const Value product = make_.make("matmul", {w, view(op_.operand(0), attributes_.int_list(columns))});
    std::vector<IndexExpr> shape{batch, index_.constant(groups_)};
    for (const std::int64_t taps : window) shape.push_back(index_.constant(taps));
    shape.push_back(index_.constant(outputs_));
    shape.insert(shape.end(), image.begin(), image.end());
    const Value parts = view(product, attributes_.int_list(shape));
    Value y = is_padded() ? sum(parts, outside(w, window)) : sum(parts, Value());
    y = make_.make("view", {y}, {{"shape", attributes_.int_list(op_.result().dims())}});
    if (op_.operand_count() > 2) {
      std::vector<std::int64_t> one(rank_ + 1, 1);
      one[0] = groups_ * outputs_;
      y = make_.make("add", {y, view(op_.operand(2), ints(one))});
    }
    replace_op(op_, y);
  }

 private:
  struct Axis {
    IndexExpr size, out;  // of the operand and the result
    std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
  };

  [[nodiscard]] double usual(IndexExpr size) const { return usual_size(index_, size, facts_); }
  [[nodiscard]] bool pays() const {
    double read = 1, written = 1;
    for (const Axis& axis : axes_) read *= usual(axis.size), written *= usual(axis.out);
    const auto outputs = static_cast<double>(outputs_), inputs = static_cast<double>(inputs_),
               taps = static_cast<double>(taps_), columns = usual(axes_.back().out);
    double convolution = written * taps * inputs * std::max(outputs, kRows);
    if (axes_.back().stride > 1) convolution *= kStridedCost;
    if (columns < kColumns && outputs < kColumns) convolution *= kColumns / std::max(columns, 1.0);
    const double between = read * taps * outputs;
    return between * static_cast<double>(groups_) <= kMostElements &&
           kMargin * between * (inputs + kPartCost) < convolution;
  }
  [[nodiscard]] bool is_padded() const {
    return std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.padding > 0; });
  }

  [[nodiscard]] Attribute ints(const std::vector<std::int64_t>& values) { return attributes_.int_list(values); }
  Value view(Value v, Attribute shape) { return make_.make("view", {v}, {{"shape", shape}}); }

  // What the product is where the image is 0.
  Value outside(Value w, const std::vector<std::int64_t>& window) {
    Value zero = make_.make("mul", {w}, {{"other", attributes_.real(0.0)}});
    zero = make_.make("sum", {zero}, {{"dim", ints({groups_ > 1 ? 2 : 1})}});
    std::vector<std::int64_t> shape{groups_};
    shape.insert(shape.end(), window.begin(), window.end());
    shape.push_back(outputs_);
    return view(zero, ints(shape));
  }

  static std::string times(std::int64_t factor, const std::string& label) {
    return factor == 1 ? label : std::to_string(factor) + "*" + label;
  }
  // y[b, g, o, i…] = sum[j…](parts[b, g, j…, o, s*i + d*j - p…])
  Value sum(Value parts, Value outside) {
    std::string places, window, subscripts, over, taps;
    for (std::size_t i = 0; i < rank_; ++i) {
      const Axis& axis = axes_[i];
      const std::string at = "i" + std::to_string(i), tap = "j" + std::to_string(i);
      places += ", " + at;
      window += (i > 0 ? ", " : "") + tap;
      subscripts += ", " + times(axis.stride, at) + " + " + times(axis.dilation, tap);
      if (axis.padding > 0) subscripts += " - " + std::to_string(axis.padding);
      over += ", " + at + " < " + index_.print(axis.out);
      taps += ", " + tap + " < " + std::to_string(axis.kernel);
    }
    std::string text = "y[b, g, o" + places + "] = sum[" + window + "](x0[b, g, " + window + ", o" + subscripts + "]";
    if (outside.valid()) text += "?x1[g, " + window + ", o]";
    text += ") over b < " + index_.print(op_.operand(0).dims()[0]) + ", g < " + std::to_string(groups_) + ", o < " +
            std::to_string(outputs_) + over + taps;
    const Attribute formula = attributes_.string(text);
    return outside.valid() ? make_.make("compute", {parts, outside}, {{"formula", formula}})
                           : make_.make("compute", {parts}, {{"formula", formula}});
  }

  OpRef op_;
  std::size_t rank_;
  const Facts& facts_;
  Context& context_;
  IndexPool& index_;
  AttributePool& attributes_;
  Builder builder_;
  OpMaker make_;
  std::int64_t groups_ = 1, inputs_ = 0, outputs_ = 0, taps_ = 1;  // channels of a group
  std::vector<Axis> axes_;
};

PassResult run_few_channel_convolutions(Module& module, const NoPassOptions& /*options*/, PassContext& context) {
  if (!admits(context.numerics(), NumericsClass::Reassociate, true)) return PassResult::Unchanged;
  constexpr std::array<std::string_view, 3> kNames{"conv1d", "conv2d", "conv3d"};
  bool changed = false;
  for_each_named(module, kNames, [&](OpRef op, std::size_t i, const Facts& facts) {
    Replacement replacement(op, i + 1, facts);
    if (!replacement.read()) return WalkResult::Continue;
    if (!context.may_rewrite("few-channel-convolution", op.location(), NumericsClass::Reassociate))
      return WalkResult::Stop;
    replacement.run();
    ++context.count("replaced");
    changed = true;
    return WalkResult::Continue;
  });
  return PassContext::changed_if(changed);
}

}  // namespace

constexpr PassDef kFewChannelConvolutionsPass{
    .name = "few-channel-convolutions",
    .summary = "Replaces a convolution to few channels by a product and a sum over windows.",
    .description =
        "The product has a row for each output channel and element of the window; its results are summed over the "
        "window. It is used where it does less work than a convolution with few channels, which share little of what "
        "they read. An unknown size counts as 256. Sums have the same terms in another order: not under "
        "--numerics=exact.",
    .counters = kFewChannelConvolutionsCounters,
    .needs = Stages::Graph,
    .example = {.before = R"mlir(func @f(%x: tensor<[B]x64x9xf32>, %w: tensor<2x64x3xf32>) -> tensor<[B]x2x7xf32> {
  %0 = conv1d %x, %w : tensor<[B]x2x7xf32>
  return %0
})mlir",
                .after = R"mlir(func @f(%x: tensor<[B]x64x9xf32>, %w: tensor<2x64x3xf32>) -> tensor<[B]x2x7xf32> {
  %0 = view %w {shape = [1, 2, 64, 3]} : tensor<1x2x64x3xf32>
  %1 = permute %0 {dims = [0, 3, 1, 2]} : tensor<1x3x2x64xf32>
  %2 = view %1 {shape = [6, 64]} : tensor<6x64xf32>
  %3 = view %x {shape = [B, 64, 9]} : tensor<[B]x64x9xf32>
  %4 = matmul %2, %3 : tensor<[B]x6x9xf32>
  %5 = view %4 {shape = [B, 1, 3, 2, 9]} : tensor<[B]x1x3x2x9xf32>
  %6 = compute %5 {formula = "y[b, g, o, i0] = sum[j0](x0[b, g, j0, o, i0 + j0]) over b < B, g < 1, o < 2, i0 < 7, j0 < 3"} : tensor<[B]x1x2x7xf32>
  %7 = view %6 {shape = [B, 2, 7]} : tensor<[B]x2x7xf32>
  return %7
})mlir"},
    .body = pass_body<NoPassOptions, run_few_channel_convolutions>(),
};

}  // namespace mlgc
