// Losses and attention. `reduction` of a loss is `none`, `mean` or `sum`.
#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// A loss per element, reduced as the attribute says.
std::string reduced(const Attrs& attrs, const std::string& element) {
  const std::string reduction = attrs.text("reduction");
  if (reduction == "none") return "y[B..] = " + element;
  return "l[B..] = " + element + "; y[] = sum[B..](l[B..])" + (reduction == "mean" ? "/real(#B..)" : "");
}
Text mse_text(const OpTypes&, const Attrs& attrs) { return reduced(attrs, "(x - target)*(x - target)"); }
Text l1_text(const OpTypes&, const Attrs& attrs) { return reduced(attrs, "abs(x - target)"); }
Text bce_logits_text(const OpTypes&, const Attrs& attrs) {
  return reduced(attrs, "(1 - target)*x + max(-x, 0) + log1p(exp(-abs(x)))");
}

// The mean is over the weights of the classes that were not ignored.
std::string picked(const Attrs& attrs, const std::string& log_probability) {
  const std::string skip = "target[n, S..] == ignore_index";
  const std::string weight = "select(" + skip + ", like(0, " + log_probability +
                             "), when(has(weight), weight[target[n, S..]], " + "like(1, " + log_probability + ")))";
  const std::string loss =
      "select(" + skip + ", 0, -(" + log_probability + "*when(has(weight), weight[target[n, S..]], 1)))";
  const std::string reduction = attrs.text("reduction");
  if (reduction == "none") return "y[n, S..] = " + loss;
  if (reduction == "sum") return "y[] = sum[n, S..](" + loss + ")";
  return "y[] = sum[n, S..](" + loss + ")/sum[n, S..](" + weight + ")";
}
Text nll_text(const OpTypes&, const Attrs& attrs) { return picked(attrs, "x[n, target[n, S..], S..]"); }
Text cross_entropy_text(const OpTypes&, const Attrs& attrs) {
  return "m[n, S..] = stop(max[c](x[n, c, S..])); s[n, S..] = log(sum[c](exp(x[n, c, S..] - m[n, S..]))); " +
         picked(attrs, "(x[n, target[n, S..], S..] - m[n, S..] - s[n, S..])");
}

// Scores, a mask, softmax that gives 0 for a row without any key, and the weighted sum. Heads of the keys are shared by
// groups of heads of the query when there are fewer.
Text attention_text(const OpTypes& types, const Attrs& attrs) {
  const std::size_t rank = types.rank(0);
  if (rank < 3) return Failure{diagnose<kRankMismatch>({}, types.name(0), rank, "at least 3")};
  const std::string scale = attrs.has("scale") ? "scale" : "(1.0/sqrt(real(dim(q, -1))))";
  const std::string head = attrs.flag("enable_gqa") ? "h // (dim(q, -3) // dim(k, -3))" : "h";
  std::string score = "sum[d](q[P.., h, i, d]*k[P.., " + head + ", j, d])*" + scale;
  if (types.present(3))
    score = types.dtype(3) == Dtype::I1 ? "select(mask[M..], " + score + ", 0 - inf)" : score + " + mask[M..]";
  if (attrs.flag("is_causal")) score = "select(j <= i, " + score + ", 0 - inf)";
  // The mask broadcasts over leading axes: its letters are written out.
  std::string mask;
  if (types.present(3)) {
    const std::size_t m = types.rank(3);
    for (std::size_t d = 0; d < m; ++d) {
      const std::size_t from_end = m - d;
      const std::string letter = from_end == 1   ? "j"
                                 : from_end == 2 ? "i"
                                 : from_end == 3 ? "h"
                                                 : "p" + std::to_string(rank - from_end);
      mask = joined({mask, types.is(3, d, 1) ? "0" : letter});
    }
  }
  std::string leading;
  for (std::size_t d = 0; d + 3 < rank; ++d) leading += "p" + std::to_string(d) + ", ";
  std::string text =
      "a[P.., h, i, j] = " + score + "; m[P.., h, i] = stop(max[j](a[P.., h, i, j])); " +
      "e[P.., h, i, j] = exp(a[P.., h, i, j] - select(m[P.., h, i] == 0 - inf, like(0, m[P.., h, i]), m[P.., h, "
      "i])); " +
      "z[P.., h, i] = sum[j](e[P.., h, i, j]); y[P.., h, i, d] = sum[j](e[P.., h, i, j]/select(z[P.., h, i] == 0, " +
      "like(1, z[P.., h, i]), z[P.., h, i])*v[P.., " + head + ", j, d])";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("P.., ", leading);
  replace("M..", mask);
  return text;
}

