// Rows over windows: convolutions, pools, resampling. Lists hold one number per spatial axis. Padding multiplies (a tap
// outside reads 0 and is multiplied): an infinite weight at the border gives NaN, as in PyTorch.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

std::string list_of(std::size_t n, const std::function<std::string(std::size_t)>& item) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out = joined({out, item(i)});
  return out;
}

std::string word(std::string_view text) { return std::string(text); }

// The spatial rank that the operand and every list must have.
std::optional<Diagnostic> check_spatial(const OpTypes& types, const Attrs& attrs, std::string_view name,
                                        std::size_t spatial, std::initializer_list<std::string_view> lists) {
  if (types.rank(0) != spatial + 2)
    return diagnose<kRankMismatch>({}, types.name(0), types.rank(0), std::to_string(spatial + 2));
  for (std::string_view list : lists) {
    const std::size_t count = attrs.list(list).size();
    if (count != spatial) return diagnose<kListLength>({}, list, count, spatial);
  }
  (void)name;
  return std::nullopt;
}

// Groups divide the channels on both sides; without that a formula would read channels that are not there.
std::optional<Diagnostic> check_groups(const OpTypes& types, const Attrs& attrs, std::string_view op, bool transposed) {
  IndexPool& index = types.index();
  const auto groups = attrs.integer("groups");
  const auto fails = [&](const std::string& reason) { return diagnose<kAttributeValue>({}, "groups", op, reason); };
  if (!groups || *groups < 1) return fails("it must be a positive constant");
  const auto divisible = [&](IndexExpr channels) {
    return index.equal(index.mod(channels, index.constant(*groups)), index.constant(0), types.facts()) == Truth::Yes;
  };
  const IndexExpr in = types.dim(0, 1), out = types.dim(1, 0);
  if (transposed) {
    if (!divisible(in)) return fails("it is not known to divide the " + index.print(in) + " input channels");
    if (index.equal(in, out, types.facts()) != Truth::Yes)
      return fails("the weight is for " + index.print(out) + " input channels, there are " + index.print(in));
    return std::nullopt;
  }
  if (!divisible(out)) return fails("it is not known to divide the " + index.print(out) + " output channels");
  const IndexExpr wanted = index.scale(types.dim(1, 1), *groups);
  if (index.equal(in, wanted, types.facts()) != Truth::Yes)
    return fails("the weight is for " + index.print(wanted) + " input channels, there are " + index.print(in));
  return std::nullopt;
}

