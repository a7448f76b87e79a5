// transposed-convolutions: a transposed convolution becomes ordinary ones, whose sums are affine in their loops.
//
// Element u of a result is the sum of x[c, h]*w[c, o, k] for which u = s*h + d*k, s the stride and d the dilation. With
// g their greatest common divisor, taps k = r + (s/g)*j meet u = s*t + (d*r mod s) at t = h + (d/g)*j + d*r floordiv s:
// for each phase u mod s a convolution with the taps r, r + s/g, ... of the flipped weight and the dilation d/g; a
// phase that is no multiple of g has none. Without a dilation, phases with equally many taps (at most two kinds of them
// along an axis) are further output channels of one convolution. The phases are interleaved after it. So each product
// of the transposed convolution is computed once, and no other.
//
// Weights and channels whose sizes are symbols, and a sum whose order must stay are left alone.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/op_maker.h"
#include "transforms/passes.h"
#include "transforms/replace_op.h"

namespace mlgc {

namespace {

constexpr std::array kTransposedConvolutionsCounters{
    PassCounter{"replaced", "transposed convolutions that became ordinary ones"},
    PassCounter{"convolutions", "ordinary ones that they became"},
};

// Phases of an axis with `taps` taps each, the first of which are [first, last). Their t is `offset` more than that of
// the convolution.
struct Phases {
  std::int64_t first = 0, last = 0, taps = 0, offset = 0;
  [[nodiscard]] std::int64_t count() const { return last - first; }
};

// An axis of the image.
struct Axis {
  IndexExpr size;           // of the operand
  std::int64_t kernel = 0;  // taps of the weight
  std::int64_t stride = 1, padding = 0, dilation = 1, extra = 0;

  // The first element of the result is element `padding` of what the formula above gives.
  [[nodiscard]] std::int64_t first_t() const { return padding / stride; }
  // The last t, counted from the last element of the operand.
  [[nodiscard]] std::int64_t beyond() const {
    const std::int64_t reach = dilation * (kernel - 1) + extra - padding;
    return reach >= 0 ? reach / stride : -((-reach + stride - 1) / stride);
  }
  // From one tap of a phase to the next, in the weight and in t.
  [[nodiscard]] std::int64_t step() const { return stride / std::gcd(stride, dilation); }
  [[nodiscard]] std::int64_t spread() const { return dilation / std::gcd(stride, dilation); }
  [[nodiscard]] std::vector<Phases> phases() const {
    const std::int64_t few = kernel / stride, longer = kernel % stride;
    std::vector<Phases> out;
    if (stride > 1 && dilation > 1) {
      for (std::int64_t phase = 0; phase < stride; ++phase) {
        out.push_back({0, 1, 0, 0});
        for (std::int64_t tap = 0; tap < std::min(step(), kernel); ++tap)
          if (dilation * tap % stride == phase)
            out.back() = {tap, tap + 1, (kernel - tap + step() - 1) / step(), dilation * tap / stride};
      }
      return out;
    }
    if (longer > 0) out.push_back({0, longer, few + 1});
    out.push_back({longer, stride, few});
    return out;
  }
};

class Replacement {
 public:
  Replacement(OpRef op, std::size_t rank, const Facts& facts)
      : op_(op),
        rank_(rank),
        context_(op.module().context()),
        index_(context_.index()),
        attributes_(context_.attributes()),
        builder_(op.module()),
        make_(builder_, facts) {
    builder_.set_before(op);
    builder_.set_location(op.location());
  }

  // Whether it can be done.
  bool read() {
    const auto x = op_.operand(0).dims(), w = op_.operand(1).dims();
    const auto constant = [&](IndexExpr e) { return index_.as_constant(e).value_or(0); };
    const std::int64_t channels = constant(w[0]);
    outputs_ = constant(w[1]);
    groups_ = attributes_.as_int64(op_.attr("groups")).value_or(1);
    if (channels < 1 || outputs_ < 1 || groups_ < 1 || channels % groups_ != 0) return false;
    inputs_ = channels / groups_;
    batch_ = x[0];
    for (std::size_t i = 0; i < rank_; ++i) {
      const auto item = [&](std::string_view name, std::int64_t otherwise) -> std::optional<std::int64_t> {
        const std::span<const IndexExpr> list = attributes_.as_int_list(op_.attr(name));
        return list.empty() ? otherwise : index_.as_constant(list[list.size() == 1 ? 0 : i]);
      };
      const auto stride = item("stride", 1), padding = item("padding", 0), dilation = item("dilation", 1),
                 extra = item("output_padding", 0);
      Axis axis{x[i + 2], constant(w[i + 2])};
      if (!stride || !padding || !dilation || !extra || axis.kernel < 1 || *stride < 1 || *dilation < 1 || *padding < 0)
        return false;
      axis.stride = *stride, axis.padding = *padding, axis.dilation = *dilation, axis.extra = *extra;
      axes_.push_back(axis);
    }
    return true;
  }

