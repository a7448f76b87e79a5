// 16-bit floats that nothing computes with, or nothing that rounds. A variable holds such a number as f32, so what is
// only loaded and stored would be widened and rounded again, and what is rounded and stored rounded twice: where every
// use is a store, the variable holds the bits as they lie in memory.
#include <algorithm>
#include <cmath>

#include "codegen/walk.h"
#include "loopir/loop_ops.h"
#include "tensor/float16.h"

namespace mlgc::codegen {

// Of loads from memory, of results of scalar ops and of branches; bits reach stores to memory alone, through branches.
bool Walk::is_kept_as_bits(Value v) const {
  if (types_.kind(v.type()) == TypeKind::Index || (v.dtype() != Dtype::F16 && v.dtype() != Dtype::BF16)) return false;
  if (!v.is_result() || leaves_.bits_type(1).empty()) return false;
  const auto uses = v.uses();
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    const OpRef owner = use.owner();
    if (const auto store = StoreRef::from(owner); store.valid())
      return use.operand_number() == 0 && types_.scope(store.buffer().type()) != Scope::Register;
    if (!owner.is(LoopOp::Yield)) return false;
    const OpRef around = owner.parent_op();
    return around.is(LoopOp::If) && is_kept_as_bits(around.result(use.operand_number()));
  });
}

// The 16-bit floats that a number is one of already, since it was loaded as one or rounded, and then was only chosen or
// changed its sign: to round it changes nothing.
Halves Walk::halves_of(ExprId e, OpRef op) const {
  const ExprNode node = pool_.node(e);
  const std::vector<ExprId> args = pool_.arguments(e);
  const auto all = [&](std::size_t first) {
    Halves out{true, true};
    for (std::size_t i = first; i < args.size(); ++i) out = out.and_also(halves_of(args[i], op));
    return out;
  };
  switch (node.kind) {
    case NodeKind::Literal: return halves_of(node.type, pool_.literal_real(e));
    case NodeKind::Read: return halves_of(op.operand(pool_.read_of(e).tensor.index()));
    case NodeKind::Stop: return all(0);
    case NodeKind::Select: return all(1);
    case NodeKind::Cast:
      if (node.type == Dtype::F16 || node.type == Dtype::BF16)
        return {node.type == Dtype::F16, node.type == Dtype::BF16};
      return is_float(node.type) && is_float(pool_.type(args[0])) ? all(0) : Halves{};
    case NodeKind::Call: {
      const ScalarFn fn = pool_.fn(e);
      const bool moves = fn == ScalarFn::Min || fn == ScalarFn::Max || fn == ScalarFn::Neg || fn == ScalarFn::Abs;
      return moves && is_float(node.type) ? all(0) : Halves{};
    }
    default: return {};
  }
}

Halves Walk::halves_of(Dtype dtype, double number) {
  const auto is = [&](Dtype half) {
    return is_float(dtype) && (std::isnan(number) || round_to(half, number) == number);
  };
  return {is(Dtype::F16), is(Dtype::BF16)};
}

Halves Walk::halves_of(Value v) const {
  const auto found = halves_.find(v.id());
  return found == halves_.end() ? Halves{} : found->second;
}

std::string Walk::type_of(Dtype dtype, const Spelled& value) const {
  return value.bits ? leaves_.bits_type(value.lanes) : leaves_.variable_type(dtype, value.lanes);
}

Spelled Walk::as_bits(const Spelled& value, Dtype dtype) const {
  return value.bits ? value : Spelled{leaves_.to_bits(dtype, value.text, false), value.lanes, true};
}

// The result of a scalar op that rounds to 16 bits at last: nothing to round, or nothing to widen again.
std::optional<Spelled> Walk::rounded(OpRef op, ExprId e, const std::vector<Spelled>& operands) {
  while (pool_.node(e).kind == NodeKind::Stop) e = pool_.arguments(e)[0];
  const ExprNode node = pool_.node(e);
  if (node.kind != NodeKind::Cast || (node.type != Dtype::F16 && node.type != Dtype::BF16)) return std::nullopt;
  const ExprId number = pool_.arguments(e)[0];
  const Dtype from = pool_.type(number);
  const bool is_exact = from == Dtype::F32 && halves_of(number, op).has(node.type), bits = is_kept_as_bits(op.result());
  if (from != Dtype::F32 || (!is_exact && !bits)) return std::nullopt;  // others are rounded on their way
  Spelled value = expression(number, operands);
  if (!bits) return value;
  const NodeKind kind = pool_.node(number).kind;
  if (kind != NodeKind::Literal && kind != NodeKind::Read) value = temporary(from, value);
  return Spelled{leaves_.to_bits(node.type, value.text, is_exact), value.lanes, true};
}

}  // namespace mlgc::codegen
