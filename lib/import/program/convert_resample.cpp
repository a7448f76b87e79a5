// Pictures, volumes and lines brought to another size. Every mode works along one axis after the other, and what it
// takes from where follows from sizes alone: positions for the nearest element, a matrix of weights for the others.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"
#include "tensor/tensor.h"

namespace mlgc::program {

namespace {

struct Resampling {
  std::int64_t from = 0, to = 0;
  double factor = 0;  // given by the call; 0: follows from the sizes
  bool corners = false;

  // Steps in the operand for each step in the result.
  [[nodiscard]] double step() const {
    if (corners) return to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
    return factor > 0 ? 1 / factor : static_cast<double>(from) / static_cast<double>(to);
  }
};

// The spatial axes of a call that brings a picture of one size to another; nothing after a failure.
std::vector<Resampling> resamplings(NodeScope& scope, std::span<const IndexExpr> picture,
                                    std::span<const IndexExpr> result) {
  if (scope.failed()) return {};
  if (picture.size() != result.size())
    return scope.refuse<kRanksDiffer>("the picture", picture.size(), "the result", result.size()),
           std::vector<Resampling>();
  std::vector<Resampling> found;
  for (std::size_t axis = 2; axis < picture.size(); ++axis) {
    const auto from = scope.context().index().as_constant(picture[axis]);
    const auto to = scope.context().index().as_constant(result[axis]);
    // Less than 0: not known.
    found.push_back({from && to ? *from : -1, from && to ? *to : -1});
  }
  // A list of factors, or an argument for each axis.
  std::size_t axis = 0;
  for (const BoundArgument& argument : scope.arguments()) {
    if (!argument.name.starts_with("scale")) continue;
    for (std::size_t i = 0; i < argument.value.reals.size() && axis + i < found.size(); ++i)
      found[axis + i].factor = argument.value.reals[i];
    ++axis;
  }
  return found;
}

bool are_constant(NodeScope& scope, const Resampling& r) {
  if (r.from < 0) scope.refuse<kArgumentNotConstant>("the size of its picture", "sizes of inputs");
  return r.from >= 0;
}

// The two sides of a call: it makes the result of the picture, or sends back what the result got.
struct Sides {
  Value operand;
  std::vector<Resampling> axes;
  bool backward;
};
Sides sides(NodeScope& scope) {
  const bool backward = scope.target().ends_with("_backward.default");
  const Value operand = scope.tensor(scope.arguments()[0].name);  // `input`, `self` or `grad_output`
  const Type type = scope.recorded(0);
  if (scope.failed()) return {operand, {}, backward};
  const auto own = operand.dims(), other = scope.context().types().dims(type);
  return {operand, backward ? resamplings(scope, other, own) : resamplings(scope, own, other), backward};
}

// The element that each one of a result of `to` elements along an axis of size `from` is nearest to, where the sizes
// are known at run time only.
Value nearest_of(NodeScope& scope, IndexExpr from, IndexExpr to, float middle, float step) {
  OpChain chain(scope);
  AttributePool& attributes = scope.context().attributes();
  const Value places = chain.cast(chain.positions(std::array{to}), Dtype::F32);
  const auto with = [&](std::string_view op, Value value, float number) {
    return chain.call(op, {value}, {{"other", attributes.real(static_cast<double>(number))}});
  };
  const Value at = with("mul", middle == 0 ? places : with("add", places, middle), step);
  const Value last =
      chain.call("dim", {}, {{"value", attributes.integer(scope.context().index().sub(from, chain.size(1)))}});
  return chain.call("minimum", {chain.cast(at, Dtype::I64), last});
}

}  // namespace

// As ATen computes it, in f32.
void convert_nearest_positions(NodeScope& scope) {
  auto [x, axes, backward] = sides(scope);
  const float middle = scope.target().starts_with("aten._upsample_nearest_exact") ? 0.5F : 0.0F;
  AttributePool& attributes = scope.context().attributes();
  std::int64_t axis = 2;
  for (const Resampling& r : axes) {
    if (scope.failed()) return;
    const auto step = static_cast<float>(r.step());
    if (r.from < 0 && r.factor > 0 && !backward) {
      const Type type = scope.recorded(0);
      if (scope.failed()) return;
      const auto at = static_cast<std::size_t>(axis);
      const Value index = nearest_of(scope, x.dims()[at], scope.context().types().dims(type)[at], middle, step);
      x = scope.emit_one("index_select", {x, index}, {{"dim", attributes.integer(axis++)}});
      continue;
    }
    if (!are_constant(scope, r)) return;
    Tensor positions = Tensor::zeros(Dtype::I64, {r.to});
    for (std::int64_t i = 0; i < r.to; ++i)
      positions.set_int(i, std::min(static_cast<std::int64_t>((static_cast<float>(i) + middle) * step), r.from - 1));
    const Value index = scope.emit_one("constant", {}, {{"value", attributes.tensor(positions)}});
    if (backward) {
      std::vector<IndexExpr> size(x.dims().begin(), x.dims().end());
      size.at(static_cast<std::size_t>(axis)) = scope.context().index().constant(r.from);
      const Value nothing = scope.emit_one(
          "full", {},
          {{"size", attributes.int_list(size)}, {"value", attributes.real(0)}, {"dtype", attributes.dtype(x.dtype())}});
      x = scope.emit_one("index_add", {nothing, index, x}, {{"dim", attributes.integer(axis++)}});
    } else {
      x = scope.emit_one("index_select", {x, index}, {{"dim", attributes.integer(axis++)}});
    }
  }
  if (!scope.failed()) scope.result(0, x);
}

namespace {

void add_weight(Tensor& weights, const Resampling& r, std::int64_t position, std::int64_t i, double weight) {
  const std::int64_t place = std::clamp<std::int64_t>(position, 0, r.from - 1) * r.to + i;
  weights.set_double(place, weights.get_double(place) + weight);
}

void add_linear(Tensor& weights, const Resampling& r, std::int64_t i) {
  const auto number = static_cast<double>(i);
  const double at = r.corners ? number * r.step() : std::max((number + 0.5) * r.step() - 0.5, 0.0);
  const auto below = static_cast<std::int64_t>(at);
  const double rest = at - static_cast<double>(below);
  add_weight(weights, r, below, i, 1 - rest);
  add_weight(weights, r, below + 1, i, rest);
}

// Keys' kernel with a = -0.75.
double cubic(double x) {
  constexpr double a = -0.75;
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

void add_cubic(Tensor& weights, const Resampling& r, std::int64_t i) {
  const auto number = static_cast<double>(i);
  const double at = r.corners ? number * r.step() : (number + 0.5) * r.step() - 0.5;
  const auto below = static_cast<std::int64_t>(std::floor(at));
  for (std::int64_t tap = below - 1; tap <= below + 2; ++tap)
    add_weight(weights, r, tap, i, cubic(at - static_cast<double>(tap)));
}

// The mean of all elements under a kernel that is as wide as the steps between results, its weights scaled to a sum
// of 1.
void add_filtered(Tensor& weights, const Resampling& r, std::int64_t i, double support, double (*filter)(double)) {
  const double step = r.step(), wide = std::max(step, 1.0);
  const double centre = step * (static_cast<double>(i) + 0.5), reach = support * wide;
  const std::int64_t first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - reach + 0.5), 0);
  const std::int64_t end = std::min(static_cast<std::int64_t>(centre + reach + 0.5), r.from);
  const auto weight = [&](std::int64_t tap) { return filter((static_cast<double>(tap) - centre + 0.5) / wide); };
  double sum = 0;
  for (std::int64_t tap = first; tap < end; ++tap) sum += weight(tap);
  for (std::int64_t tap = first; tap < end; ++tap) add_weight(weights, r, tap, i, sum == 0 ? 0 : weight(tap) / sum);
}
double triangle(double x) { return std::max(1 - std::fabs(x), 0.0); }
double lanczos(double x) {
  const auto sinc = [](double t) { return t == 0 ? 1 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t); };
  return std::fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
}
void add_filtered_linear(Tensor& weights, const Resampling& r, std::int64_t i) {
  add_filtered(weights, r, i, 1, triangle);
}
void add_lanczos(Tensor& weights, const Resampling& r, std::int64_t i) { add_filtered(weights, r, i, 3, lanczos); }

