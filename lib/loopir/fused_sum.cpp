// See fused_sum.h.
#include "loopir/fused_sum.h"

#include <algorithm>
#include <span>

namespace mlgc {

bool has_row_attributes(OpRef op) {
  const std::span<const AttrDef> attrs = op.def().attrs;
  return std::any_of(attrs.begin(), attrs.end(), [&](const AttrDef& attr) { return op.attr(attr.name).valid(); });
}

std::optional<FusedSum> fused_sum(OpRef op) {
  const Attribute stated = op.is(GraphOp::Add) ? op.attr(kFusedAttribute) : Attribute();
  if (!stated.valid() || op.operand_count() != 2) return std::nullopt;
  const auto number = op.module().context().attributes().as_int64(stated);
  if (!number || *number < 0 || *number > 1) return std::nullopt;
  const auto at = static_cast<std::size_t>(*number);
  const OpRef product = op.operand(at).definer();
  const auto is_f32 = [&](Value v) {
    const TypePool& types = op.module().context().types();
    return types.kind(v.type()) == TypeKind::Scalar && v.dtype() == Dtype::F32;
  };
  if (!product.valid() || !product.is(GraphOp::Mul) || product.operand_count() != 2) return std::nullopt;
  if (has_row_attributes(op) || has_row_attributes(product)) return std::nullopt;
  if (!is_f32(op.result()) || !is_f32(op.operand(1 - at)) || !is_f32(product.result()) || !is_f32(product.operand(0)) ||
      !is_f32(product.operand(1)))
    return std::nullopt;
  return FusedSum{product, op.operand(1 - at)};
}

bool is_only_fused(OpRef product) {
  if (!product.is(GraphOp::Mul) || product.results_unused()) return false;
  for (const Use use : product.result().uses()) {
    const auto sum = fused_sum(use.owner());
    if (!sum || sum->product != product || sum->addend == product.result()) return false;
  }
  return true;
}

}  // namespace mlgc
