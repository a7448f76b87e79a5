// Rows that read a picture between its elements, and what the pools and resamplings of windows send back in training
// graphs. Coordinates are computed in the operand's float type, so that they round as PyTorch's do.
#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// Pads a coordinate `c` along an axis of `size` elements; at the border the slope is 0.
std::string clipped(const std::string& c, const std::string& size) {
  const std::string last = "like(" + size + " - 1, x)";
  return "select(" + c + " <= 0, stop(like(0, x)), select(" + c + " >= " + last + ", stop(" + last + "), " + c + "))";
}
// Folds a coordinate back at `low` and `low + span`, which are halves.
std::string reflected(const std::string& c, const std::string& size, bool corners) {
  const std::string low = corners ? "0.0" : "0.5", span = corners ? "(" + size + " - 1)" : size;
  const std::string away = "abs(" + c + (corners ? "" : " + 0.5") + ")", wide = "like(max(" + span + ", 1), x)";
  const std::string rest = "fmod(" + away + ", " + wide + ")", turns = "floor(" + away + "/" + wide + ")";
  const std::string folded = "select(fmod(" + turns + ", like(2, x)) == 0, " + rest + " - " + low + ", like(" + span +
                             ", x) - " + rest + " - " + low + ")";
  return corners ? "select(" + size + " == 1, 0*" + c + ", " + folded + ")" : folded;
}

// Index labels of the axes of a volume, those of a picture last, and of the taps along them.
constexpr std::string_view kVolumeLabels[] = {"z", "h", "w"};
constexpr std::string_view kVolumeTaps[] = {"k", "i", "j"};

// Over a picture (`h`, `w`) or a volume (`z`, `h`, `w`); coordinates of a grid come last axis first.
template <std::size_t Spatial>
Text grid_sampler_text(const OpTypes& types, const Attrs& attrs) {
  for (std::size_t i = 0; i < 2; ++i)
    if (types.rank(i) != Spatial + 2)
      return Failure{diagnose<kRankMismatch>({}, types.name(i), types.rank(i), std::to_string(Spatial + 2))};
  // A place has a coordinate for each axis.
  IndexPool& index = types.index();
  const IndexExpr coordinates = types.dim(1, Spatial + 1), axes = index.constant(Spatial);
  const auto refused = [&]<const DiagKind & Kind>() {
    return Failure{diagnose<Kind>({}, "coordinates", index.print(coordinates),
                                  "dim " + std::to_string(Spatial + 1) + " of " + types.name(1), index.print(axes),
                                  "axes that are sampled")};
  };
  switch (index.equal(coordinates, axes, types.facts())) {
    case Truth::No: return refused.template operator()<kExtentMismatch>();
    case Truth::Unknown: return refused.template operator()<kExtentUnknown>();
    case Truth::Yes: break;
  }
  const std::string mode = attrs.text("interpolation_mode"), padding = attrs.text("padding_mode");
  const bool corners = attrs.flag("align_corners");
  const auto each = [](const std::string& separator, auto&& item) {
    std::string out;
    for (std::size_t axis = 0; axis < Spatial; ++axis) out += (axis == 0 ? "" : separator) + item(axis);
    return out;
  };
  const auto tap = [](std::size_t axis) { return std::string(kVolumeTaps[axis + 3 - Spatial]); };
  const std::string places =
      "n, " + each(", ", [](std::size_t axis) { return std::string(kVolumeLabels[axis + 3 - Spatial]); });
  std::string at[Spatial], size[Spatial];
  const auto padded = [&](const std::string& c, std::size_t axis) {
    if (padding == "zeros") return c;
    return clipped(padding == "border" ? c : reflected(c, size[axis], corners), size[axis]);
  };
  std::string text;
  for (std::size_t axis = 0; axis < Spatial; ++axis) {
    const std::string number = std::to_string(Spatial - 1 - axis), u = "u" + number + "[" + places + "]";
    const std::string c = "grid[" + places + ", " + number + "]";
    size[axis] = dim_text(types, 0, 2 + axis);
    at[axis] = "g" + number + "[" + places + "]";
    text += u + " = " +
            (corners ? "(" + c + " + 1)/2*like(" + size[axis] + " - 1, x)"
                     : "((" + c + " + 1)*like(" + size[axis] + ", x) - 1)/2") +
            "; " + at[axis] + " = " + (mode == "bicubic" ? u : padded(u, axis)) + "; ";
  }
  const std::string y = "y[n, c, " + places.substr(3) + "] = ";
  if (mode == "nearest")
    return text + y + "x[n, c, " + each(", ", [&](std::size_t axis) { return "i64(round(" + at[axis] + "))"; }) + "]?0";
  const auto part = [&](std::size_t axis) { return "(" + at[axis] + " - stop(floor(" + at[axis] + ")))"; };
  const auto sum = [&](const std::string& subscripts, const std::string& weights, const std::string& taps) {
    return text + y + "sum[" + each(", ", tap) + "](x[n, c, " + subscripts + "]?0*(" + weights + ")) where " +
           each(", ", [&](std::size_t axis) { return tap(axis) + " = " + taps; });
  };
  if (mode == "bilinear")
    return sum(each(", ", [&](std::size_t axis) { return "i64(floor(" + at[axis] + ")) + " + tap(axis); }),
               each("*",
                    [&](std::size_t axis) {
                      return "select(" + tap(axis) + " == 0, 1 - " + part(axis) + ", " + part(axis) + ")";
                    }),
               "2");
  // Keys' cubic with a = -0.75: near taps, then far ones.
  const auto weight = [&](std::size_t axis) {
    const std::string t = part(axis);
    const auto near = [](const std::string& d) { return "((1.25*" + d + " - 2.25)*" + d + "*" + d + " + 1)"; };
    const auto far = [](const std::string& d) {
      return "(((0 - 0.75)*" + d + " + 3.75)*" + d + " - 6.0)*" + d + " + 3.0";
    };
    return "(select(" + tap(axis) + " == 0, " + far("(" + t + " + 1)") + ", select(" + tap(axis) + " == 1, " + near(t) +
           ", select(" + tap(axis) + " == 2, " + near("(1 - " + t + ")") + ", " + far("(2 - " + t + ")") + "))))";
  };
  const auto place = [&](std::size_t axis) {
    return "i64(" + padded("(stop(floor(" + at[axis] + ")) + like(" + tap(axis) + " - 1, x))", axis) + ")";
  };
  return sum(each(", ", place), each("*", weight), "4");
}

