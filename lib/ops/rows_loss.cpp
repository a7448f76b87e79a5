// Losses. Each has `reduction`: the loss of every element, their sum, or their mean. Where a slope is decided by a
// branch of a select, the branch holds `stop`.
#include "diag/kinds_ops.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

constexpr AttrDef kReduction{.name = "reduction",
                             .kind = AttributeKind::String,
                             .fallback = "\"mean\"",
                             .choices = "none|sum|mean",
                             .summary = "what becomes of the losses of the elements"};

// The statement for a loss whose operands are of one shape, or broadcast.
std::string reduced(const std::string& element, const Attrs& attrs) {
  const std::string reduction = attrs.text("reduction");
  if (reduction == "none") return "y[B..] = " + element;
  return "y[] = sum[B..](" + element + ")" + (reduction == "mean" ? "/real(#B..)" : "");
}

Result<std::string, Diagnostic> mse_text(const OpTypes&, const Attrs& attrs) {
  return reduced("(x - target)*(x - target)", attrs);
}

Result<std::string, Diagnostic> l1_text(const OpTypes&, const Attrs& attrs) {
  return reduced("abs(x - target)", attrs);
}

Result<std::string, Diagnostic> smooth_l1_text(const OpTypes&, const Attrs& attrs) {
  return reduced("select(abs(x - target) >= beta, abs(x - target) - 0.5*beta, 0.5*(x - target)*(x - target)/beta)",
                 attrs);
}

Result<std::string, Diagnostic> huber_text(const OpTypes&, const Attrs& attrs) {
  return reduced("select(abs(x - target) >= delta, delta*(abs(x - target) - 0.5*delta), 0.5*(x - target)*(x - target))",
                 attrs);
}

// The logarithms are cut off at -100; the branch keeps the slope of the cut 0, where a product with 0 would be NaN.
Result<std::string, Diagnostic> binary_cross_entropy_text(const OpTypes&, const Attrs& attrs) {
  return reduced(
      "((target - 1)*select(log1p(-x) > -100, log1p(-x), stop(max(log1p(-x), -100))) - "
      "target*select(log(x) > -100, log(x), stop(max(log(x), -100))))*weight",
      attrs);
}

// The logarithm of the sigmoid as in log_sigmoid.
Result<std::string, Diagnostic> binary_cross_entropy_with_logits_text(const OpTypes&, const Attrs& attrs) {
  return reduced(
      "((1 - target)*x - when(has(pos_weight), (pos_weight - 1)*target + 1, 1)*"
      "(select(x < 0, x, 0) - log1p(exp(select(x < 0, x, -x)))))*weight",
      attrs);
}

Result<std::string, Diagnostic> kl_div_text(const OpTypes&, const Attrs& attrs) {
  return reduced(
      attrs.flag("log_target") ? "exp(target)*(target - x)" : "select(target == 0, 0, target*log(target)) - target*x",
      attrs);
}

// Subscripts of an operand of rank `rank` whose classes are its axis 1, or its only one.
struct ClassAxes {
  std::string batch;  // of the target, without brackets
  std::string before, after;
  explicit ClassAxes(std::size_t rank)
      : batch(rank == 1   ? ""
              : rank == 2 ? "n"
                          : "n, S.."),
        before(rank == 1 ? "" : "n, ") {
    if (rank > 2) after = ", S..";
  }
  // `x` at a class.
  [[nodiscard]] std::string at(const std::string& name, const std::string& of) const {
    return name + "[" + before + of + after + "]";
  }
};

// From the loss of a sample and the weight that it has in a mean to the result, in the dtype of x.
std::string over_batch(const ClassAxes& axes, const std::string& loss, const std::string& weight, const Attrs& attrs) {
  const std::string reduction = attrs.text("reduction");
  if (reduction == "none") return "y[" + axes.batch + "] = like(" + loss + ", x)";
  auto total = [&](const std::string& e) { return axes.batch.empty() ? e : "sum[" + axes.batch + "](" + e + ")"; };
  return "y[] = like(" + total(loss) + (reduction == "mean" ? "/" + total(weight) : "") + ", x)";
}

// What a target counts in a mean: the weight of its class, 0 for a class to be ignored. `x` gives the dtype.
std::string counted(const std::string& target, bool weighted, const std::string& x) {
  return "select(" + target + " == ignore_index, 0.0, " +
         (weighted ? "wide(weight[" + target + "])" : "like(1.0, " + x + ")") + ")";
}

std::optional<Diagnostic> check_classes(const OpTypes& types) {
  if (types.rank(0) > 0) return std::nullopt;
  return diagnose<kRankMismatch>({}, "x", std::int64_t{0}, "at least 1");
}

Result<std::string, Diagnostic> nll_text(const OpTypes& types, const Attrs& attrs) {
  if (auto wrong = check_classes(types)) return Failure{std::move(*wrong)};
  const ClassAxes axes(types.rank(0));
  const std::string target = "target[" + axes.batch + "]";
  const std::string x = "wide(" + axes.at("x", target) + ")";
  const std::string loss = "select(" + target + " == ignore_index, 0, -" + x + "*wide(weight[" + target + "]))";
  return over_batch(axes, loss, counted(target, types.present(2), x), attrs);
}