Text conv_text(const OpTypes& types, const Attrs& attrs, std::size_t n) {
  if (auto wrong = check_spatial(types, attrs, "conv", n, {"stride", "padding", "dilation"})) return Failure{*wrong};
  if (types.rank(1) != n + 2)
    return Failure{diagnose<kRankMismatch>({}, types.name(1), types.rank(1), std::to_string(n + 2))};
  if (auto wrong = check_groups(types, attrs, "conv" + std::to_string(n) + "d", false)) return Failure{*wrong};
  const std::string out = list_of(n, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = list_of(n, [](std::size_t i) { return word(kTapLabels[i]); });
  const std::string at = list_of(n, [](std::size_t i) {
    return word(kOutLabels[i]) + "*" + item_text("stride", i) + " + " + word(kTapLabels[i]) + "*" +
           item_text("dilation", i) + " - " + item_text("padding", i);
  });
  const std::string sizes = list_of(n, [&](std::size_t i) {
    return word(kOutLabels[i]) + " = (" + dim_text(types, 0, i + 2) + " + 2*" + item_text("padding", i) + " - " +
           item_text("dilation", i) + "*(#" + word(kTapLabels[i]) + " - 1) - 1) // " + item_text("stride", i) + " + 1";
  });
  // Every group has as many input channels as the weight says.
  return "y[n, o, " + out + "] = like(sum[c, " + taps + "](x[n, (o // (#o // groups))*#c + c, " + at +
         "]?0*weight[o, c, " + taps + "]), x) + bias[o] where " + sizes;
}

// How many places a window has with stride 1.
std::string dense_places(const OpTypes& types, std::size_t i) {
  return dim_text(types, 0, i + 2) + " + 2*" + item_text("padding", i) + " - " + item_text("dilation", i) + "*(" +
         dim_text(types, 1, i + 2) + " - 1)";
}

// From so many input channels on, vectors of them are worth having.
constexpr std::int64_t kChannelsInLanes = 16;

// The statements of `d_weight`: products of the cotangent with what each window saw. With many channels a product for
// each tap reads one padded copy of the operand, whose channels are contiguous; with few the copy has all taps of
// each window.
std::string weight_gradient(const OpTypes& types, std::size_t n) {
  const auto each = [n](const std::function<std::string(std::size_t)>& item) { return list_of(n, item); };
  const std::string out = each([](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = each([](std::size_t i) { return word(kTapLabels[i]); });
  const auto window = [](std::size_t i) {
    return word(kOutLabels[i]) + "*" + item_text("stride", i) + " + " + word(kTapLabels[i]) + "*" +
           item_text("dilation", i);
  };
  const auto less_padding = [](const std::string& place, std::size_t i) {
    return place + " - " + item_text("padding", i);
  };
  const auto taps_of_weight = [&](std::size_t i) { return word(kTapLabels[i]) + " = " + dim_text(types, 1, i + 2); };
  const auto channels = types.index().as_constant(types.dim(0, 1));
  if (channels && *channels >= kChannelsInLanes) {
    const std::string copied = each([&](std::size_t i) { return less_padding(word(kOutLabels[i]), i); });
    const std::string sizes = each([&](std::size_t i) {
      return word(kOutLabels[i]) + " = " + dim_text(types, 0, i + 2) + " + 2*" + item_text("padding", i);
    });
    return "padded[n, " + out + ", c] = x[n, c, " + copied + "]?0 where " + sizes +  //
           "; by_tap[" + taps + ", o, c] = sum[n, " + out + "](g_y[n, o, " + out + "]*padded[n, " + each(window) +
           ", c]) where " + each(taps_of_weight) +  //
           "; d_weight[o, c, " + taps + "] = like(by_tap[" + taps + ", o, c], weight)";
  }
  const std::string seen = each([&](std::size_t i) { return less_padding(window(i), i); });
  const std::string sizes = each([&](std::size_t i) {
    return word(kOutLabels[i]) + " = (" + dense_places(types, i) + " - 1) // " + item_text("stride", i) + " + 1, " +
           taps_of_weight(i);
  });
  return "seen[n, " + out + ", c, " + taps + "] = x[n, c, " + seen + "]?0 where " + sizes +  //
         "; d_weight[o, c, " + taps + "] = like(sum[n, " + out + "](g_y[n, o, " + out + "]*seen[n, " + out + ", c, " +
         taps + "]), weight)";
}

// A convolution goes back to its operand as one over the cotangent, which is spread where the stride skips, and to its
// weight as a product of the cotangent with what each window saw. Both read 0 outside, where the derived bodies choose
// the taps that are inside by conditions, which costs loops that no vector can take. Groups have the derived ones.
template <std::size_t N>
bool conv_gradient(GradientContext& context) {
  const Attrs& attrs = context.attrs();
  if (attrs.integer("groups") != 1) return false;
  const OpTypes& types = context.types();
  const std::vector<IndexExpr> strides = attrs.list("stride");
  const bool dense = std::all_of(strides.begin(), strides.end(),
                                 [&](IndexExpr stride) { return types.index().as_constant(stride) == 1; });
  const std::string out = list_of(N, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = list_of(N, [](std::size_t i) { return word(kTapLabels[i]); });
  const auto reach = [](std::size_t i) { return word(kTapLabels[i]) + "*" + item_text("dilation", i); };
  std::string body, from = "g_y";
  if (!dense) {
    from = "spread";
    std::string there;
    for (std::size_t i = 0; i < N; ++i)
      there += (i ? " and " : "") + word(kOutLabels[i]) + " % " + item_text("stride", i) + " == 0";
    body += "spread[n, o, " + out + "] = select(" + there + ", g_y[n, o, " +
            list_of(N, [](std::size_t i) { return word(kOutLabels[i]) + " // " + item_text("stride", i); }) +
            "]?0, 0) where " +
            list_of(N, [&](std::size_t i) { return word(kOutLabels[i]) + " = " + dense_places(types, i); }) + "; ";
  }
  body +=
      "d_x[n, c, " + out + "] = like(sum[o, " + taps + "](" + from + "[n, o, " +
      list_of(N,
              [&](std::size_t i) { return word(kOutLabels[i]) + " + " + item_text("padding", i) + " - " + reach(i); }) +
      "]?0*weight[o, c, " + taps + "]), x) where " +
      list_of(N, [&](std::size_t i) { return word(kOutLabels[i]) + " = " + dim_text(types, 0, i + 2); });
  body += "; " + weight_gradient(types, N);
  if (types.present(2)) body += "; d_bias[o] = like(sum[n, " + out + "](g_y[n, o, " + out + "]), bias)";
  context.state(body);
  return true;
}

Text conv_transpose_text(const OpTypes& types, const Attrs& attrs, std::size_t n) {
  if (auto wrong = check_spatial(types, attrs, "conv", n, {"stride", "padding", "dilation", "output_padding"}))
    return Failure{*wrong};
  if (types.rank(1) != n + 2)
    return Failure{diagnose<kRankMismatch>({}, types.name(1), types.rank(1), std::to_string(n + 2))};
  if (auto wrong = check_groups(types, attrs, "conv_transpose" + std::to_string(n) + "d", true)) return Failure{*wrong};
  const std::string out = list_of(n, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = list_of(n, [](std::size_t i) { return word(kTapLabels[i]); });
  const auto from = [](std::size_t i) {
    return "(" + word(kOutLabels[i]) + " + " + item_text("padding", i) + " - " + word(kTapLabels[i]) + "*" +
           item_text("dilation", i) + ")";
  };
  std::string guard;
  for (std::size_t i = 0; i < n; ++i) guard += (i ? " and " : "") + from(i) + " % " + item_text("stride", i) + " == 0";
  const std::string at = list_of(n, [&](std::size_t i) { return from(i) + " // " + item_text("stride", i); });
  const std::string sizes = list_of(n, [&](std::size_t i) {
    return word(kOutLabels[i]) + " = (" + dim_text(types, 0, i + 2) + " - 1)*" + item_text("stride", i) + " - 2*" +
           item_text("padding", i) + " + " + item_text("dilation", i) + "*(#" + word(kTapLabels[i]) + " - 1) + " +
           item_text("output_padding", i) + " + 1";
  });
  // The weight is [input channels, output channels of a group, taps].
  return "y[n, o, " + out + "] = like(sum[c, " + taps + " | " + guard + "](x[n, (o // dim(weight, 1))*#c + c, " + at +
         "]?0*weight[(o // dim(weight, 1))*#c + c, o % dim(weight, 1), " + taps +
         "]), x) + bias[o] where c = dim(x, 1) // groups, o = dim(weight, 1)*groups, " + sizes;
}

// The number of windows along an axis: rounded up, a last window must still start inside.
std::string pool_sizes(const OpTypes& types, const Attrs& attrs, std::size_t n, bool dilated) {
  return list_of(n, [&](std::size_t i) {
    const std::string size = dim_text(types, 0, i + 2), pad = item_text("padding", i), step = item_text("stride", i);
    const std::string reach = dilated ? item_text("dilation", i) + "*(" + item_text("kernel_size", i) + " - 1)"
                                      : "(" + item_text("kernel_size", i) + " - 1)";
    const std::string span = "(" + size + " + 2*" + pad + " - " + reach + " - 1";
    if (!attrs.flag("ceil_mode")) return word(kOutLabels[i]) + " = " + span + ") // " + step + " + 1";
    return word(kOutLabels[i]) + " = min(" + span + " + " + step + " - 1) // " + step + " + 1, (" + size + " + " + pad +
           " + " + step + " - 1) // " + step + ")";
  });
}

// Whether each window is shown to have a tap inside: one that starts outside ends inside, and its steps are no longer
// than what it would step over.
bool sees_elements(const OpTypes& types, const Attrs& attrs, std::size_t n) {
  IndexPool& index = types.index();
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = [&](std::string_view list) { return index.as_constant(attrs.list(list)[i]); };
    const auto padding = number("padding"), step = number("dilation"), taps = number("kernel_size");
    if (padding == 0) continue;
    if (!padding || !step || !taps || 2 * *padding > (*taps - 1) * *step + 1) return false;
    // Of nothing there are no windows then.
    if (step == 1 && 2 * *padding < *taps && !attrs.flag("ceil_mode")) continue;
    if (index.less(index.constant(*step - 1), types.dim(0, i + 2), types.facts()) != Truth::Yes) return false;
  }
  return true;
}

// Values and places are reductions of their own, so that unused places are not computed. Where the largest element of a
// window is outside of the input, that place is read, which is an error.
Text max_pool_text(const OpTypes& types, const Attrs& attrs, std::size_t n) {
  if (auto wrong = check_spatial(types, attrs, "max_pool", n, {"kernel_size", "stride", "padding", "dilation"}))
    return Failure{*wrong};
  const std::string out = list_of(n, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = list_of(n, [](std::size_t i) { return word(kTapLabels[i]); });
  const auto base = [](std::size_t i) {
    return word(kOutLabels[i]) + "*" + item_text("stride", i) + " - " + item_text("padding", i);
  };
  const auto tap_at = [&](std::size_t i) {
    return base(i) + " + " + word(kTapLabels[i]) + "*" + item_text("dilation", i);
  };
  std::string inside;
  for (std::size_t i = 0; i < n; ++i)
    inside += (i ? " and " : "") + tap_at(i) + " >= 0 and " + tap_at(i) + " < " + dim_text(types, 0, i + 2);
  const std::string a = "a[n, c, " + out + "]";
  // The tap of axis i within the position a over all taps.
  const auto chosen = [&](std::size_t i) {
    std::string rest;
    for (std::size_t j = i + 1; j < n; ++j) rest += (rest.empty() ? "" : "*") + item_text("kernel_size", j);
    const std::string tap =
        "(" + a + (rest.empty() ? "" : " // (" + rest + ")") + (i > 0 ? " % " + item_text("kernel_size", i) : "") + ")";
    return base(i) + " + " + tap + "*" + item_text("dilation", i);
  };
  std::string position;
  for (std::size_t i = 0; i < n; ++i)
    position = position.empty() ? "(" + chosen(i) + ")"
                                : "(" + position + "*" + dim_text(types, 0, i + 2) + " + " + chosen(i) + ")";
  const std::string kernel =
      list_of(n, [](std::size_t i) { return word(kTapLabels[i]) + " = " + item_text("kernel_size", i); });
  const std::string sizes = " where " + kernel + ", " + pool_sizes(types, attrs, n, true);
  const std::string value = sees_elements(types, attrs, n)
                                ? "max[" + taps + "](x[n, c, " + list_of(n, tap_at) + "]?-inf)" + sizes
                                : "x[n, c, " + list_of(n, chosen) + "]";
  return a + " = argmax[" + taps + " | " + inside + "](x[n, c, " + list_of(n, tap_at) + "])" + sizes + "; y[n, c, " +
         out + "] = " + value + "; indices[n, c, " + out + "] = " + position;
}

// The forward op has said where the largest elements are.
template <std::size_t N>
bool max_pool_gradient(GradientContext& context) {
  const OpTypes& types = context.types();
  const std::string out = list_of(N, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string sizes = list_of(N + 2, [&](std::size_t d) { return dim_text(types, 0, d); });
  const std::string at = list_of(N, [&](std::size_t i) {
    std::string place = "indices[n, c, " + out + "]", faster;
    for (std::size_t j = i + 1; j < N; ++j) faster += (faster.empty() ? "" : "*") + dim_text(types, 0, j + 2);
    if (!faster.empty()) place = "(" + place + " // (" + faster + "))";
    return i == 0 ? place : "(" + place + " % " + dim_text(types, 0, i + 2) + ")";
  });
  context.state("d_x[n, c, " + at + "] += g_y[n, c, " + out + "] from zeros[" + sizes + "]");
  return true;
}

Text avg_pool_text(const OpTypes& types, const Attrs& attrs, std::size_t n) {
  if (auto wrong = check_spatial(types, attrs, "avg_pool", n, {"kernel_size", "stride", "padding"}))
    return Failure{*wrong};
  const std::string out = list_of(n, [](std::size_t i) { return word(kOutLabels[i]); });
  const std::string taps = list_of(n, [](std::size_t i) { return word(kTapLabels[i]); });
  const auto base = [](std::size_t i) {
    return word(kOutLabels[i]) + "*" + item_text("stride", i) + " - " + item_text("padding", i);
  };
  std::string count;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string size = dim_text(types, 0, i + 2), end = base(i) + " + " + item_text("kernel_size", i);
    const std::string width =
        attrs.flag("count_include_pad")
            ? "(min(" + end + ", " + size + " + " + item_text("padding", i) + ") - (" + base(i) + "))"
            : "(min(" + end + ", " + size + ") - max(" + base(i) + ", 0))";
    count += (i ? "*" : "") + width;
  }
  if (attrs.has("divisor_override")) count = "divisor_override";
  const std::string at = list_of(n, [&](std::size_t i) { return base(i) + " + " + word(kTapLabels[i]); });
  const std::string kernel =
      list_of(n, [](std::size_t i) { return word(kTapLabels[i]) + " = " + item_text("kernel_size", i); });
  const std::string sum = "sum[" + taps + "](x[n, c, " + at + "]?0)";
  const std::string sizes = " where " + kernel + ", " + pool_sizes(types, attrs, n, false);
  if (is_float(types.dtype(0))) return "y[n, c, " + out + "] = " + sum + "/real(" + count + ")" + sizes;
  // Sums of integers wrap, and quotients are cut off.
  count = "int(" + count + ")";
  return "s[n, c, " + out + "] = " + sum + sizes + "; y[n, c, " + out + "] = like((s[n, c, " + out +
         "] - fmod(s[n, c, " + out + "], " + count + "))//" + count + ", x)";
}

// `auto` makes g++ define each instance where it is named: only of a defined function does it know, under
// -fsanitize=null, that the address is not null, and row_check.h asks for that in a constant expression.
template <Text (*Build)(const OpTypes&, const Attrs&, std::size_t), std::size_t Rank>
auto over(const OpTypes& types, const Attrs& attrs) {
  return Build(types, attrs, Rank);
}

// What each item of a list over the axes is where the list is left out.
constexpr std::string_view kOnes[] = {"[1]", "[1, 1]", "[1, 1, 1]"}, kZeros[] = {"[0]", "[0, 0]", "[0, 0, 0]"};

constexpr AttrDef over_axes(std::string_view name, std::string_view fallback) {
  return {.name = name, .kind = AttributeKind::IntList, .fallback = fallback};
}
constexpr AttrDef kKernelSize{.name = "kernel_size", .kind = AttributeKind::IntList, .required = true};
constexpr AttrDef kGroups{.name = "groups", .kind = AttributeKind::Int, .fallback = "1"};
constexpr AttrDef kCeilMode{.name = "ceil_mode", .kind = AttributeKind::Bool, .fallback = "false"};

// Each family is one definition over the number of axes; its rows add their texts.
template <std::size_t N>
constexpr OpDef conv(OpDef row) {
  row.tier = Tier::Formula;
  row.operands = {{.name = "x", .elements = ElementClass::Number},
                  {.name = "weight", .elements = ElementClass::Number},
                  {.name = "bias", .elements = ElementClass::Number, .optional = true}};
  row.attrs = {over_axes("stride", kOnes[N - 1]), over_axes("padding", kZeros[N - 1]),
               over_axes("dilation", kOnes[N - 1]), kGroups};
  row.dtype = {.kind = DtypeRuleKind::Formula};
  row.hooks = {.build = over<conv_text, N>, .gradient = conv_gradient<N>};
  return row;
}

template <std::size_t N>
constexpr OpDef conv_transpose(OpDef row) {
  row = conv<N>(row);
  row.attrs = {over_axes("stride", kOnes[N - 1]), over_axes("padding", kZeros[N - 1]),
               over_axes("output_padding", kZeros[N - 1]), over_axes("dilation", kOnes[N - 1]), kGroups};
  row.hooks = {.build = over<conv_transpose_text, N>};
  return row;
}

template <std::size_t N>
constexpr OpDef max_pool(OpDef row) {
  row.tier = Tier::Composite;
  row.operands = {{.name = "x", .elements = ElementClass::Float}};
  row.attrs = {kKernelSize, over_axes("stride", "kernel_size"), over_axes("padding", kZeros[N - 1]),
               over_axes("dilation", kOnes[N - 1]), kCeilMode};
  row.result_count = 2;
  row.result_names = {"y", "indices"};
  row.dtype = {.kind = DtypeRuleKind::Formula};
  row.effects = Effects::MayFail;
  row.hooks = {.build = over<max_pool_text, N>, .gradient = max_pool_gradient<N>};
  return row;
}

template <std::size_t N>
constexpr OpDef avg_pool(OpDef row) {
  row.tier = Tier::Formula;
  row.operands = {{.name = "x", .elements = ElementClass::Number}};
  row.attrs = {kKernelSize,
               over_axes("stride", "kernel_size"),
               over_axes("padding", kZeros[N - 1]),
               kCeilMode,
               {.name = "count_include_pad", .kind = AttributeKind::Bool, .fallback = "true"},
               {.name = "divisor_override", .kind = AttributeKind::Int}};
  row.dtype = {.kind = DtypeRuleKind::Formula};
  row.hooks = {.build = over<avg_pool_text, N>};
  return row;
}

constexpr OpDef kWindowRows[] = {
    conv<1>({.name = "conv1d",
             .summary = "Convolution over 1 axes, in groups of channels.",
             .example = "conv1d([[[1, 2, 3]]], [[[1, 1]]]) == [[[3, 5]]]",
             .aten = {"aten.convolution.default", "aten.conv1d.default"}}),
    conv<2>({.name = "conv2d",
             .summary = "Convolution over 2 axes, in groups of channels.",
             .example = "conv2d([[[[1, 2, 3]]]], [[[[1, 1]]]]) == [[[[3, 5]]]]",
             .aten = {"aten.convolution.default", "aten.conv2d.default"}}),
    conv<3>({.name = "conv3d",
             .summary = "Convolution over 3 axes, in groups of channels.",
             .example = "conv3d([[[[[1, 2, 3]]]]], [[[[[1, 1]]]]]) == [[[[[3, 5]]]]]",
             .aten = {"aten.convolution.default", "aten.conv3d.default"}}),
    conv_transpose<1>({.name = "conv_transpose1d",
                       .summary = "The transposed convolution over 1 axes.",
                       .example = "conv_transpose1d([[[1, 2]]], [[[1, 1]]]) == [[[1, 3, 2]]]",
                       .aten = {"aten.convolution.default", "aten.conv_transpose1d.default"}}),
    conv_transpose<2>({.name = "conv_transpose2d",
                       .summary = "The transposed convolution over 2 axes.",
                       .example = "conv_transpose2d([[[[1, 2]]]], [[[[1, 1]]]]) == [[[[1, 3, 2]]]]",
                       .aten = {"aten.convolution.default", "aten.conv_transpose2d.input"}}),
    conv_transpose<3>({.name = "conv_transpose3d",
                       .summary = "The transposed convolution over 3 axes.",
                       .example = "conv_transpose3d([[[[[1, 2]]]]], [[[[[1, 1]]]]]) == [[[[[1, 3, 2]]]]]",
                       .aten = {"aten.convolution.default", "aten.conv_transpose3d.input"}}),
    max_pool<1>(
        {.name = "max_pool1d",
         .summary = "The largest element of each window over 1 axes, and its row-major position among them.",
         .example = "max_pool1d([[[1.0, 3.0, 2.0]]]) {kernel_size = [2], stride = [1]} == [[[3.0, 3.0]]], [[[1, 1]]]",
         .aten = {"aten.max_pool1d_with_indices.default", "aten.max_pool1d.default"}}),
    max_pool<2>({.name = "max_pool2d",
                 .summary = "The largest element of each window over 2 axes, and its row-major position among them.",
                 .example = "max_pool2d([[[[1.0, 3.0, 2.0]]]]) {kernel_size = [1, 2], stride = [1, 1]} == [[[[3.0, "
                            "3.0]]]], [[[[1, 1]]]]",
                 .aten = {"aten.max_pool2d_with_indices.default", "aten.max_pool2d.default"}}),
    max_pool<3>({.name = "max_pool3d",
                 .summary = "The largest element of each window over 3 axes, and its row-major position among them.",
                 .example =
                     "max_pool3d([[[[[1.0, 3.0, 2.0]]]]]) {kernel_size = [1, 1, 2], stride = [1, 1, 1]} == [[[[[3.0, "
                     "3.0]]]]], [[[[[1, 1]]]]]",
                 .aten = {"aten.max_pool3d_with_indices.default", "aten.max_pool3d.default"}}),
    avg_pool<1>({.name = "avg_pool1d",
                 .summary = "The mean of each window over 1 axes; of integers it is cut off.",
                 .example = "avg_pool1d([[[1.0, 3.0, 2.0]]]) {kernel_size = [2], stride = [1]} == [[[2.0, 2.5]]]",
                 .aten = {"aten.avg_pool1d.default"}}),
    avg_pool<2>(
        {.name = "avg_pool2d",
         .summary = "The mean of each window over 2 axes; of integers it is cut off.",
         .example = "avg_pool2d([[[[1.0, 3.0, 2.0]]]]) {kernel_size = [1, 2], stride = [1, 1]} == [[[[2.0, 2.5]]]]",
         .aten = {"aten.avg_pool2d.default"}}),
    avg_pool<3>(
        {.name = "avg_pool3d",
         .summary = "The mean of each window over 3 axes; of integers it is cut off.",
         .example =
             "avg_pool3d([[[[[1.0, 3.0, 2.0]]]]]) {kernel_size = [1, 1, 2], stride = [1, 1, 1]} == [[[[[2.0, 2.5]]]]]",
         .aten = {"aten.avg_pool3d.default"}}),
    {.name = "adaptive_avg_pool2d",
     .summary = "Means of windows that tile two axes into a given number of parts.",
     .tier = Tier::Formula,
     .formula = "y[P.., h, w] = sum[i, j | i >= (h*dim(x, -2)) // output_size.0 and i < ((h + 1)*dim(x, -2) + "
                "output_size.0 - 1) // output_size.0 and j >= (w*dim(x, -1)) // output_size.1 and j < ((w + 1)*dim(x, "
                "-1) + output_size.1 - 1) // output_size.1](x[P.., i, j])/real((((h + 1)*dim(x, -2) + output_size.0 - "
                "1) // output_size.0 - (h*dim(x, -2)) // output_size.0)*(((w + 1)*dim(x, -1) + output_size.1 - 1) // "
                "output_size.1 - (w*dim(x, -1)) // output_size.1)) where h = output_size.0, w = output_size.1",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "output_size", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "adaptive_avg_pool2d([[[1.0, 3.0], [5.0, 7.0]]]) {output_size = [1, 1]} == [[[4.0]]]",
     .aten = {"aten._adaptive_avg_pool2d.default", "aten.adaptive_avg_pool2d.default"}},
    {.name = "upsample_nearest2d",
     .summary = "Repeats elements over two axes to a given size.",
     .tier = Tier::Formula,
     .formula =
         "y[P.., h, w] = x[P.., (h*dim(x, -2)) // size.0, (w*dim(x, -1)) // size.1] where h = size.0, w = size.1",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "upsample_nearest2d([[[1, 2]]]) {size = [1, 4]} == [[[1, 1, 2, 2]]]",
     .aten = {"aten.upsample_nearest2d.vec"}},
    {.name = "upsample_bilinear2d",
     .summary = "Interpolates linearly over two axes to a given size. `scale` is the step in the operand for each step "
                "in the result.",
     .tier = Tier::Composite,
     .formula = "sy[h] = max(when(align_corners, f64(h)*scale.0, (f64(h) + 0.5)*scale.0 - 0.5), 0.0) where h = size.0; "
                "sx[w] = max(when(align_corners, f64(w)*scale.1, (f64(w) + 0.5)*scale.1 - 0.5), 0.0) where w = size.1; "
                "y[P.., h, w] = sum[i, j](x[P.., min(i64(floor(sy[h])) + i, dim(x, -2) - 1), min(i64(floor(sx[w])) + "
                "j, dim(x, -1) - 1)]*like(select(i == 0, 1 - (sy[h] - floor(sy[h])), sy[h] - floor(sy[h]))*select(j == "
                "0, 1 - (sx[w] - floor(sx[w])), sx[w] - floor(sx[w])), x[P.., 0, 0])) where i = 2, j = 2",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "scale", .kind = AttributeKind::FloatList, .required = true},
               {.name = "align_corners", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "upsample_bilinear2d([[[1.0, 3.0]]]) {size = [1, 4], scale = [1.0, 0.5]} == [[[1.0, 1.5, 2.5, 3.0]]]",
     .aten = {"aten.upsample_bilinear2d.vec"}},
};

constexpr auto kWindowFamily = family<kWindowRows>();

}  // namespace

std::span<const OpDef* const> window_rows() { return kWindowFamily; }

}  // namespace mlgc