  // How many convolutions it became.
  std::size_t run() {
    std::vector<Phases> chosen;
    Value y = join(chosen);
    y = interleave(y);
    if (op_.operand_count() > 2) {
      std::vector<std::int64_t> shape(rank_ + 1, 1);
      shape[0] = groups_ * outputs_;
      y = make_.make("add", {y, make_.make("view", {op_.operand(2)}, {{"shape", ints(shape)}})});
    }
    replace_op(op_, y);
    return convolutions_;
  }

 private:
  [[nodiscard]] Attribute ints(const std::vector<std::int64_t>& values) { return attributes_.int_list(values); }
  [[nodiscard]] Attribute dims(const std::vector<IndexExpr>& values) { return attributes_.int_list(values); }
  [[nodiscard]] IndexExpr number(std::int64_t value) { return index_.constant(value); }
  [[nodiscard]] IndexExpr times(const Axis& axis) {
    return index_.add(axis.size, number(axis.beyond() - axis.first_t()));
  }
  Value slice(Value v, std::size_t dim, std::int64_t first, std::optional<std::int64_t> last) {
    if (first == 0 && !last) return v;
    const Attribute at = attributes_.integer(static_cast<std::int64_t>(dim)), from = attributes_.integer(first);
    return last ? make_.make("slice", {v}, {{"dim", at}, {"start", from}, {"end", attributes_.integer(*last)}})
                : make_.make("slice", {v}, {{"dim", at}, {"start", from}});
  }

  // [batch, channels, phases of each axis…, t of each axis…], the axes from `chosen.size()` on with all of their
  // phases.
  Value join(std::vector<Phases>& chosen) {
    if (chosen.size() == rank_) return convolution(chosen);
    const std::size_t axis = chosen.size();
    std::vector<Value> parts;
    for (const Phases& phases : axes_[axis].phases()) {
      chosen.push_back(phases);
      parts.push_back(join(chosen));
      chosen.pop_back();
    }
    const Attribute dim = attributes_.integer(static_cast<std::int64_t>(2 + axis));
    Value y = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) y = make_.make("cat", {y, parts[i]}, {{"dim", dim}});
    return y;
  }

  Value convolution(const std::vector<Phases>& chosen) {
    std::vector<IndexExpr> shape{batch_, number(groups_ * outputs_)};
    for (const Phases& phases : chosen) shape.push_back(number(phases.count()));
    for (const Axis& axis : axes_) shape.push_back(times(axis));
    if (std::any_of(chosen.begin(), chosen.end(), [](const Phases& phases) { return phases.taps == 0; })) {
      const Type type = context_.types().tensor(op_.result().dtype(), shape);
      return filled(builder_, type, 0);
    }
    std::vector<std::int64_t> padding, dilation;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::int64_t reach = (chosen[i].taps - 1) * axes_[i].spread(), offset = chosen[i].offset;
      padding.push_back(std::max({std::int64_t{0}, reach - axes_[i].first_t() + offset, axes_[i].beyond() - offset}));
      dilation.push_back(axes_[i].spread());
    }
    const std::string name = "conv" + std::to_string(rank_) + "d";
    Value y = make_.make(
        name, {op_.operand(0), weight(chosen)},
        {{"padding", ints(padding)}, {"dilation", ints(dilation)}, {"groups", attributes_.integer(groups_)}});
    ++convolutions_;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::int64_t reach = (chosen[i].taps - 1) * axes_[i].spread(), offset = chosen[i].offset;
      const std::int64_t last = axes_[i].beyond() - offset - padding[i];  // from the end
      y = slice(y, i + 2, axes_[i].first_t() - offset + padding[i] - reach,
                last == 0 ? std::nullopt : std::optional(last));
    }
    return make_.make("view", {y}, {{"shape", dims(shape)}});
  }

  // Of a convolution: [channels and phases, input channels of a group, taps…].
  Value weight(const std::vector<Phases>& chosen) {
    Value w = op_.operand(1);
    std::vector<std::int64_t> shape{groups_, inputs_, outputs_}, order{0, 2}, flipped;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::int64_t wanted = chosen[i].taps * axes_[i].step(), more = wanted - axes_[i].kernel;
      if (more < 0) w = slice(w, 2 + i, 0, wanted);
      if (more > 0) {
        std::vector<std::int64_t> around(2 * rank_, 0);
        around[2 * (rank_ - 1 - i) + 1] = more;
        w = make_.make("pad", {w}, {{"pad", ints(around)}});
      }
      shape.insert(shape.end(), {chosen[i].taps, axes_[i].step()});
    }
    w = make_.make("view", {w}, {{"shape", ints(shape)}});
    std::vector<std::int64_t> joined{groups_ * outputs_, inputs_};
    for (std::size_t i = 0; i < rank_; ++i) {
      const auto taps = static_cast<std::int64_t>(3 + 2 * i);
      if (chosen[i].count() < axes_[i].step()) w = slice(w, 4 + 2 * i, chosen[i].first, chosen[i].last);
      order.push_back(taps + 1);
      if (chosen[i].taps > 1) flipped.push_back(taps);
      joined[0] *= chosen[i].count();
      joined.push_back(chosen[i].taps);
    }
    order.push_back(1);
    for (std::size_t i = 0; i < rank_; ++i) order.push_back(static_cast<std::int64_t>(3 + 2 * i));
    if (!flipped.empty()) w = make_.make("flip", {w}, {{"dims", ints(flipped)}});
    return make_.make("view", {make_.make("permute", {w}, {{"dims", ints(order)}})}, {{"shape", ints(joined)}});
  }

  // Element s*t + r of an axis is phase r at t.
  Value interleave(Value y) {
    std::vector<std::int64_t> order{0, 1};
    std::vector<IndexExpr> shape{batch_, number(groups_ * outputs_)};
    for (std::size_t i = 0; i < rank_; ++i) {
      order.insert(order.end(), {static_cast<std::int64_t>(2 + rank_ + i), static_cast<std::int64_t>(2 + i)});
      shape.push_back(index_.scale(times(axes_[i]), axes_[i].stride));
    }
    y = make_.make("permute", {y}, {{"dims", ints(order)}});
    y = make_.make("view", {y}, {{"shape", dims(shape)}});
    for (std::size_t i = 0; i < rank_; ++i) {
      const Axis& axis = axes_[i];
      const std::int64_t first = axis.padding - axis.stride * axis.first_t();
      const std::int64_t last =
          axis.dilation * (axis.kernel - 1) + axis.extra + 1 - axis.padding - axis.stride * (axis.beyond() + 1);
      y = slice(y, 2 + i, first, last == 0 ? std::nullopt : std::optional(last));
    }
    return y;
  }

  OpRef op_;
  std::size_t rank_;
  Context& context_;
  IndexPool& index_;
  AttributePool& attributes_;
  Builder builder_;
  OpMaker make_;
  std::int64_t groups_ = 1, inputs_ = 0, outputs_ = 0;  // channels of a group
  IndexExpr batch_;
  std::vector<Axis> axes_;
  std::size_t convolutions_ = 0;
};

