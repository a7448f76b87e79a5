// Rows that reduce axes, or run along one. `dim` left out means every axis.
#include <algorithm>
#include <cmath>

#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// Whether every axis that is reduced is known to hold one element.
bool of_one_element(const OpTypes& types, const Attrs& attrs) {
  const auto rank = static_cast<std::int64_t>(types.rank(0));
  const auto dims = attrs.constants("dim");
  if (!dims) return false;
  std::vector<std::int64_t> axes = *dims;
  for (std::int64_t axis = 0; dims->empty() && axis < rank; ++axis) axes.push_back(axis);
  return std::all_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank && types.is(0, static_cast<std::size_t>(axis), 1);
  });
}

// The slope of a norm is 0 where the norm is 0, and that of a summand where the element is. Of one element it is the
// magnitude, whose power may be none.
Text vector_norm_text(const OpTypes& types, const Attrs& attrs) {
  const double order = attrs.real("ord");
  const std::string out = "y[I..-dim!keepdim] = ";
  if (order != 0 && of_one_element(types, attrs)) return out + "sum[I..&dim](abs(x[I..]))";
  if (order == 2)
    return std::string(
        "s[I..-dim!keepdim] = sum[I..&dim](wide(x[I..])*wide(x[I..])); "
        "y[B..] = like(select(s[B..] == 0, stop(s[B..]), sqrt(s[B..])), x)");
  if (std::isinf(order)) return out + (order > 0 ? "max" : "min") + "[I..&dim](abs(x[I..]))";
  if (order == 1) return out + "sum[I..&dim](abs(x[I..]))";
  if (order == 0) return out + "sum[I..&dim](select(x[I..] != 0, like(1, x[I..]), like(0, x[I..])))";
  return std::string(
      "s[I..-dim!keepdim] = sum[I..&dim](select(x[I..] == 0, stop(pow(abs(wide(x[I..])), ord)), "
      "pow(abs(wide(x[I..])), ord))); "
      "y[B..] = like(select(pow(s[B..], 1/ord) == 0, stop(pow(s[B..], 1/ord)), pow(s[B..], 1/ord)), x)");
}

// The first extremum along an axis and where it is; the gradient goes to that element.
Text extremum_text(const OpTypes& types, const Attrs& attrs, std::string_view op, std::string_view reduction) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", op, rank);
  if (!axis) return Failure{axis.error()};
  const std::string out = labels_with(rank, *axis, attrs.flag("keepdim") ? "0" : "");
  return "a[" + out + "] = " + std::string(reduction) + "[r](x[" + labels_with(rank, *axis, "r") + "]); values[" + out +
         "] = x[" + labels_with(rank, *axis, "a[" + out + "]") + "]; indices[" + out + "] = a[" + out + "]";
}
Text max_dim_text(const OpTypes& types, const Attrs& attrs) { return extremum_text(types, attrs, "max_dim", "argmax"); }
Text min_dim_text(const OpTypes& types, const Attrs& attrs) { return extremum_text(types, attrs, "min_dim", "argmin"); }

// Where each element goes: how many come before it. NaN is the largest; equal elements keep their order.
Text rank_text(const OpTypes& types, const Attrs& attrs, std::string_view op, std::string_view flag, bool set) {
  const std::size_t rank = types.rank(0);
  const auto axis = axis_of(attrs, "dim", op, rank);
  if (!axis) return Failure{axis.error()};
  const std::string i = "x[" + labels(0, rank) + "]", j = "x[" + labels_with(rank, *axis, "r") + "]";
  const std::string here = "d" + std::to_string(*axis);
  const auto less = [](const std::string& a, const std::string& b) {
    return "(" + a + " < " + b + " or (" + a + " == " + a + " and " + b + " != " + b + "))";
  };
  const bool descending = attrs.flag(flag) == set;
  const std::string before = descending ? less(i, j) : less(j, i), after = descending ? less(j, i) : less(i, j);
  return "place[" + labels(0, rank) + "] = sum[r](i64(" + before + " or (not " + after + " and r < " + here + ")))";
}
Text sort_text(const OpTypes& types, const Attrs& attrs) {
  auto place = rank_text(types, attrs, "sort", "descending", true);
  if (!place) return place;
  const std::size_t rank = types.rank(0), axis = *axis_of(attrs, "dim", "sort", rank);
  std::string sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes = joined({sizes, dim_text(types, 0, i)});
  const std::string all = labels(0, rank), at = labels_with(rank, axis, "place[" + all + "]");
  return *place + "; values[" + at + "] = x[" + all + "] from zeros[" + sizes + "]; indices[" + at + "] = d" +
         std::to_string(axis) + " + place[" + all + "]*0 from zeros[" + sizes + "]";
}
Text topk_text(const OpTypes& types, const Attrs& attrs) {
  auto place = rank_text(types, attrs, "topk", "largest", true);
  if (!place) return place;
  const std::size_t rank = types.rank(0), axis = *axis_of(attrs, "dim", "topk", rank);
  const auto k = attrs.integer("k"), size = types.index().as_constant(types.dim(0, axis));
  if (k && (*k < 0 || (size && *k > *size)))
    return Failure{diagnose<kAttributeValue>({}, "k", "topk", "it must be between 0 and the size of the axis")};
  std::string sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes = joined({sizes, i == axis ? "k" : dim_text(types, 0, i)});
  const std::string all = labels(0, rank), at = labels_with(rank, axis, "place[" + all + "]");
  const std::string tail = " from zeros[" + sizes + "] if place[" + all + "] < k";
  return *place + "; values[" + at + "] = x[" + all + "]" + tail + "; indices[" + at + "] = d" + std::to_string(axis) +
         " + place[" + all + "]*0" + tail;
}