Result<std::string, Diagnostic> cross_entropy_text(const OpTypes& types, const Attrs& attrs) {
  if (auto wrong = check_classes(types)) return Failure{std::move(*wrong)};
  if (const double share = attrs.real("label_smoothing"); !(share >= 0 && share <= 1))
    return Failure{diagnose<kAttributeValue>({}, "label_smoothing", "cross_entropy", "it must be between 0 and 1")};
  const ClassAxes axes(types.rank(0));
  const std::string x = "wide(" + axes.at("x", "c") + ")", m = "m[" + axes.batch + "]", s = "s[" + axes.batch + "]";
  const std::string p = axes.at("p", "c");
  const std::string classes = "real(dim(x, " + std::string(axes.before.empty() ? "0" : "1") + "))";
  // The log-probabilities.
  const std::string text = m + " = stop(max[c | true](" + x + ")); " + s + " = log(sum[c](exp(" + x + " - " + m +
                           "))); " + p + " = " + x + " - " + m + " - " + s + "; ";
  if (is_float(types.dtype(1))) {
    const std::string share =
        "(wide(" + axes.at("target", "c") + ")*(1 - label_smoothing) + label_smoothing/" + classes + ")";
    // A sample counts once, as the elements by the classes: the mean over no classes is 0/0.
    return text + over_batch(axes, "-sum[c](" + p + "*" + share + "*wide(weight[c]))",
                             "like(" + classes + "/" + classes + ", " + axes.at("p", "0") + ")", attrs);
  }
  const std::string target = "target[" + axes.batch + "]";
  const std::string of_target = axes.at("p", target) + "*wide(weight[" + target + "])";
  const std::string of_all = "sum[c](" + p + "*wide(weight[c]))";
  const std::string smoothed = "when(label_smoothing == 0, " + of_target + ", (1 - label_smoothing)*" + of_target +
                               " + label_smoothing/" + classes + "*" + of_all + ")";
  return text + over_batch(axes, "select(" + target + " == ignore_index, 0, -" + smoothed + ")",
                           counted(target, types.present(2), axes.at("p", target)), attrs);
}

// Of scores, where the target is a class: (softmax - target)*scale, row by row. The derived body makes the gradient of
// every log-probability first, a tensor of the size of x, and divides each by the sum of all weights.
bool cross_entropy_gradient(GradientContext& context) {
  const OpTypes& types = context.types();
  const Attrs& attrs = context.attrs();
  if (is_float(types.dtype(1)) || context.wants(2)) return false;
  const ClassAxes axes(types.rank(0));
  const auto row = [&](std::string_view name) { return std::string(name) + "[" + axes.batch + "]"; };
  const std::string x = "wide(" + axes.at("x", "c") + ")", target = row("target"), reduction = attrs.text("reduction");
  const std::string classes = axes.before.empty() ? "dim(x, 0)" : "dim(x, 1)";
  std::string text =
      row("m") + " = stop(max[c | true](" + x + ")); " + row("z") + " = sum[c](exp(" + x + " - " + row("m") + ")); ";
  std::string g = "wide(" + (reduction == "none" ? row("g_y") : std::string("g_y[]")) + ")";
  if (reduction == "mean") {
    const std::string one = counted(target, types.present(2), axes.at("x", "0"));
    text += "k[] = " + (axes.batch.empty() ? one : "sum[" + axes.batch + "](" + one + ")") + "; ";
    g += "/k[]";
  }
  // Of the class to be ignored there is no weight to read.
  text += row("q") + " = select(" + target + " == ignore_index, 0.0, " + g + "); ";
  std::string v;
  if (types.present(2)) {
    v = row("v") + "*";
    text += row("v") + " = select(" + target + " == ignore_index, 0.0, wide(weight[" + target + "])); ";
  }
  const std::string softmax = "exp(" + x + " - " + row("m") + ")/" + row("z"),
                    hit = "select(" + target + " == c, 1.0, 0.0)";
  std::string slope = v + "(" + softmax + " - " + hit + ")";
  if (attrs.real("label_smoothing") != 0) {
    // All classes get an equal share of the target besides, and w is the share times their weights.
    const std::string share = v + "(1 - label_smoothing)", rest = "label_smoothing/real(" + classes + ")";
    if (types.present(2)) text += "w[] = " + rest + "*sum[c](wide(weight[c])) where c = " + classes + "; ";
    slope = "((" + share + " + " + (types.present(2) ? "w[]" : "label_smoothing") + ")*" + softmax + " - " + share +
            "*" + hit + " - " + rest + (types.present(2) ? "*wide(weight[c])" : "") + ")";
  }
  text += axes.at("d_x", "c") + " = like(" + slope + "*" + row("q") + ", " + axes.at("x", "c") + ")";
  context.state(text);
  return true;
}

