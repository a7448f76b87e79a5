// Normalisations. Means first, then variances from them: two passes; everything is written as statements, so that
// back ends may merge them.
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

constexpr OpDef kRows[] = {
    {.name = "batch_norm",
     .summary = "Normalises channels by given statistics.",
     .tier = Tier::Formula,
     .formula = "y[n, c, S..] = (x[n, c, S..] - mean[c])/sqrt(var[c] + eps)*weight[c] + bias[c]",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "mean", .elements = ElementClass::Float},
                  {.name = "var", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-05"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "batch_norm([[4.0]], [2.0], [4.0]) {eps = 0.0} == [[1.0]]",
     .aten = {"aten._native_batch_norm_legit_no_training.default", "aten.batch_norm.default"}},
    {.name = "batch_norm_stats",
     .summary = "Normalises channels by the statistics of the batch, and returns mean and 1/sqrt(variance + eps).",
     .tier = Tier::Composite,
     .formula = "m[c] = sum[n, S..](x[n, c, S..])/real(#n*#S..); "
                "v[c] = sum[n, S..]((x[n, c, S..] - m[c])*(x[n, c, S..] - m[c]))/real(#n*#S..); "
                "r[c] = rsqrt(v[c] + eps); "
                "y[n, c, S..] = (x[n, c, S..] - m[c])*r[c]*weight[c] + bias[c]; "
                "mean[c] = m[c]; "
                "rstd[c] = r[c]",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-05"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "batch_norm_stats([[1.0], [3.0]]) {eps = 0.0} == [[-1.0], [1.0]], [2.0], [1.0]",
     .aten = {"aten._native_batch_norm_legit.no_stats"}},
    {.name = "batch_norm_train",
     .summary = "batch_norm_stats that also returns the running statistics; their variance is the unbiased one.",
     .tier = Tier::Composite,
     .formula = "m[c] = sum[n, S..](x[n, c, S..])/real(#n*#S..); "
                "v[c] = sum[n, S..]((x[n, c, S..] - m[c])*(x[n, c, S..] - m[c]))/real(#n*#S..); "
                "r[c] = rsqrt(v[c] + eps); "
                "y[n, c, S..] = (x[n, c, S..] - m[c])*r[c]*weight[c] + bias[c]; "
                "mean[c] = m[c]; "
                "rstd[c] = r[c]; "
                "new_mean[c] = running_mean[c]*(1.0 - momentum) + m[c]*momentum; "
                "q[c] = sum[n, S..]((x[n, c, S..] - m[c])*(x[n, c, S..] - m[c]))/real((#n*#S..) - 1); "
                "new_var[c] = running_var[c]*(1.0 - momentum) + q[c]*momentum",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "running_mean", .elements = ElementClass::Float},
                  {.name = "running_var", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-05"},
               {.name = "momentum", .kind = AttributeKind::Float, .fallback = "0.1"}},
     .result_count = 5,
     .result_names = {"y", "mean", "rstd", "new_mean", "new_var"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "batch_norm_train([[1.0], [3.0]], [0.0], [0.0]) {eps = 0.0, momentum = 0.5} == [[-1.0], [1.0]], [2.0], "
                "[1.0], [1.0], [1.0]",
     .aten = {"aten._native_batch_norm_legit_functional.default"}},
    {.name = "layer_norm",
     .summary = "Normalises the last axes, and returns mean and 1/sqrt(variance + eps).",
     .tier = Tier::Composite,
     .formula =
         "m[P..] = sum[N..](x[P.., N..])/real(#N..) where N.. = normalized_shape; "
         "v[P..] = sum[N..]((x[P.., N..] - m[P..])*(x[P.., N..] - m[P..]))/real(#N..) where N.. = normalized_shape; "
         "r[P..] = rsqrt(v[P..] + eps); "
         "y[P.., N..] = (x[P.., N..] - m[P..])*r[P..]*weight[N..] + bias[N..] where N.. = normalized_shape; "
         "mean[P.., N..!every] = m[P..] where N.. = normalized_shape; "
         "rstd[P.., N..!every] = r[P..] where N.. = normalized_shape",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "normalized_shape", .kind = AttributeKind::IntList, .required = true},
               {.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-05"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "layer_norm([[1.0, 3.0]]) {normalized_shape = [2], eps = 0.0} == [[-1.0, 1.0]], [[2.0]], [[1.0]]",
     .aten = {"aten.native_layer_norm.default", "aten.layer_norm.default"}},
    {.name = "rms_norm",
     .summary = "Divides the last axes by the root of the mean of squares.",
     .tier = Tier::Composite,
     .formula = "r[P..] = rsqrt(sum[N..](x[P.., N..]*x[P.., N..])/real(#N..) + eps) where N.. = normalized_shape; "
                "y[P.., N..] = x[P.., N..]*r[P..]*weight[N..] where N.. = normalized_shape",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "normalized_shape", .kind = AttributeKind::IntList, .required = true},
               {.name = "eps", .kind = AttributeKind::Float, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "rms_norm([[3.0, 4.0]]) {normalized_shape = [2], eps = 12.5} == [[0.6, 0.8]]",
     .aten = {"aten.rms_norm.default"}},
    {.name = "group_norm",
     .summary = "Normalises groups of channels, and returns mean and 1/sqrt(variance + eps).",
     .tier = Tier::Composite,
     .formula =
         "m[n, g] = sum[d, S..](x[n, g*#d + d, S..])/real(#d*#S..) where g = num_groups, d = dim(x, 1) // num_groups; "
         "v[n, g] = sum[d, S..]((x[n, g*#d + d, S..] - m[n, g])*(x[n, g*#d + d, S..] - m[n, g]))/real(#d*#S..) where g "
         "= num_groups, d = dim(x, 1) // num_groups; "
         "r[n, g] = rsqrt(v[n, g] + eps); "
         "y[n, c, S..] = (x[n, c, S..] - m[n, c // (dim(x, 1) // num_groups)])*r[n, c // (dim(x, 1) // "
         "num_groups)]*weight[c] + bias[c] where c = num_groups*(dim(x, 1) // num_groups); "
         "mean[n, g] = m[n, g]; "
         "rstd[n, g] = r[n, g]",
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true},
                  {.name = "bias", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "num_groups", .kind = AttributeKind::Int, .required = true},
               {.name = "eps", .kind = AttributeKind::Float, .fallback = "1e-05"}},
     .result_count = 3,
     .result_names = {"y", "mean", "rstd"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .example = "group_norm([[1.0, 3.0]]) {num_groups = 1, eps = 0.0} == [[-1.0, 1.0]], [[2.0]], [[1.0]]",
     .aten = {"aten.native_group_norm.default", "aten.group_norm.default"}},
};

constexpr auto kFamily = family<kRows>();

}  // namespace

std::span<const OpDef* const> normalisation_rows() { return kFamily; }

}  // namespace mlgc
