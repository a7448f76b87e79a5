// Rows that normalise along axes: the softmax family and the norms with mean and variance. Variance is taken in two
// passes. What a row keeps between its statements is wide(): 16-bit floats are rounded once, in the result.
#include "ops/op_table.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

// From the result alone: PyTorch's way, which computes no exponential again.
bool softmax_gradient(GradientContext& context) {
  context.state(
      "t[I..!dim] = sum[I..&dim](wide(g_y[I..])*wide(y[I..])); "
      "d_x[I..] = like(wide(y[I..])*(wide(g_y[I..]) - t[I..!dim]), x[I..])");
  return true;
}
bool log_softmax_gradient(GradientContext& context) {
  context.state(
      "t[I..!dim] = sum[I..&dim](wide(g_y[I..])); "
      "d_x[I..] = like(wide(g_y[I..]) - exp(wide(y[I..]))*t[I..!dim], x[I..])");
  return true;
}

// The norms, with g the cotangent of y times the weight, a the mean of g over what is normalised and c = x - mean:
// d_x = (g - a - c*b)*rstd where b = rstd^2 * mean(g*c). The derived body takes the sums of g and of c apart once more
// on the way back through mean and deviation, and computes both again. Here they are the row's results, unless these
// are rounded to 16 bits.
bool results_are_wide(const GradientContext& context, std::size_t mean, std::size_t rstd) {
  const auto wide = [](Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16 ? Dtype::F32 : dtype; };
  const Dtype kept = wide(context.types().dtype(0));
  return context.result_dtype(mean) == kept && context.result_dtype(rstd) == kept;
}

// The statement for an operand, if its gradient is asked for.
void state_if_wanted(std::string& text, const GradientContext& context, std::size_t operand, std::string_view body) {
  if (context.wants(operand)) text += "; " + std::string(body);
}

bool layer_norm_gradient(GradientContext& context) {
  if (!context.only_first()) return false;
  const bool at_hand = results_are_wide(context, 1, 2);
  const std::string sizes = " where N.. = normalized_shape";
  const std::string m = at_hand ? "wide(mean[B.., N..!every])" : "m[B..]",
                    r = at_hand ? "wide(rstd[B.., N..!every])" : "r[B..]";
  const std::string c = "(wide(x[B.., N..]) - " + m + ")", g = "wide(g_y[B.., N..])*wide(weight[N..])";
  std::string text;
  if (!at_hand)
    text = "m[B..] = sum[N..](wide(x[B.., N..]))/real(#N..)" + sizes + "; r[B..] = rsqrt(sum[N..](" + c + "*" + c +
           ")/real(#N..) + eps)" + sizes + "; ";
  text += "a[B..] = sum[N..](" + g + ")/real(#N..)" + sizes + "; b[B..] = sum[N..](" + g + "*" + c + ")*" + r + "*" +
          r + "/real(#N..)" + sizes;
  state_if_wanted(text, context, 0,
                  "d_x[B.., N..] = like((" + g + " - a[B..] - " + c + "*b[B..])*" + r + ", x)" + sizes);
  state_if_wanted(text, context, 1,
                  "d_weight[N..] = like(sum[B..](wide(g_y[B.., N..])*" + c + "*" + r + "), weight)" + sizes);
  state_if_wanted(text, context, 2, "d_bias[N..] = like(sum[B..](wide(g_y[B.., N..])), bias)" + sizes);
  context.state(text);
  return true;
}

// One pass over x and the cotangent: sums of channels, of which groups and weights take theirs.
bool group_norm_gradient(GradientContext& context) {
  if (!context.only_first() || !results_are_wide(context, 1, 2)) return false;
  const std::string size = "(dim(x, 1)//num_groups)", group = "c//" + size;
  const std::string groups = " where g = num_groups, d = dim(x, 1)//num_groups",
                    channels = " where c = num_groups*" + size;
  const std::string c = "(wide(x[n, c, S..]) - wide(mean[n, " + group + "]))", r = "wide(rstd[n, " + group + "])";
  const std::string of_group = "[n, g*" + size + " + d]*wide(weight[g*" + size + " + d])";
  std::string text = "p[n, c] = sum[S..](wide(g_y[n, c, S..]))" + channels +
                     "; q[n, c] = sum[S..](wide(g_y[n, c, S..])*" + c + ")" + channels;
  const std::string per_group = "real(size(x)//(dim(x, 0)*num_groups))";
  text += "; a[n, g] = sum[d](p" + of_group + ")/" + per_group + groups + "; b[n, g] = sum[d](q" + of_group +
          ")*wide(rstd[n, g])*wide(rstd[n, g])/" + per_group + groups;
  state_if_wanted(text, context, 0,
                  "d_x[n, c, S..] = like((wide(g_y[n, c, S..])*wide(weight[c]) - a[n, " + group + "] - " + c +
                      "*b[n, " + group + "])*" + r + ", x[n, c, S..])" + channels);
  state_if_wanted(text, context, 1, "d_weight[c] = like(sum[n](q[n, c]*" + r + "), weight)" + channels);
  state_if_wanted(text, context, 2, "d_bias[c] = like(sum[n](p[n, c]), bias)" + channels);
  context.state(text);
  return true;
}