constexpr OperandDef kX{.name = "x", .elements = ElementClass::Float};
constexpr OperandDef kTarget{.name = "target", .elements = ElementClass::Float};
constexpr OperandDef kWeight{.name = "weight", .elements = ElementClass::Float, .optional = true};

constexpr OpDef kLossRows[] = {
    {.name = "mse_loss",
     .summary = "The squared difference.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget},
     .attrs = {kReduction},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = mse_text},
     .example = "mse_loss([1.0, 5.0], [1.0, 2.0]) == 4.5",
     .aten = {"aten.mse_loss.default"}},
    {.name = "l1_loss",
     .summary = "The absolute difference.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget},
     .attrs = {kReduction},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = l1_text},
     .example = "l1_loss([1.0, 5.0], [1.0, 2.0]) {reduction = \"sum\"} == 3.0",
     .aten = {"aten.l1_loss.default"}},
    {.name = "smooth_l1_loss",
     .summary = "The absolute difference, rounded off by a parabola below beta.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget},
     .attrs = {kReduction, {.name = "beta", .kind = AttributeKind::Float, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = smooth_l1_text},
     .example = "smooth_l1_loss([1.5, 5.0], [1.0, 2.0]) {reduction = \"none\"} == [0.125, 2.5]",
     .aten = {"aten.smooth_l1_loss.default"}},
    {.name = "huber_loss",
     .summary = "Half the squared difference, continued by its tangent beyond delta.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget},
     .attrs = {kReduction, {.name = "delta", .kind = AttributeKind::Float, .fallback = "1"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = huber_text},
     .example = "huber_loss([1.5, 5.0], [1.0, 2.0]) {reduction = \"none\", delta = 2} == [0.125, 4.0]",
     .aten = {"aten.huber_loss.default"}},
    {.name = "binary_cross_entropy",
     .summary = "The cross entropy of two classes, from the probability of the second.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget, kWeight},
     .attrs = {kReduction},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = binary_cross_entropy_text},
     .example = "binary_cross_entropy([0.5, 0.0], [1.0, 1.0]) {reduction = \"none\"} == [0.6931471806, 100.0]",
     .aten = {"aten.binary_cross_entropy.default"}},
    {.name = "binary_cross_entropy_with_logits",
     .summary = "The cross entropy of two classes, from the logarithm of their odds.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget, kWeight, {.name = "pos_weight", .elements = ElementClass::Float, .optional = true}},
     .attrs = {kReduction},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = binary_cross_entropy_with_logits_text},
     .example = "binary_cross_entropy_with_logits([0.0, 100.0], [1.0, 0.0]) {reduction = \"none\"} == "
                "[0.6931471806, 100.0]",
     .aten = {"aten.binary_cross_entropy_with_logits.default"}},
    {.name = "kl_div",
     .summary = "The divergence of a distribution from the one whose logarithms are given.",
     .tier = Tier::Formula,
     .operands = {kX, kTarget},
     .attrs = {kReduction,
               {.name = "log_target",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "the target is given by its logarithms too"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = kl_div_text},
     .example = "kl_div([-1.0, -2.0], [1.0, 0.0]) {reduction = \"none\"} == [1.0, 0.0]",
     .aten = {"aten.kl_div.default"}},
    {.name = "nll_loss",
     .summary = "The negated log-probability of the target class, which stands on axis 1 (of one axis: on axis 0).",
     .tier = Tier::Formula,
     .operands = {kX, {.name = "target", .elements = ElementClass::Position}, kWeight},
     .attrs = {kReduction,
               {.name = "ignore_index",
                .kind = AttributeKind::Int,
                .fallback = "-100",
                .summary = "a target that does not count"}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .effects = Effects::MayFail,
     .hooks = {.build = nll_text},
     .example = "nll_loss([[-1.0, -2.0], [-3.0, -4.0]], [1, 0], [3.0, 1.0]) == 2.75",
     .aten = {"aten.nll_loss.default", "aten.nll_loss_nd.default", "aten.nll_loss_forward.default",
              "aten.nll_loss2d_forward.default", "aten.nll_loss2d.default"}},
    {.name = "cross_entropy",
     .summary =
         "The cross entropy of the softmax on axis 1 (of one axis: on axis 0) and a target class or distribution.",
     .tier = Tier::Composite,
     .operands = {kX, {.name = "target", .elements = ElementClass::Number}, kWeight},
     .attrs = {kReduction,
               {.name = "ignore_index",
                .kind = AttributeKind::Int,
                .fallback = "-100",
                .summary = "a target that does not count"},
               {.name = "label_smoothing",
                .kind = AttributeKind::Float,
                .fallback = "0",
                .summary = "the share of the target that all classes divide among them"}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .effects = Effects::MayFail,
     .hooks = {.build = cross_entropy_text, .gradient = cross_entropy_gradient},
     .example = "cross_entropy([[1.0, 1.0], [0.0, 3.0]], [1, -100]) == 0.6931471806",
     .aten = {"aten.cross_entropy_loss.default"}},
};

constexpr auto kLossFamily = family<kLossRows>();

}  // namespace

std::span<const OpDef* const> loss_rows() { return kLossFamily; }

}  // namespace mlgc