// Values and places are reductions of their own, so that unused places are not computed. Positions are row-major over
// the three axes.
Text adaptive_max_pool_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0), count = attrs.list("output_size").size();
  if (rank < 3) return Failure{diagnose<kRankMismatch>({}, types.name(0), rank, "at least 3")};
  if (count != 3) return Failure{diagnose<kListLength>({}, "output_size", count, 3)};
  std::string inside, outs, taps, sizes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string out(kVolumeLabels[axis]), tap(kVolumeTaps[axis]), parts = item_text("output_size", axis);
    const std::string size = dim_text(types, 0, rank - 3 + axis);
    inside += (axis == 0 ? "" : " and ") + tap + " >= (" + out + "*" + size + ") // " + parts + " and " + tap +
              " < ((" + out + " + 1)*" + size + " + " + parts + " - 1) // " + parts;
    outs = joined({outs, out});
    taps = joined({taps, tap});
    sizes = joined({sizes, out + " = " + parts});
  }
  const std::string lead = labels(0, rank - 3), places = "[" + joined({lead, outs}) + "]", a = "a" + places;
  return a + " = argmax[" + taps + " | " + inside + "](x[" + joined({lead, taps}) + "]) where " + sizes + "; y" +
         places + " = max[" + taps + " | " + inside + "](x[" + joined({lead, taps}) + "]) where " + sizes +
         "; indices" + places + " = " + a;
}