// Two sums for each channel are all that is needed. `weight` is the number of that operand, the bias follows.
bool batch_norm_gradient(GradientContext& context, std::size_t weight) {
  if (!context.only_first() || !results_are_wide(context, 1, 2)) return false;
  for (std::size_t i = 1; i < weight; ++i)
    if (context.wants(i)) return false;
  const std::string c = "(wide(x[n, c, S..]) - wide(mean[c]))", r = "wide(rstd[c])";
  std::string text =
      "p[c] = sum[n, S..](wide(g_y[n, c, S..])); q[c] = sum[n, S..](wide(g_y[n, c, S..])*" + c + ")*" + r;
  state_if_wanted(text, context, 0,
                  "d_x[n, c, S..] = like((wide(g_y[n, c, S..]) - p[c]/real(#n*#S..) - " + c + "*(q[c]*" + r +
                      "/real(#n*#S..)))*" + r + "*wide(weight[c]), x)");
  state_if_wanted(text, context, weight, "d_weight[c] = like(q[c], weight)");
  state_if_wanted(text, context, weight + 1, "d_bias[c] = like(p[c], bias)");
  context.state(text);
  return true;
}
bool batch_norm_train_gradient(GradientContext& context) { return batch_norm_gradient(context, 3); }
bool batch_norm_stats_gradient(GradientContext& context) { return batch_norm_gradient(context, 1); }