// One product with a matrix [from, to], or back with its transpose, for each axis, which is the last one meanwhile.
void weighted(NodeScope& scope, void (*add)(Tensor&, const Resampling&, std::int64_t)) {
  auto [x, axes, backward] = sides(scope);
  AttributePool& attributes = scope.context().attributes();
  std::size_t axis = 2;
  for (Resampling r : axes) {
    if (scope.failed() || !are_constant(scope, r)) return;
    r.corners = scope.flag("align_corners");
    Tensor weights = Tensor::zeros(x.dtype(), {r.from, r.to});
    for (std::int64_t i = 0; i < r.to; ++i) add(weights, r, i);
    std::vector<std::int64_t> order(x.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis++], order.back());
    const Attribute dims = attributes.int_list(order);
    Value matrix = scope.emit_one("constant", {}, {{"value", attributes.tensor(weights)}});
    if (backward)
      matrix = scope.emit_one(
          "transpose", {matrix},
          {{"dim0", attributes.integer(std::int64_t{0})}, {"dim1", attributes.integer(std::int64_t{1})}});
    x = scope.emit_one("permute", {x}, {{"dims", dims}});
    x = scope.emit_one("matmul", {x, matrix});
    x = scope.emit_one("permute", {x}, {{"dims", dims}});
  }
  if (!scope.failed()) scope.result(0, x);
}
void convert_linear(NodeScope& scope) { weighted(scope, add_linear); }
void convert_cubic(NodeScope& scope) { weighted(scope, add_cubic); }
void convert_filtered_linear(NodeScope& scope) { weighted(scope, add_filtered_linear); }
void convert_lanczos(NodeScope& scope) { weighted(scope, add_lanczos); }