// The weights of each output position over the input positions, normalised; then both axes at once. The kernel (Keys'
// cubic with a = -0.5) is stretched where the picture shrinks, which is what keeps it from aliasing.
Text bicubic_aa_text(const OpTypes& types, const Attrs& attrs) {
  if (attrs.list("size").size() != 2) return Failure{diagnose<kListLength>({}, "size", attrs.list("size").size(), 2)};
  std::string text;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::string out = axis == 0 ? "h" : "w", in = axis == 0 ? "i" : "j", name = axis == 0 ? "a" : "b";
    const std::string size = dim_text(types, 0, 2 + axis), scale = item_text("scale", axis);
    const std::string wide = "max(" + scale + ", 1.0)", centre = scale + "*(f64(" + out + ") + 0.5)";
    const std::string low = "max(i64(trunc(" + centre + " - 2*" + wide + " + 0.5)), 0)";
    const std::string high = "min(i64(trunc(" + centre + " + 2*" + wide + " + 0.5)), " + size + ")";
    const std::string d = "t" + name + "[" + out + ", " + in + "]";
    text += "t" + name + "[" + out + ", " + in + "] = abs((f64(" + in + ") + 0.5 - " + centre + ")/" + wide +
            ") where " + out + " = " + item_text("size", axis) + ", " + in + " = " + size + "; " + name + "[" + out +
            ", " + in + "] = select(" + in + " >= " + low + " and " + in + " < " + high + ", select(" + d +
            " < 1, (1.5*" + d + " - 2.5)*" + d + "*" + d + " + 1, select(" + d + " < 2, (((0 - 0.5)*" + d + " + 2.5)*" +
            d + " - 4)*" + d + " + 2, 0.0)), 0.0); s" + name + "[" + out + "] = sum[" + in + "](" + name + "[" + out +
            ", " + in + "]); ";
  }
  return text + "y[n, c, h, w] = sum[i, j](x[n, c, i, j]*like(a[h, i]/sa[h]*(b[w, j]/sb[w]), x))";
}

// Where tap `p` of window `h` along a spatial axis lies.
std::string tap_place(std::string_view out, std::string_view tap, std::size_t i, bool dilated) {
  return std::string(out) + "*" + item_text("stride", i) + " - " + item_text("padding", i) + " + " + std::string(tap) +
         (dilated ? "*" + item_text("dilation", i) : "");
}

// Products of what comes back with the elements that each tap saw.
Text conv_weight_gradient_text(const OpTypes& types, const Attrs& attrs) {
  if (types.rank(0) < 3 || types.rank(0) > 5)
    return Failure{diagnose<kRankMismatch>({}, types.name(0), types.rank(0), "3 to 5")};
  const std::size_t spatial = types.rank(0) - 2;
  for (const std::string_view list : {"kernel_size", "stride", "padding", "dilation"})
    if (attrs.list(list).size() != spatial)
      return Failure{diagnose<kListLength>({}, list, attrs.list(list).size(), spatial)};
  std::string outs, taps, places, sizes;
  for (std::size_t i = 0; i < spatial; ++i) {
    outs = joined({outs, std::string(kOutLabels[i])});
    taps = joined({taps, std::string(kTapLabels[i])});
    places = joined({places, tap_place(kOutLabels[i], kTapLabels[i], i, true)});
    sizes = joined({sizes, std::string(kTapLabels[i]) + " = " + item_text("kernel_size", i)});
  }
  const std::string channels = "(dim(x, 1) // groups)";
  return "y[o, c, " + taps + "] = sum[n, " + outs + "](g[n, o, " + outs + "]*x[n, (o // (#o // groups))*" + channels +
         " + c, " + places + "]?0) where c = dim(x, 1) // groups, " + sizes;
}

Text avg_pool_backward_text(const OpTypes& types, const Attrs& attrs) {
  if (types.rank(1) != 4) return Failure{diagnose<kRankMismatch>({}, types.name(1), types.rank(1), "4")};
  std::string places, inside, count;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string size = dim_text(types, 1, i + 2), pad = item_text("padding", i);
    const std::string start = std::string(kOutLabels[i]) + "*" + item_text("stride", i) + " - " + pad;
    const std::string end = start + " + " + item_text("kernel_size", i),
                      at = tap_place(kOutLabels[i], kTapLabels[i], i, false);
    places = joined({places, at});
    inside += (i ? " and " : "") + at + " >= 0 and " + at + " < " + size;
    count += std::string(i ? "*" : "") + (attrs.flag("count_include_pad")
                                              ? "(min(" + end + ", " + size + " + " + pad + ") - (" + start + "))"
                                              : "(min(" + end + ", " + size + ") - max(" + start + ", 0))");
  }
  if (attrs.has("divisor_override")) count = "divisor_override";
  return "y[n, c, " + places + "] += g[n, c, h, w]/real(" + count + ") from zeros[dim(x, 0), dim(x, 1), " +
         dim_text(types, 1, 2) + ", " + dim_text(types, 1, 3) + "] if " + inside +
         " where p = kernel_size.0, q = kernel_size.1";
}

