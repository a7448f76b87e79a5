// See index_from_end.h.
#include "ops/index_from_end.h"

#include <algorithm>
#include <span>

#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "ops/scalar_ops.h"

namespace mlgc {
namespace {

// The size as an integer of the loop level: a literal, or `apply`, in any integer type.
bool is_size(Value v, IndexExpr size) {
  OpRef op = v.definer();
  if (op.valid() && op.is(GraphOp::Cast) && op.operand_count() == 1) op = op.operand(0).definer();
  if (!op.valid()) return false;
  const Context& context = op.module().context();
  if (const auto apply = ApplyRef::from(op); apply.valid()) return apply.value() == size;
  const auto literal = LiteralRef::from(op);
  const auto value = literal.valid() ? literal.integer() : std::nullopt;
  return value && value == context.index().as_constant(size);
}

// The op states one of the attributes that change what its row computes, as `alpha`.
bool has_row_attributes(OpRef op) {
  const std::span<const AttrDef> attrs = op.def().attrs;
  return std::any_of(attrs.begin(), attrs.end(), [&](const AttrDef& attr) { return op.attr(attr.name).valid(); });
}

}  // namespace

bool counts_from_end(OpRef access, Value buffer, std::size_t axis) {
  Context& context = access.module().context();
  IndexPool& index = context.index();
  const auto atom = index.as_atom(subscripts_of(access)[axis]);
  if (!atom || index.atom(*atom).kind != AtomKind::Opaque) return false;
  const ScalarOps& scalars = scalar_ops(context);
  const OpRef sum = access.operand(index.atom(*atom).number).definer();
  if (!sum.valid() || sum.opcode() != scalars.find(ScalarFn::Add) || has_row_attributes(sum)) return false;
  const IndexExpr zero = index.constant(0), size = context.types().dims(buffer.type())[axis];
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const OpRef choice = sum.operand(1 - i).definer();
    if (!choice.valid() || choice.opcode() != scalars.choice() || !is_size(choice.operand(1), size)) continue;
    const OpRef test = choice.operand(0).definer();
    if (test.valid() && test.opcode() == scalars.find(ScalarFn::Lt) && test.operand(0) == sum.operand(i) &&
        is_size(test.operand(1), zero) && is_size(choice.operand(2), zero))
      return true;
  }
  return false;
}

}  // namespace mlgc