// The extremum so far, and the last place where it is: the last so far at which an element was the extremum. NaN is one
// wherever it stands.
Text running_text(const OpTypes& types, const Attrs& attrs, std::string_view op, const std::string& extremum) {
  const std::size_t rank = types.rank(0);
  if (rank == 0) return std::string("values[] = x[]; indices[] = argmax[r](x[]) where r = 1");
  const auto axis = axis_of(attrs, "dim", op, rank);
  if (!axis) return Failure{axis.error()};
  const std::string all = labels(0, rank), here = "d" + std::to_string(*axis), so_far = "[k | k <= " + here + "](";
  const std::string at = labels_with(rank, *axis, "k"), sizes = " where " + here + " = #k";
  return "e[" + all + "] = " + extremum + so_far + "x[" + at + "])" + sizes + "; a[" + all + "] = max" + so_far +
         "select(x[" + at + "] == e[" + at + "] or x[" + at + "] != x[" + at + "], k, 0))" + sizes + "; values[" + all +
         "] = x[" + labels_with(rank, *axis, "a[" + all + "]") + "]; indices[" + all + "] = a[" + all + "]";
}
Text cummax_text(const OpTypes& types, const Attrs& attrs) { return running_text(types, attrs, "cummax", "max"); }
Text cummin_text(const OpTypes& types, const Attrs& attrs) { return running_text(types, attrs, "cummin", "min"); }

// Equal bounds stand for the least and the largest element; equal ones still, or none: one to each side.
Text histc_text(const OpTypes&, const Attrs& attrs) {
  const double low = attrs.real("min"), high = attrs.real("max");
  if (low > high) return Failure{diagnose<kAttributeValue>({}, "max", "histc", "it must not be less than `min`")};
  const auto count = [](const std::string& a, const std::string& b) {
    return "y[min(i64(floor((x[B..] - " + a + ")*real(bins)/(" + b + " - " + a +
           "))), bins - 1)] += like(1, x[B..]) from "
           "zeros[bins] if x[B..] >= " +
           a + " and x[B..] <= " + b;
  };
  if (low < high) return count("like(min, x)", "like(max, x)");
  return "a[] = select(size(x) == 0, like(min, x), min[B..](x[B..])); b[] = select(size(x) == 0, like(min, x), "
         "max[B..](x[B..])); low[] = select(a[] == b[], a[] - 1, a[]); high[] = select(a[] == b[], b[] + 1, b[]); " +
         count("low[]", "high[]");
}

// Variances are taken in f64, as ATen does: squares of f32 leave its range.
//
// Gradients of var and std are without the part that comes back through the mean: the sum of all deviations, which is
// 0.
std::string spread_gradient(std::string_view factor) {
  return "m[I..!dim] = sum[I..&dim](f64(x[I..]))/real(#I..&dim); d_x[I..] = like(" + std::string(factor) +
         "*(f64(x[I..]) - m[I..!dim])/max(real(#I..&dim) - real(correction), 0.0), x[I..])";
}
// A result of the row, or its cotangent, at an element of the operand.
std::string at_result(const GradientContext& context, std::string_view name) {
  return "f64(" + std::string(name) + (context.attrs().flag("keepdim") ? "[I..!dim])" : "[I..-dim])");
}
bool var_gradient(GradientContext& context) {
  context.state(spread_gradient("2*" + at_result(context, "g_y")));
  return true;
}
// Where the deviation is 0 its gradient is, as in PyTorch.
bool std_gradient(GradientContext& context) {
  const std::string y = at_result(context, "y");
  context.state(spread_gradient("select(" + y + " == 0, 0, " + at_result(context, "g_y") + "/" + y + ")"));
  return true;
}

constexpr AttrDef kDim{.name = "dim", .kind = AttributeKind::Int, .required = true};
constexpr AttrDef kDims{.name = "dim", .kind = AttributeKind::IntList};  // all axes where it is left out
constexpr AttrDef kKeepdim{.name = "keepdim", .kind = AttributeKind::Bool, .fallback = "false"};