PassResult run_transposed_convolutions(Module& module, const NoPassOptions& /*options*/, PassContext& context) {
  if (!admits(context.numerics(), NumericsClass::Reassociate, true)) return PassResult::Unchanged;
  constexpr std::array<std::string_view, 3> kNames{"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  bool changed = false;
  for_each_named(module, kNames, [&](OpRef op, std::size_t i, const Facts& facts) {
    Replacement replacement(op, i + 1, facts);
    if (!replacement.read()) return WalkResult::Continue;
    if (!context.may_rewrite("transposed-convolution", op.location(), NumericsClass::Reassociate))
      return WalkResult::Stop;
    context.count("convolutions") += replacement.run();
    ++context.count("replaced");
    changed = true;
    return WalkResult::Continue;
  });
  return PassContext::changed_if(changed);
}

}  // namespace

constexpr PassDef kTransposedConvolutionsPass{
    .name = "transposed-convolutions",
    .summary = "Makes ordinary convolutions of transposed ones.",
    .description =
        "Each phase of the stride is a convolution with a part of the flipped weight; phases with equally many taps "
        "are further output channels of one, and their results are interleaved. Sums have the same terms in another "
        "order: not under --numerics=exact.",
    .counters = kTransposedConvolutionsCounters,
    .needs = Stages::Graph,
    .example = {.before = R"mlir(func @f(%x: tensor<[B]x4x9xf32>, %w: tensor<4x8x2xf32>) -> tensor<[B]x8x18xf32> {
  %0 = conv_transpose1d %x, %w {stride = [2]} : tensor<[B]x8x18xf32>
  return %0
})mlir",
                .after = R"mlir(func @f(%x: tensor<[B]x4x9xf32>, %w: tensor<4x8x2xf32>) -> tensor<[B]x8x18xf32> {
  %0 = view %w {shape = [1, 4, 8, 1, 2]} : tensor<1x4x8x1x2xf32>
  %1 = permute %0 {dims = [0, 2, 4, 1, 3]} : tensor<1x8x2x4x1xf32>
  %2 = view %1 {shape = [16, 4, 1]} : tensor<16x4x1xf32>
  %3 = conv1d %x, %2 {dilation = [1], groups = 1, padding = [0]} : tensor<[B]x16x9xf32>
  %4 = view %3 {shape = [B, 8, 2, 9]} : tensor<[B]x8x2x9xf32>
  %5 = permute %4 {dims = [0, 1, 3, 2]} : tensor<[B]x8x9x2xf32>
  %6 = view %5 {shape = [B, 8, 18]} : tensor<[B]x8x18xf32>
  return %6
})mlir"},
    .body = pass_body<NoPassOptions, run_transposed_convolutions>(),
};

}  // namespace mlgc
