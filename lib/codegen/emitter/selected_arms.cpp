#include "codegen/emitter/selected_arms.h"

#include <algorithm>
#include <vector>

#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {
namespace {

// What both arms together may cost in simple operations: less than a load that waits.
constexpr std::int64_t kMostWork = 16;
constexpr std::int64_t kTooMuch = kMostWork + 1;

bool has_elements(const IndexPool& pool, Value buffer) {
  const auto dims = buffer.dims();
  return std::all_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return pool.as_constant(dim).value_or(0) > 0; });
}

// Of floats and truth values: integers may be divided, which fails.
bool cannot_fail(const FunctionWriter& writer, OpRef op) {
  const auto is_safe = [&](Value v) {
    const Dtype dtype = writer.dtype_of(v);
    return dtype == Dtype::I1 || is_float(dtype);
  };
  const auto operands = op.operands();
  return std::all_of(operands.begin(), operands.end(), is_safe);
}

std::int64_t work_of_scalar(Context& context, OpRef op) {
  std::vector<Type> types;
  for (const Value v : op.operands()) types.push_back(v.type());
  return scalar_cost(context, op.opcode(), types, op.attrs()).value_or(kTooMuch);
}

std::int64_t work_of_arm(const FunctionWriter& writer, RegionRef arm);

std::int64_t work_of(const FunctionWriter& writer, OpRef op) {
  const TypePool& types = writer.context.types();
  switch (op.loop_op()) {
    case LoopOp::Yield:
    case LoopOp::Literal: return 0;
    case LoopOp::Guard:
    case LoopOp::Apply:
    case LoopOp::Fma:
    case LoopOp::Bits: return 1;
    case LoopOp::Load: {
      const Value buffer = LoadRef::from(op).buffer();
      const Scope scope = types.scope(buffer.type());
      const bool in_memory = scope != Scope::Register && scope != Scope::Thread;
      return in_memory && !AccessRef::from(op).checked() && has_elements(writer.context.index(), buffer) ? 1 : kTooMuch;
    }
    case LoopOp::Scalar: return op.pure() && cannot_fail(writer, op) ? work_of_scalar(writer.context, op) : kTooMuch;
    case LoopOp::If:
      return op.region_count() == 2 ? work_of_arm(writer, op.region(0)) + work_of_arm(writer, op.region(1)) : kTooMuch;
    default: return kTooMuch;
  }
}

std::int64_t work_of_arm(const FunctionWriter& writer, RegionRef arm) {
  std::int64_t sum = 0;
  for (const OpRef op : arm.ops()) sum = std::min(sum + work_of(writer, op), kTooMuch);
  return sum;
}

}  // namespace

bool can_be_selected(const FunctionWriter& writer, OpRef branch) {
  return branch.result_count() > 0 && work_of(writer, branch) <= kMostWork;
}

}  // namespace mlgc::codegen
