// Activations. What a body does at NaN, at zero and at a kink is what PyTorch does there; where the branch of a select
// decides the slope, it holds `stop`.
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

Result<std::string, Diagnostic> gelu_text(const OpTypes&, const Attrs& attrs) {
  if (attrs.text("approximate") == "tanh")
    return std::string("0.5*x*(1 + tanh(0.7978845608028654*(x + 0.044715*x*x*x)))");
  return std::string("x*0.5*(1 + erf(x*0.7071067811865476))");
}

// Of the approximation: the derived body writes tanh of the polynomial out for every term. The factor that may overflow
// for large x comes last: what it multiplies is 0 by then.
bool gelu_gradient(GradientContext& context) {
  if (context.attrs().text("approximate") != "tanh") return false;
  context.state(
      "h[I..] = tanh(0.7978845608028654*(wide(x[I..]) + 0.044715*wide(x[I..])*wide(x[I..])*wide(x[I..]))); "
      "q[I..] = (1 - h[I..]*h[I..])*wide(x[I..]); "
      "d_x[I..] = like(wide(g_y[I..])*(0.5*(1 + h[I..]) + 0.3989422804014327*(q[I..] + "
      "0.134145*q[I..]*wide(x[I..])*wide(x[I..]))), x[I..])");
  return true;
}

constexpr OpDef kActivationRows[] = {
    {.name = "relu",
     .summary = "Sets negative elements to zero.",
     .tier = Tier::Formula,
     .formula = "select(x <= 0, stop(select(x < 0, 0, x)), x)",
     .operands = {{.name = "x", .elements = ElementClass::Number}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise | Traits::Idempotent,
     .example = "relu([-1.0, 0.0, 2.0]) == [0.0, 0.0, 2.0]",
     .aten = {"aten.relu.default"}},
    {.name = "clamp",
     .summary = "Limits elements to a range; the upper bound wins.",
     .tier = Tier::Formula,
     .formula = "select(when(has(min), x >= min, true) and when(has(max), x <= max, true), x, stop(when(has(max), "
                "min(when(has(min), max(x, min), x), max), when(has(min), max(x, min), x))))",
     .operands = {{.name = "x", .elements = ElementClass::Number}},
     .attrs = {{.name = "min", .summary = "no lower bound when left out"},
               {.name = "max", .summary = "no upper bound when left out"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise | Traits::Idempotent,
     .example = "clamp([-2.0, 0.5, nan]) {min = 0, max = 1} == [0.0, 0.5, nan]",
     .aten = {"aten.clamp.default", "aten.clip.default"}},
    {.name = "hardtanh",
     .summary = "Limits elements to a range; the slope at the bounds is 0.",
     .tier = Tier::Formula,
     .formula = "select(x > min_val and x < max_val, x, stop(min(max_val, max(min_val, x))))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "min_val", .fallback = "-1"}, {.name = "max_val", .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "hardtanh([-2.0, 0.5]) == [-1.0, 0.5]",
     .aten = {"aten.hardtanh.default"}},
    {.name = "leaky_relu",
     .summary = "Scales negative elements.",
     .tier = Tier::Formula,
     .formula = "select(x > 0, x, x*negative_slope)",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "negative_slope", .kind = AttributeKind::Float, .fallback = "0.01"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "leaky_relu([-2.0, 2.0]) {negative_slope = 0.5} == [-1.0, 2.0]",
     .aten = {"aten.leaky_relu.default"}},
    {.name = "prelu",
     .summary = "Scales negative elements by a second operand.",
     .tier = Tier::Formula,
     .formula = "select(x > 0, x, x*weight)",
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "weight", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "prelu([-2.0, 2.0], [0.5]) == [-1.0, 2.0]",
     .aten = {"aten._prelu_kernel.default"}},
    {.name = "elu",
     .summary = "An exponential below zero.",
     .tier = Tier::Formula,
     .formula = "select(x > 0, x*scale, expm1(x*input_scale)*(alpha*scale))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "alpha", .kind = AttributeKind::Float, .fallback = "1"},
               {.name = "scale", .kind = AttributeKind::Float, .fallback = "1"},
               {.name = "input_scale", .kind = AttributeKind::Float, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "elu([0.0, 2.0]) == [0.0, 2.0]",
     .aten = {"aten.elu.default"}},
    {.name = "hardsigmoid",
     .summary = "A piecewise linear sigmoid.",
     .tier = Tier::Formula,
     .formula = "select(x > -3 and x < 3, x/6 + 0.5, stop(select(x <= -3, 0, select(x >= 3, 1, x))))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "hardsigmoid([-4.0, 0.0, 4.0]) == [0.0, 0.5, 1.0]",
     .aten = {"aten.hardsigmoid.default"}},
    {.name = "hardswish",
     .summary = "x times its hardsigmoid.",
     .tier = Tier::Formula,
     .formula = "select(x <= -3, stop(x*0), select(x >= 3, x, x*(x + 3)/6))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "hardswish([-4.0, 0.0, 4.0]) == [0.0, 0.0, 4.0]",
     .aten = {"aten.hardswish.default"}},
    {.name = "silu",
     .summary = "x times its sigmoid.",
     .tier = Tier::Formula,
     .formula = "x*sigmoid(x)",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "silu([0.0]) == [0.0]",
     .aten = {"aten.silu.default"}},
    {.name = "mish",
     .summary = "x times tanh of its softplus.",
     .tier = Tier::Formula,
     .formula = "x*tanh(select(x > 20, x, log1p(exp(x))))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "mish([0.0]) == [0.0]",
     .aten = {"aten.mish.default"}},
    {.name = "softplus",
     .summary = "log(1 + exp(x)), linear beyond a threshold.",
     .tier = Tier::Formula,
     .formula = "select(x*beta > threshold, x, log1p(exp(x*beta))/beta)",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "beta", .kind = AttributeKind::Float, .fallback = "1"},
               {.name = "threshold", .kind = AttributeKind::Float, .fallback = "20"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "softplus([30.0]) == [30.0]",
     .aten = {"aten.softplus.default"}},
    {.name = "log_sigmoid",
     .summary = "The logarithm of the sigmoid.",
     .tier = Tier::Formula,
     // The branches of both selects are smooth at 0, where min and abs have the slope but no second derivative.
     .formula = "select(x < 0, x, 0) - log1p(exp(select(x < 0, x, -x)))",
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .example = "log_sigmoid([0.0]) == [-0.6931471806]",
     .aten = {"aten.log_sigmoid_forward.default"}},
    {.name = "gelu",
     .summary = "x times the Gaussian distribution function of x, or its tanh approximation.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Float}},
     .attrs = {{.name = "approximate", .kind = AttributeKind::String, .fallback = "\"none\"", .choices = "none|tanh"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise,
     .hooks = {.build = gelu_text, .gradient = gelu_gradient},
     .example = "gelu([0.0, 1.0]) == [0.0, 0.8413447461]",
     .aten = {"aten.gelu.default"}},
};

constexpr auto kActivationFamily = family<kActivationRows>();

}  // namespace

std::span<const OpDef* const> activation_rows() { return kActivationFamily; }

}  // namespace mlgc