constexpr OpDef kSamplingRows[] = {
    {.name = "grid_sampler_2d",
     .summary = "Elements of a picture at places that a grid gives, from -1 to 1 along each axis.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "grid", .elements = ElementClass::Float}},
     .attrs = {{.name = "interpolation_mode",
                .kind = AttributeKind::String,
                .fallback = "\"bilinear\"",
                .choices = "bilinear|nearest|bicubic"},
               {.name = "padding_mode",
                .kind = AttributeKind::String,
                .fallback = "\"zeros\"",
                .choices = "zeros|border|reflection"},
               {.name = "align_corners",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "-1 and 1 are the centres of the outer elements, not their edges"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = grid_sampler_text<2>},
     .example = "grid_sampler_2d([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[0.0, 0.0], [-0.5, -0.5]]]]) == [[[[2.5, 1.0]]]]",
     .aten = {"aten.grid_sampler_2d.default"}},
    {.name = "grid_sampler_3d",
     .summary = "Elements of a volume at places that a grid gives, from -1 to 1 along each axis.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "grid", .elements = ElementClass::Float}},
     .attrs = {{.name = "interpolation_mode",
                .kind = AttributeKind::String,
                .fallback = "\"bilinear\"",
                .choices = "bilinear|nearest"},
               {.name = "padding_mode",
                .kind = AttributeKind::String,
                .fallback = "\"zeros\"",
                .choices = "zeros|border|reflection"},
               {.name = "align_corners", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = grid_sampler_text<3>},
     .example = "grid_sampler_3d([[[[[1.0, 2.0], [3.0, 4.0]]]]], [[[[[0.0, 0.0, 0.0], [-0.5, -0.5, 0.0]]]]]) == "
                "[[[[[2.5, 1.0]]]]]",
     .aten = {"aten.grid_sampler_3d.default"}},
    {.name = "adaptive_max_pool3d",
     .summary = "The largest element of each of the windows that tile three axes into a given number of parts, and its "
                "row-major position among them.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "output_size", .kind = AttributeKind::IntList, .required = true}},
     .result_count = 2,
     .result_names = {"y", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = adaptive_max_pool_text},
     .example = "adaptive_max_pool3d([[[1.0, 3.0], [5.0, 7.0]]]) {output_size = [1, 2, 1]} == [[[3.0], [7.0]]], [[[1], "
                "[3]]]",
     .aten = {"aten.adaptive_max_pool3d.default"}},
    {.name = "upsample_bicubic2d_aa",
     .summary = "Interpolates cubically over two axes to a given size, without aliasing. `scale` is the step in the "
                "operand for each step in the result.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "scale", .kind = AttributeKind::FloatList, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = bicubic_aa_text},
     .example = "upsample_bicubic2d_aa([[[[1.0, 3.0]]]]) {size = [1, 2], scale = [1.0, 1.0]} == [[[[1.0, 3.0]]]]",
     .aten = {"aten._upsample_bicubic2d_aa.default", "aten._upsample_bicubic2d_aa.vec"}},
    {.name = "conv_weight_gradient",
     .summary = "The gradient of the weight of a convolution, from its operand and the gradient of its result.",
     .tier = Tier::Formula,
     .operands = {{.name = "g", .elements = ElementClass::Float}, {.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "kernel_size", .kind = AttributeKind::IntList, .required = true},
               {.name = "stride", .kind = AttributeKind::IntList, .required = true},
               {.name = "padding", .kind = AttributeKind::IntList, .required = true},
               {.name = "dilation", .kind = AttributeKind::IntList, .required = true},
               {.name = "groups", .kind = AttributeKind::Int, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = conv_weight_gradient_text},
     .example = "conv_weight_gradient([[[1.0, 2.0]]], [[[1.0, 3.0, 5.0]]]) {kernel_size = [2], stride = [1], padding = "
                "[0], dilation = [1]} == [[[7.0, 13.0]]]",
     .aten = {"aten.convolution_backward.default"}},
    {.name = "avg_pool2d_backward",
     .summary = "What the mean of each window sends back to its elements; the second operand gives the size only.",
     .tier = Tier::Formula,
     .operands = {{.name = "g", .elements = ElementClass::Float}, {.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "kernel_size", .kind = AttributeKind::IntList, .required = true},
               {.name = "stride", .kind = AttributeKind::IntList, .fallback = "kernel_size"},
               {.name = "padding", .kind = AttributeKind::IntList, .fallback = "[0, 0]"},
               {.name = "ceil_mode", .kind = AttributeKind::Bool, .fallback = "false"},
               {.name = "count_include_pad", .kind = AttributeKind::Bool, .fallback = "true"},
               {.name = "divisor_override", .kind = AttributeKind::Int}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = avg_pool_backward_text},
     .example = "avg_pool2d_backward([[[[4.0]]]], [[[[1.0, 3.0]]]]) {kernel_size = [1, 2]} == [[[[2.0, 2.0]]]]",
     .aten = {"aten.avg_pool2d_backward.default"}},
    {.name = "max_pool2d_backward",
     .summary =
         "What the largest element of each window sends back, to the row-major positions that the pool found; the "
         "second operand gives the size only.",
     .tier = Tier::Formula,
     .formula = "y[n, c, indices[n, c, h, w] // dim(x, 3), indices[n, c, h, w] % dim(x, 3)] += g[n, c, h, w] from "
                "zeros[dim(x, 0), dim(x, 1), dim(x, 2), dim(x, 3)]",
     .operands = {{.name = "g", .elements = ElementClass::Float},
                  {.name = "x", .elements = ElementClass::Float},
                  {.name = "indices", .elements = ElementClass::Position}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .example = "max_pool2d_backward([[[[4.0]]]], [[[[1.0, 3.0]]]], [[[[1]]]]) == [[[[0.0, 4.0]]]]",
     .aten = {"aten.max_pool2d_with_indices_backward.default"}},
    {.name = "upsample_bilinear2d_backward",
     .summary =
         "What a linear interpolation over two axes sends back to a picture of a given size. `scale` is the step "
         "in the picture for each step in the result.",
     .tier = Tier::Composite,
     .formula =
         "sy[h] = max(when(align_corners, f64(h)*scale.0, (f64(h) + 0.5)*scale.0 - 0.5), 0.0) where h = dim(g, 2); "
         "sx[w] = max(when(align_corners, f64(w)*scale.1, (f64(w) + 0.5)*scale.1 - 0.5), 0.0) where w = dim(g, 3); "
         "y[n, c, min(i64(floor(sy[h])) + i, size.0 - 1), min(i64(floor(sx[w])) + j, size.1 - 1)] += g[n, c, h, w]"
         "*like(select(i == 0, 1 - (sy[h] - floor(sy[h])), sy[h] - floor(sy[h]))*select(j == 0, 1 - (sx[w] - "
         "floor(sx[w])), sx[w] - floor(sx[w])), g[n, c, h, w]) from zeros[dim(g, 0), dim(g, 1), size.0, size.1] "
         "where i = 2, j = 2",
     .operands = {{.name = "g", .elements = ElementClass::Float}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "scale", .kind = AttributeKind::FloatList, .required = true},
               {.name = "align_corners", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "upsample_bilinear2d_backward([[[[1.0, 1.0, 1.0, 1.0]]]]) {size = [1, 2], scale = [1.0, 0.5]} == "
                "[[[[2.0, 2.0]]]]",
     .aten = {"aten.upsample_bilinear2d_backward.default"}},
};

constexpr auto kSamplingFamily = family<kSamplingRows>();

}  // namespace

std::span<const OpDef* const> sampling_rows() { return kSamplingFamily; }

}  // namespace mlgc
