// Scaled dot-product attention: scores, masks, a softmax that gives zeros for a query with nothing to attend to (or, as
// a plain one, NaN: `safe`), and the weighted sum of values. What is kept between statements is wide(): 16-bit floats
// are rounded once, in the result.
#include "diag/kinds_ops.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

// With `enable_gqa` the axis before the last two is that of heads, and a head of k and v serves a group of heads of q:
// that is a subscript, not a copy.
Result<std::string, Diagnostic> attention_text(const OpTypes& types, const Attrs& attrs) {
  const bool grouped = attrs.flag("enable_gqa");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t least = grouped ? 3 : 2;
    if (types.rank(i) < least)
      return Failure{diagnose<kRankMismatch>({}, types.name(i), static_cast<std::int64_t>(types.rank(i)),
                                             "at least " + std::to_string(least))};
  }
  const std::string head = grouped ? "h, " : "";
  // The head of k or v that serves head h.
  auto serving = [&](const std::string& operand) {
    return grouped ? "h//(dim(q, -3)//dim(" + operand + ", -3)), " : std::string();
  };
  std::string text = "s[B.., " + head + "i, j] = sum[d](wide(q[B.., " + head + "i, d])*wide(k[B.., " + serving("k") +
                     "j, d]))*when(has(scale), scale, 1/sqrt(real(dim(q, -1))))";
  std::string scores = "s";
  auto masked = [&](const std::string& name, const std::string& body) {
    text += "; " + name + "[T..] = " + body;
    scores = name;
  };
  if (types.present(3))
    masked("a", types.dtype(3) == Dtype::I1 ? "select(mask[T..], s[T..], -inf)" : "s[T..] + wide(mask[T..])");
  if (attrs.flag("is_causal")) {
    text += "; c[B.., i, j] = select(j <= i, " + scores + "[B.., i, j], -inf)";
    scores = "c";
  }
  return text + "; m[B.., i] = stop(max[j](" + scores + "[B.., i, j])); e[B.., i, j] = exp(" + scores +
         "[B.., i, j] - when(safe, select(m[B.., i] == -inf, 0, m[B.., i]), m[B.., i])); "
         "z[B.., i] = sum[j](e[B.., i, j]); "
         "p[B.., i, j] = e[B.., i, j]/when(safe, select(z[B.., i] == 0, 1, z[B.., i]), z[B.., i]); "
         "y[B.., " +
         head + "i, f] = like(sum[j](p[B.., " + head + "i, j]*wide(v[B.., " + serving("v") + "j, f])), q)";
}

constexpr OpDef kRows[] = {
    {.name = "scaled_dot_product_attention",
     .summary = "The values, weighted by the softmax of the scaled products of queries and keys.",
     .tier = Tier::Composite,
     .operands = {{.name = "q", .elements = ElementClass::Float},
                  {.name = "k", .elements = ElementClass::Float},
                  {.name = "v", .elements = ElementClass::Float},
                  {.name = "mask", .elements = ElementClass::Any, .optional = true}},
     .attrs = {{.name = "is_causal",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "a query sees the keys up to its own position"},
               {.name = "scale",
                .kind = AttributeKind::Float,
                .summary = "one over the root of the last axis if left out"},
               {.name = "enable_gqa",
                .kind = AttributeKind::Bool,
                .fallback = "false",
                .summary = "heads of k and v serve groups of heads of q"},
               {.name = "safe",
                .kind = AttributeKind::Bool,
                .fallback = "true",
                .summary = "a query all of whose keys are masked gets 0; else NaN, as a softmax would give"}},
     .dtype = {.kind = DtypeRuleKind::Same},
     .hooks = {.build = attention_text},
     .example = "scaled_dot_product_attention([[0.0], [0.0]], [[1.0], [2.0]], [[1.0], [3.0]]) {is_causal = true} == "
                "[[1.0], [2.0]]",
     .aten = {"aten.scaled_dot_product_attention.default", "aten._scaled_dot_product_flash_attention_for_cpu.default"}},
};

constexpr auto kFamily = family<kRows>();

}  // namespace

std::span<const OpDef* const> attention_rows() { return kFamily; }

}  // namespace mlgc