constexpr OpDef kNormalisationRows[] = {
    {.name = "softmax",
     .graph_op = GraphOp::Softmax,
     .summary = "Exponentials along an axis, divided by their sum.",
     .tier = Tier::Composite,
     .formula = "m[I..!dim] = stop(max[I..&dim | true](when(has(dtype), cast(x[I..], dtype), wide(x[I..])))); "
                "e[I..] = exp(when(has(dtype), cast(x[I..], dtype), wide(x[I..])) - "
                "when(safe, select(m[I..!dim] == -inf, 0, m[I..!dim]), m[I..!dim])); "
                "s[I..!dim] = sum[I..&dim](e[I..]); "
                "y[I..] = when(has(dtype), cast(e[I..]/when(safe, select(s[I..!dim] == 0, 1, s[I..!dim]), s[I..!dim]), "
                "dtype), "
                "like(e[I..]/when(safe, select(s[I..!dim] == 0, 1, s[I..!dim]), s[I..!dim]), x[I..]))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .summary = "converts the operand first"},
               {.name = "safe",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "where everything is -inf the result is 0, not NaN"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = softmax_gradient},
     .example = "softmax([[0.0, 0.0], [-inf, 1.0]]) {dim = 1} == [[0.5, 0.5], [0.0, 1.0]]",
     .aten = {"aten.softmax.int", "aten._softmax.default", "aten._safe_softmax.default",
              "aten.special_softmax.default"}},
    {.name = "log_softmax",
     .summary = "The logarithm of the softmax.",
     .tier = Tier::Composite,
     .formula = "m[I..!dim] = stop(max[I..&dim | true](when(has(dtype), cast(x[I..], dtype), wide(x[I..])))); "
                "z[I..] = when(has(dtype), cast(x[I..], dtype), wide(x[I..])) - m[I..!dim]; "
                "l[I..!dim] = log(sum[I..&dim](exp(z[I..]))); "
                "y[I..] = when(has(dtype), cast(z[I..] - l[I..!dim], dtype), like(z[I..] - l[I..!dim], x[I..]))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "dim", .kind = AttributeKind::Int, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .summary = "converts the operand first"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = log_softmax_gradient},
     .example = "log_softmax([0.0, 0.0]) {dim = 0} == [-0.6931471806, -0.6931471806]",
     .aten = {"aten.log_softmax.int", "aten._log_softmax.default", "aten.special_log_softmax.default"}},
    {.name = "logsumexp",
     .summary = "The logarithm of the sum of exponentials along axes.",
     .tier = Tier::Composite,
     .formula = "m[I..!dim] = stop(max[I..&dim | true](wide(x[I..]))); "
                "f[I..!dim] = select(abs(m[I..!dim]) == inf, 0, m[I..!dim]); "
                "s[I..!dim] = sum[I..&dim](exp(wide(x[I..]) - f[I..!dim])); "
                "y[I..-dim!keepdim] = like(f[I..!dim] + log(s[I..!dim]), x[I..!dim])",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "dim", .kind = AttributeKind::IntList, .summary = "every axis when left out"},
               {.name = "keepdim", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "logsumexp([[0.0, 0.0], [-inf, -inf]]) {dim = [1]} == [0.6931471806, -inf]",
     .aten = {"aten.logsumexp.default", "aten.special_logsumexp.default"}},
    {.name = "batch_norm",
     .summary = "Normalises each channel by a given mean and variance, then scales and shifts it.",
     .tier = Tier::Formula,
     .formula = "y[n, c, S..] = like((wide(x[n, c, S..]) - wide(mean[c]))*rsqrt(wide(var[c]) + eps)*wide(weight[c]) + "
                "wide(bias[c]), x)",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "mean", .elements = ElementClass::Float},
                  {.name = "var", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .example = "batch_norm([[1.0, 5.0]], [1.0, 1.0], [4.0, 4.0], [1.0, 3.0], [0.5, 0.0]) {eps = 0} == [[0.5, 6.0]]",
     .aten = {"aten.batch_norm.default", "aten._native_batch_norm_legit_no_training.default"}},
    {.name = "batch_norm_train",
     .summary = "Normalises each channel by its mean and variance over the batch, and moves the running ones towards "
                "them.",
     .tier = Tier::Composite,
     .formula = "m[c] = sum[n, S..](wide(x[n, c, S..]))/real(#n*#S..); "
                "v[c] = sum[n, S..]((wide(x[n, c, S..]) - m[c])*(wide(x[n, c, S..]) - m[c]))/real(#n*#S..); "
                "r[c] = rsqrt(v[c] + eps); "
                "y[n, c, S..] = like((wide(x[n, c, S..]) - m[c])*r[c]*wide(weight[c]) + wide(bias[c]), x); "
                "mean[c] = like(m[c], running_mean); rstd[c] = like(r[c], running_var); "
                "new_mean[c] = like((1 - momentum)*wide(running_mean[c]) + momentum*m[c], running_mean[c]); "
                "new_var[c] = like((1 - momentum)*wide(running_var[c]) + "
                "momentum*v[c]*(real(size(x))/real(size(x) - dim(x, 1))), running_var[c])",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "running_mean", .elements = ElementClass::Float},
                  {.name = "running_var", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "momentum", .kind = AttributeKind::Float, .fallback = "0.1"},
               {.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .result_count = 5,
     .result_names = {"y", "mean", "rstd", "new_mean", "new_var"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = batch_norm_train_gradient},
     .example = "batch_norm_train([[1.0], [3.0]], [0.0], [1.0]) {momentum = 0.5, eps = 0} == [[-1.0], [1.0]], "
                "[2.0], [1.0], [1.0], [1.5]",
     .aten = {"aten._native_batch_norm_legit_functional.default"}},
    {.name = "batch_norm_stats",
     .summary = "Normalises each channel by its mean and variance over the batch, where no running ones are kept.",
     .tier = Tier::Composite,
     .formula =
         "m[c] = sum[n, S..](wide(x[n, c, S..]))/real(#n*#S..); "
         "r[c] = rsqrt(sum[n, S..]((wide(x[n, c, S..]) - m[c])*(wide(x[n, c, S..]) - m[c]))/real(#n*#S..) + eps); "
         "y[n, c, S..] = like((wide(x[n, c, S..]) - m[c])*r[c]*wide(weight[c]) + wide(bias[c]), x); "
         "mean[c] = like(m[c], x); rstd[c] = like(r[c], x)",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.gradient = batch_norm_stats_gradient},
     .example = "batch_norm_stats([[1.0], [3.0]]) {eps = 0} == [[-1.0], [1.0]], [2.0], [1.0]",
     .aten = {"aten._native_batch_norm_legit.no_stats"}},
    {.name = "layer_norm",
     .summary = "Normalises the last axes, then scales and shifts them; returns mean and 1/sqrt(variance + eps) too.",
     .tier = Tier::Composite,
     .formula = "m[B..] = sum[N..](wide(x[B.., N..]))/real(#N..) where N.. = normalized_shape; "
                "r[B..] = rsqrt(sum[N..]((wide(x[B.., N..]) - m[B..])*(wide(x[B.., N..]) - m[B..]))/real(#N..) + eps) "
                "where N.. = normalized_shape; "
                "y[B.., N..] = like((wide(x[B.., N..]) - m[B..])*r[B..]*wide(weight[N..]) + wide(bias[N..]), x) "
                "where N.. = normalized_shape; "
                "mean[B.., N..!every] = like(m[B..], x) where N.. = normalized_shape; "
                "rstd[B.., N..!every] = like(r[B..], x) where N.. = normalized_shape",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "normalized_shape",
                .kind = AttributeKind::IntList,
                .required = true,
                .summary = "sizes of the axes that are normalised"},
               {.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Same},
     .hooks = {.gradient = layer_norm_gradient},
     .example = "layer_norm([[1.0, 3.0]], [2.0, 1.0], [0.0, 0.5]) {normalized_shape = [2], eps = 0} == [[-2.0, 1.5]], "
                "[[2.0]], [[1.0]]",
     .aten = {"aten.layer_norm.default", "aten.native_layer_norm.default"}},
    {.name = "rms_norm",
     .summary = "Divides the last axes by the root of their mean square, then scales them.",
     .tier = Tier::Composite,
     .formula =
         "r[B..] = rsqrt(sum[N..](wide(x[B.., N..])*wide(x[B.., N..]))/real(#N..) + eps) where N.. = normalized_shape; "
         "y[B.., N..] = like(wide(x[B.., N..])*r[B..]*wide(weight[N..]), x) where N.. = normalized_shape",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "normalized_shape",
                .kind = AttributeKind::IntList,
                .required = true,
                .summary = "sizes of the axes that are normalised"},
               {.name = "eps", .kind = AttributeKind::Float, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .example = "rms_norm([[3.0, 3.0]], [1.0, 2.0]) {normalized_shape = [2], eps = 0} == [[1.0, 2.0]]",
     .aten = {"aten.rms_norm.default", "aten._fused_rms_norm.default"}},
    {.name = "group_norm",
     .summary = "Normalises groups of channels, then scales and shifts each channel; returns mean and 1/sqrt(variance "
                "+ eps) of the "
                "groups too.",
     .tier = Tier::Composite,
     .formula = "m[n, g] = sum[d, S..](wide(x[n, g*(dim(x, 1)//num_groups) + d, S..]))/real(#d*#S..) "
                "where g = num_groups, d = dim(x, 1)//num_groups; "
                "r[n, g] = rsqrt(sum[d, S..]((wide(x[n, g*(dim(x, 1)//num_groups) + d, S..]) - m[n, g])*"
                "(wide(x[n, g*(dim(x, 1)//num_groups) + d, S..]) - m[n, g]))/real(#d*#S..) + eps) "
                "where g = num_groups, d = dim(x, 1)//num_groups; "
                "y[n, c, S..] = like((wide(x[n, c, S..]) - m[n, c//(dim(x, 1)//num_groups)])*"
                "r[n, c//(dim(x, 1)//num_groups)]*wide(weight[c]) + wide(bias[c]), x[n, c, S..]) "
                "where c = num_groups*(dim(x, 1)//num_groups); "
                "mean[n, g] = like(m[n, g], x); rstd[n, g] = like(r[n, g], x)",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "num_groups", .kind = AttributeKind::Int, .required = true},
               {.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Same},
     .hooks = {.gradient = group_norm_gradient},
     .example = "group_norm([[1.0, 3.0, 8.0, 4.0]], [1.0, 1.0, 1.0, 2.0]) {num_groups = 2, eps = 0} == "
                "[[-1.0, 1.0, 1.0, -2.0]], [[2.0, 6.0]], [[1.0, 0.5]]",
     .aten = {"aten.group_norm.default", "aten.native_group_norm.default"}},
    {.name = "instance_norm",
     .summary = "Normalises each channel of each sample, then scales and shifts it.",
     .tier = Tier::Composite,
     .formula =
         "m[n, c] = sum[S..](wide(x[n, c, S..]))/real(#S..); "
         "r[n, c] = rsqrt(sum[S..]((wide(x[n, c, S..]) - m[n, c])*(wide(x[n, c, S..]) - m[n, c]))/real(#S..) + eps); "
         "y[n, c, S..] = like((wide(x[n, c, S..]) - m[n, c])*r[n, c]*wide(weight[c]) + wide(bias[c]), x)",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-5"}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .example = "instance_norm([[[1.0, 3.0]]], [2.0]) {eps = 0} == [[[-2.0, 2.0]]]",
     .aten = {"aten.instance_norm.default"}},
};

constexpr auto kNormalisationFamily = family<kNormalisationRows>();

}  // namespace

std::span<const OpDef* const> normalisation_rows() { return kNormalisationFamily; }

}  // namespace mlgc