constexpr Converter kResampleConverters[] = {
    {"aten.upsample_nearest1d.vec", convert_nearest_positions},
    {"aten.upsample_nearest3d.vec", convert_nearest_positions},
    {"aten._upsample_nearest_exact1d.vec", convert_nearest_positions},
    {"aten._upsample_nearest_exact2d.vec", convert_nearest_positions},
    {"aten._upsample_nearest_exact3d.vec", convert_nearest_positions},
    {"aten.upsample_linear1d.vec", convert_linear},
    {"aten.upsample_trilinear3d.vec", convert_linear},
    {"aten.upsample_bicubic2d.vec", convert_cubic},
    {"aten._upsample_bilinear2d_aa.vec", convert_filtered_linear},
    {"aten._upsample_bilinear2d_aa.default", convert_filtered_linear},
    {"aten._upsample_lanczos2d_aa.vec", convert_lanczos},
    {"aten.upsample_linear1d.default", convert_linear},
    {"aten.upsample_trilinear3d.default", convert_linear},
    {"aten.upsample_bicubic2d.default", convert_cubic},
    // What they send back.
    {"aten.upsample_nearest1d_backward.default", convert_nearest_positions},
    {"aten.upsample_nearest2d_backward.default", convert_nearest_positions},
    {"aten.upsample_nearest3d_backward.default", convert_nearest_positions},
    {"aten._upsample_nearest_exact1d_backward.default", convert_nearest_positions},
    {"aten._upsample_nearest_exact2d_backward.default", convert_nearest_positions},
    {"aten._upsample_nearest_exact3d_backward.default", convert_nearest_positions},
    {"aten.upsample_linear1d_backward.default", convert_linear},
    {"aten.upsample_trilinear3d_backward.default", convert_linear},
    {"aten.upsample_bicubic2d_backward.default", convert_cubic},
};

}  // namespace

std::span<const Converter> resample_converters() { return kResampleConverters; }

}  // namespace mlgc::program