constexpr OpDef kRows[] = {
    {.name = "mse_loss",
     .summary = "The squared difference.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "target", .elements = ElementClass::Float}},
     .attrs =
         {{.name = "reduction", .kind = AttributeKind::String, .fallback = "\"mean\"", .choices = "none|mean|sum"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = mse_text},
     .example = "mse_loss([1.0, 2.0], [3.0, 2.0]) == 2.0",
     .aten = {"aten.mse_loss.default"}},
    {.name = "l1_loss",
     .summary = "The absolute difference.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "target", .elements = ElementClass::Float}},
     .attrs =
         {{.name = "reduction", .kind = AttributeKind::String, .fallback = "\"mean\"", .choices = "none|mean|sum"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = l1_text},
     .example = "l1_loss([1.0, 2.0], [3.0, 2.0]) == 1.0",
     .aten = {"aten.l1_loss.default"}},
    {.name = "binary_cross_entropy_with_logits",
     .summary = "The cross-entropy of two classes from a logit.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "target", .elements = ElementClass::Float}},
     .attrs =
         {{.name = "reduction", .kind = AttributeKind::String, .fallback = "\"mean\"", .choices = "none|mean|sum"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = bce_logits_text},
     .example = "binary_cross_entropy_with_logits([0.0], [1.0]) == 0.6931471806",
     .aten = {"aten.binary_cross_entropy_with_logits.default"}},
    {.name = "nll_loss",
     .summary = "Minus the log-probability of the target class.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "target", .elements = ElementClass::Position},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "reduction", .kind = AttributeKind::String, .fallback = "\"mean\"", .choices = "none|mean|sum"},
               {.name = "ignore_index", .kind = AttributeKind::Int, .fallback = "-100"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = nll_text},
     .example = "nll_loss([[-1.0, -2.0]], [1]) == 2.0",
     .aten = {"aten.nll_loss_forward.default", "aten.nll_loss.default"}},
    {.name = "cross_entropy",
     .summary = "Minus the logarithm of the softmax of the target class.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "target", .elements = ElementClass::Position},
                  {.name = "weight", .elements = ElementClass::Float, .optional = true}},
     .attrs = {{.name = "reduction", .kind = AttributeKind::String, .fallback = "\"mean\"", .choices = "none|mean|sum"},
               {.name = "ignore_index", .kind = AttributeKind::Int, .fallback = "-100"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .effects = Effects::MayFail,
     .hooks = {.build = cross_entropy_text},
     .example = "cross_entropy([[0.0, 0.0]], [1]) == 0.6931471806",
     .aten = {"aten.cross_entropy_loss.default"}},
    {.name = "scaled_dot_product_attention",
     .summary = "softmax(q k^T scale + mask) v over heads.",
     .tier = Tier::Composite,
     .operands = {{.name = "q", .elements = ElementClass::Float},
                  {.name = "k", .elements = ElementClass::Float},
                  {.name = "v", .elements = ElementClass::Float},
                  {.name = "mask", .elements = ElementClass::Any, .optional = true}},
     .attrs = {{.name = "scale", .kind = AttributeKind::Float},
               {.name = "is_causal", .kind = AttributeKind::Bool, .fallback = "false"},
               {.name = "enable_gqa", .kind = AttributeKind::Bool, .fallback = "false"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = attention_text},
     .example = "scaled_dot_product_attention([[[0.0]]], [[[1.0], [2.0]]], [[[1.0], [3.0]]]) == [[[2.0]]]",
     .aten = {"aten.scaled_dot_product_attention.default"}},
};

constexpr auto kFamily = family<kRows>();

}  // namespace

std::span<const OpDef* const> model_rows() { return kFamily; }

}  // namespace mlgc