// A row that reduces over axes by a formula.
constexpr OpDef over_axes(OpDef row) {
  row.tier = Tier::Formula;
  row.attrs = {kDims, kKeepdim};
  row.dtype = {.kind = DtypeRuleKind::Formula};
  return row;
}

constexpr OpDef kReductionRows[] = {
    over_axes({.name = "sum",
               .summary = "The sum over axes; of integers and i1 it is i64.",
               .formula = "y[I..-dim!keepdim] = sum[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .example = "sum([[1.0, 2.0], [3.0, 4.0]]) {dim = [1]} == [3.0, 7.0]",
               .aten = {"aten.sum.dim_IntList", "aten.sum.default"}}),
    over_axes({.name = "mean",
               .summary = "The mean over axes.",
               .formula = "y[I..-dim!keepdim] = sum[I..&dim](x[I..])/real(#I..&dim)",
               .operands = {{.name = "x", .elements = ElementClass::Float}},
               .example = "mean([[1.0, 2.0], [3.0, 4.0]]) {dim = [0], keepdim = true} == [[2.0, 3.0]]",
               .aten = {"aten.mean.dim", "aten.mean.default"}}),
    over_axes({.name = "prod",
               .summary = "The product over axes; of integers and i1 it is i64.",
               .formula = "y[I..-dim!keepdim] = prod[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .example = "prod([[1.0, 2.0], [3.0, 4.0]]) == 24.0",
               .aten = {"aten.prod.dim_int", "aten.prod.default"}}),
    over_axes({.name = "amax",
               .summary = "The largest element over axes; equal ones share the gradient.",
               .formula = "y[I..-dim!keepdim] = max[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .effects = Effects::MayFail,
               .example = "amax([[1.0, 2.0], [3.0, 4.0]]) {dim = [1]} == [2.0, 4.0]",
               .aten = {"aten.amax.default", "aten.max.default"}}),
    over_axes({.name = "amin",
               .summary = "The smallest element over axes; equal ones share the gradient.",
               .formula = "y[I..-dim!keepdim] = min[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .effects = Effects::MayFail,
               .example = "amin([[1.0, 2.0], [3.0, 4.0]]) {dim = [1]} == [1.0, 3.0]",
               .aten = {"aten.amin.default", "aten.min.default"}}),
    over_axes({.name = "any",
               .summary = "Whether an element over axes is not zero.",
               .formula = "y[I..-dim!keepdim] = any[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .example = "any([[true, false], [false, false]]) {dim = [1]} == [true, false]",
               .aten = {"aten.any.dim", "aten.any.dims", "aten.any.default"}}),
    over_axes({.name = "all",
               .summary = "Whether every element over axes is not zero.",
               .formula = "y[I..-dim!keepdim] = all[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .example = "all([[1, 2], [0, 1]]) {dim = [1]} == [true, false]",
               .aten = {"aten.all.dim", "aten.all.dims", "aten.all.default"}}),
    over_axes({.name = "argmax",
               .summary = "Where the first largest element is; over all axes, its row-major position.",
               .formula = "y[I..-dim!keepdim] = argmax[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .effects = Effects::MayFail,
               .example = "argmax([1.0, nan, 3.0]) == 1",
               .aten = {"aten.argmax.default"}}),
    over_axes({.name = "argmin",
               .summary = "Where the first smallest element is; over all axes, its row-major position.",
               .formula = "y[I..-dim!keepdim] = argmin[I..&dim](x[I..])",
               .operands = {{.name = "x", .elements = ElementClass::Any}},
               .effects = Effects::MayFail,
               .example = "argmin([[3, 1], [0, 2]]) {dim = [1]} == [1, 0]",
               .aten = {"aten.argmin.default"}}),
    {.name = "max_dim",
     .summary = "The largest element along an axis, and where the first such is.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim, kKeepdim},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = max_dim_text},
     .example = "max_dim([[1, 5], [7, 2]]) {dim = 1} == [5, 7], [1, 0]",
     .aten = {"aten.max.dim"}},
    {.name = "min_dim",
     .summary = "The smallest element along an axis, and where the first such is.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim, kKeepdim},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = min_dim_text},
     .example = "min_dim([[1, 5], [7, 2]]) {dim = 1} == [1, 2], [0, 1]",
     .aten = {"aten.min.dim"}},
    {.name = "var",
     .summary = "The variance over axes, from the mean: two passes, in f64.",
     .tier = Tier::Composite,
     .formula = "m[I..!dim] = sum[I..&dim](f64(x[I..]))/real(#I..&dim); "
                "y[I..-dim!keepdim] = like(sum[I..&dim]((f64(x[I..]) - m[I..!dim])*(f64(x[I..]) - m[I..!dim]))/"
                "max(real(#I..&dim) - real(correction), 0.0), x)",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {kDims, {.name = "correction", .fallback = "1"}, kKeepdim},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = var_gradient},
     .example = "var([1.0, 2.0, 3.0]) == 1.0",
     .aten = {"aten.var.correction"}},
    {.name = "std",
     .summary = "The standard deviation over axes, computed in f64.",
     .tier = Tier::Composite,
     .formula = "m[I..!dim] = sum[I..&dim](f64(x[I..]))/real(#I..&dim); "
                "v[I..-dim!keepdim] = sum[I..&dim]((f64(x[I..]) - m[I..!dim])*(f64(x[I..]) - m[I..!dim]))/"
                "max(real(#I..&dim) - real(correction), 0.0); "
                "y[B..] = like(select(v[B..] == 0, stop(v[B..]), sqrt(v[B..])), x)",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {kDims, {.name = "correction", .fallback = "1"}, kKeepdim},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = std_gradient},
     .example = "std([1.0, 2.0, 3.0]) == 1.0",
     .aten = {"aten.std.correction"}},
    {.name = "linalg_vector_norm",
     .summary = "The norm over axes.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "ord", .kind = AttributeKind::Float, .fallback = "2"}, kDims, kKeepdim},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = vector_norm_text},
     .example = "linalg_vector_norm([3.0, 4.0]) == 5.0",
     .aten = {"aten.linalg_vector_norm.default"}},
    {.name = "cumsum",
     .summary = "The sum of an element and all before it.",
     .tier = Tier::Formula,
     .formula = "y[P.., j, Q..] = sum[k | k <= j](x[P.., k, Q..]) where rank P = axis(dim, x), j = #k",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "cumsum([1, 2, 3]) {dim = 0} == [1, 3, 6]",
     .aten = {"aten.cumsum.default"}},
    {.name = "cumprod",
     .summary = "The product of an element and all before it.",
     .tier = Tier::Formula,
     .formula = "y[P.., j, Q..] = prod[k | k <= j](x[P.., k, Q..]) where rank P = axis(dim, x), j = #k",
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "cumprod([1, 2, 3]) {dim = 0} == [1, 2, 6]",
     .aten = {"aten.cumprod.default"}},
    {.name = "cummax",
     .graph_op = GraphOp::Cummax,
     .summary = "The largest element so far along an axis, and where the last such is; NaN is the largest.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = cummax_text},
     .example = "cummax([1, 3, 2, 3]) {dim = 0} == [1, 3, 3, 3], [0, 1, 1, 3]",
     .aten = {"aten.cummax.default"}},
    {.name = "cummin",
     .graph_op = GraphOp::Cummin,
     .summary = "The smallest element so far along an axis, and where the last such is; NaN is the smallest.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Any}},
     .attrs = {kDim},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = cummin_text},
     .example = "cummin([2, 1, 3, 1]) {dim = 0} == [2, 1, 1, 1], [0, 1, 1, 3]",
     .aten = {"aten.cummin.default"}},
    {.name = "histc",
     .summary = "How many elements lie in each of equally wide bins from min to max; others do not count.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "bins", .kind = AttributeKind::Int, .fallback = "100"},
               {.name = "min", .fallback = "0", .summary = "equal to max: the least and the largest element"},
               {.name = "max", .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = histc_text},
     .example = "histc([1.0, 2.0, 1.5, 7.0]) {bins = 2, min = 1, max = 3} == [2.0, 1.0]",
     .aten = {"aten.histc.default"}},
    {.name = "sort",
     .graph_op = GraphOp::Sort,
     .summary = "Elements in order along an axis, and where they were. Stable; NaN is the largest.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Number}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .fallback = "-1"},
               {.name = "descending", .kind = AttributeKind::Bool, .fallback = "false"}},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = sort_text},
     .example = "sort([3, 1, 2]) == [1, 2, 3], [1, 2, 0]",
     .aten = {"aten.sort.default", "aten.sort.stable"}},
    {.name = "topk",
     .graph_op = GraphOp::Topk,
     .summary = "The k largest or smallest elements along an axis in order, and where they were.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Number}},
     .attrs = {{.name = "k", .kind = AttributeKind::Int, .required = true},
               {.name = "dim", .kind = AttributeKind::Int, .fallback = "-1"},
               {.name = "largest", .kind = AttributeKind::Bool, .fallback = "true"}},
     .result_count = 2,
     .result_names = {"values", "indices"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = topk_text},
     .example = "topk([3, 1, 2]) {k = 2} == [3, 2], [0, 2]",
     .aten = {"aten.topk.default"}},
};

constexpr auto kReductionFamily = family<kReductionRows>();

}  // namespace

std::span<const OpDef* const> reduction_rows() { return kReductionFamily; }

}  // namespace mlgc
