#include "codegen/emitter/half_results.h"

#include <algorithm>

#include "loopir/buffers.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {
namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }

}  // namespace

bool HalfResults::is_continuous(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Neg:
    case ScalarFn::Abs:
    case ScalarFn::Exp:
    case ScalarFn::Sqrt:
    case ScalarFn::Tanh:
    case ScalarFn::Sigmoid:
    case ScalarFn::Erf:
    case ScalarFn::Add:
    case ScalarFn::Sub:
    case ScalarFn::Mul:
    case ScalarFn::Div:
    case ScalarFn::Min:
    case ScalarFn::Max: return true;
    default: return false;
  }
}

// Around a cycle of carried values what is asked again holds if all else does. If not, what rested on that is
// forgotten.
bool HalfResults::contains(Value v) {
  if (writer_.grid == nullptr || types_.kind(v.type()) == TypeKind::Buffer || types_.kind(v.type()) == TypeKind::Index)
    return false;
  if (is_half(v.dtype())) return true;
  if (v.dtype() != Dtype::F32) return false;
  if (const auto found = known_.find(v.id()); found != known_.end()) return found->second;
  const std::size_t before = assumed_.size();
  known_[v.id()] = true;
  assumed_.push_back(v.id());
  const auto uses = v.uses();
  const bool all =
      !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return reaches_halves(use); });
  if (!all) {
    for (std::size_t i = before; i < assumed_.size(); ++i) known_.erase(assumed_[i]);
    assumed_.resize(before);
    known_[v.id()] = false;
  } else if (before == 0) {
    assumed_.clear();  // nothing is open that they rest on
  }
  return all;
}

bool HalfResults::reaches_halves(const Use& use) {
  const OpRef op = use.owner();
  if (const StoreRef store = StoreRef::from(op); store.valid()) {
    const Value buffer = store.buffer();
    if (use.operand_number() != 0 || !own_.contains(buffer)) return false;
    const auto users = buffer.users();
    return std::all_of(users.begin(), users.end(),
                       [&](OpRef user) { return !user.is(LoopOp::Load) || contains(user.result()); });
  }
  if (op.is(LoopOp::Yield)) {
    const OpRef around = op.parent_op();
    const ForRef loop = ForRef::from(around);
    if (loop.valid())
      return contains(around.result(use.operand_number())) && contains(loop.carried(use.operand_number()));
    return around.is(LoopOp::If) && contains(around.result(use.operand_number()));
  }
  if (const ForRef loop = ForRef::from(op); loop.valid()) {
    for (std::size_t i = 0; i < loop.carried_count(); ++i)
      if (op.operand_count() - loop.carried_count() + i == use.operand_number())
        return contains(op.result(i)) && contains(loop.carried(i));
    return false;
  }
  if (op.is(LoopOp::Fma)) return contains(op.result());
  return op.region_count() == 0 && op.result_count() == 1 && goes_through(op, use.operand_number());
}

bool HalfResults::goes_through(OpRef scalar, std::size_t operand) {
  if (!contains(scalar.result())) return false;
  std::vector<Type> types;
  for (const Value v : scalar.operands()) types.push_back(types_.scalar(dtype_of(v)));
  const auto value = scalar_value(context_, scalar.opcode(), types, scalar.attrs());
  return value.ok() && value.value().has_value() && is_kept(*value.value(), operand);
}

// Whether the operand gets through the formula by continuous functions alone.
bool HalfResults::is_kept(ExprId e, std::size_t operand) const {
  const ExprNode node = formulas_.node(e);
  if (node.kind == NodeKind::Literal || node.kind == NodeKind::Read) return true;
  const std::vector<ExprId> args = formulas_.arguments(e);
  const bool keeps = node.kind == NodeKind::Stop || (node.kind == NodeKind::Cast && is_float(node.type)) ||
                     (node.kind == NodeKind::Call && is_continuous(formulas_.fn(e)));
  if (keeps) return std::all_of(args.begin(), args.end(), [&](ExprId a) { return is_kept(a, operand); });
  // Of any other function: the operand is nowhere below.
  const auto is_below = [&](const auto& below, ExprId of) -> bool {
    const ExprNode at = formulas_.node(of);
    if (at.kind == NodeKind::Literal) return false;
    if (at.kind == NodeKind::Read) return formulas_.read_of(of).tensor.index() == operand;
    const std::vector<ExprId> inner = formulas_.arguments(of);
    return std::any_of(inner.begin(), inner.end(), [&](ExprId a) { return below(below, a); });
  };
  return !is_below(is_below, e);
}

}  // namespace mlgc::codegen
