// Scaled dot-product attention: scores, masks, a softmax that gives zeros for a query with nothing to attend to (or, as
// a plain one, NaN: `safe`), and the weighted sum of values. Values between statements are wide(): 16-bit floats are
// rounded once, in the result.
#include "diag/kinds_ops.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"
#include "ops/row_gradient.h"

namespace mlgc {
namespace {

// Of the products of queries and keys.
constexpr const char* kScale = "when(has(scale), scale, 1/sqrt(real(dim(q, -1))))";

// With `enable_gqa` the axis before the last two is that of heads, and a head of k and v serves a group of heads of q:
// that is a subscript, not a copy.
Result<std::string, Diagnostic> attention_weights(const OpTypes& types, const Attrs& attrs) {
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
                     "j, d]))*" + kScale;
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
  return text + "; m[B.., i] = stop(max[j | true](" + scores + "[B.., i, j])); e[B.., i, j] = exp(" + scores +
         "[B.., i, j] - when(safe, select(m[B.., i] == -inf, 0, m[B.., i]), m[B.., i])); "
         "z[B.., i] = sum[j](e[B.., i, j]); "
         "p[B.., i, j] = e[B.., i, j]/when(safe, select(z[B.., i] == 0, 1, z[B.., i]), z[B.., i])";
}

Result<std::string, Diagnostic> attention_text(const OpTypes& types, const Attrs& attrs) {
  Result<std::string, Diagnostic> text = attention_weights(types, attrs);
  if (!text) return text;
  const std::string head = attrs.flag("enable_gqa") ? "h, " : "";
  const std::string serving = head.empty() ? "" : "h//(dim(q, -3)//dim(v, -3)), ";
  return *text + "; y[B.., " + head + "i, f] = like(sum[j](p[B.., " + head + "i, j]*wide(v[B.., " + serving +
         "j, f])), q)";
}

// The same leading axes for queries, keys and values, to which a mask adds none.
bool one_batch(const OpTypes& types) {
  for (std::size_t i = 1; i < 3; ++i) {
    if (types.rank(i) != types.rank(0)) return false;
    for (std::size_t axis = 0; axis + 2 < types.rank(0); ++axis)
      if (types.dim(i, axis) != types.dim(0, axis)) return false;
  }
  if (!types.present(3)) return true;
  if (types.rank(3) > types.rank(0)) return false;
  const std::size_t more = types.rank(0) - types.rank(3);
  for (std::size_t axis = 0; axis + 2 < types.rank(3); ++axis)
    if (!types.is(3, axis, 1) && types.dim(3, axis) != types.dim(0, axis + more)) return false;
  return true;
}

// Back through the softmax from its result, and from y: sum[j](p*w) = sum[f](g_y*y), so that no sum over keys stands
// between the two products (FlashAttention-2, Dao, 2023, section 3.1.2).
bool attention_gradient(GradientContext& context) {
  if (context.attrs().flag("enable_gqa") || context.wants(3) || !one_batch(context.types())) return false;
  const Result<std::string, Diagnostic> weights = attention_weights(context.types(), context.attrs());
  if (!weights) return false;
  std::string text = *weights, scores = "u";
  if (context.wants(0) || context.wants(1)) {
    const std::string product = "[B.., i, j] = sum[f](wide(g_y[B.., i, f])*wide(v[B.., j, f]))";
    // Of keys that no query of a tile sees there is nothing to multiply.
    text += context.attrs().flag("is_causal") ? "; o" + product + "; w[B.., i, j] = select(j <= i, o[B.., i, j], 0)"
                                              : "; w" + product;
    text +=
        "; t[B.., i] = sum[f](wide(g_y[B.., i, f])*wide(y[B.., i, f])); "
        "u[B.., i, j] = p[B.., i, j]*(w[B.., i, j] - t[B.., i])*";
    text += kScale;
    // What is masked has p = 0, but in a row of NaN.
    if (!context.attrs().flag("safe") && context.attrs().flag("is_causal")) {
      text += "; l[B.., i, j] = select(j <= i, u[B.., i, j], 0)";
      scores = "l";
    }
    if (!context.attrs().flag("safe") && context.types().present(3) && context.types().dtype(3) == Dtype::I1) {
      text += "; r[T..] = select(mask[T..], " + scores + "[T..], 0)";
      scores = "r";
    }
  }
  if (context.wants(0)) text += "; d_q[B.., i, d] = like(sum[j](" + scores + "[B.., i, j]*wide(k[B.., j, d])), q)";
  if (context.wants(1)) text += "; d_k[B.., j, d] = like(sum[i](" + scores + "[B.., i, j]*wide(q[B.., i, d])), k)";
  if (context.wants(2)) text += "; d_v[B.., j, f] = like(sum[i](p[B.., i, j]*wide(g_y[B.., i, f])), v)";
  context.state(text);
  return true;
}

constexpr OpDef kAttentionRows[] = {
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
     .hooks = {.build = attention_text, .gradient = attention_gradient},
     .example = "scaled_dot_product_attention([[0.0], [0.0]], [[1.0], [2.0]], [[1.0], [3.0]]) {is_causal = true} == "
                "[[1.0], [2.0]]",
     .aten = {"aten.scaled_dot_product_attention.default", "aten._scaled_dot_product_flash_attention_for_cpu.default"}},
};

constexpr auto kAttentionFamily = family<kAttentionRows>();

}  // namespace

std::span<const OpDef* const> attention_rows() { return kAttentionFamily; }

}  // namespace mlgc
