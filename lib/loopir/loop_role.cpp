// See loop_role.h.
#include "loopir/loop_role.h"

#include "support/result.h"

namespace mlgc {

LoopRole loop_role(LoopOp op) {
  switch (op) {
    case LoopOp::Scalar:
    case LoopOp::Load:
    case LoopOp::Guard:
    case LoopOp::Apply:
    case LoopOp::Literal:
    case LoopOp::Fma:
    case LoopOp::Bits: return LoopRole::Computes;
    case LoopOp::Store:
    case LoopOp::TransposeInPlace: return LoopRole::Stores;
    case LoopOp::Check: return LoopRole::Tests;
    case LoopOp::Alloc: return LoopRole::Allocates;
    case LoopOp::Dealloc: return LoopRole::Frees;
    case LoopOp::BufferView:
    case LoopOp::Data: return LoopRole::Names;
    case LoopOp::For:
    case LoopOp::While:
    case LoopOp::If: return LoopRole::Repeats;
    case LoopOp::Yield:
    case LoopOp::Condition:
    case LoopOp::Return: return LoopRole::Ends;
    case LoopOp::Launch:
    case LoopOp::External: return LoopRole::Runs;
    case LoopOp::BindSize: return LoopRole::Sizes;
    case LoopOp::Func: return LoopRole::Function;
  }
  throw InternalError("a loop op without a role");
}

bool makes_buffer(OpRef op) {
  const LoopRole role = loop_role(op);
  return role == LoopRole::Allocates || role == LoopRole::Names;
}

bool only_computes(OpRef op) {
  switch (loop_role(op)) {
    case LoopRole::Computes:
    case LoopRole::Names:
    case LoopRole::Repeats:
    case LoopRole::Ends: return true;
    case LoopRole::Stores:
    case LoopRole::Tests:
    case LoopRole::Allocates:
    case LoopRole::Frees:
    case LoopRole::Runs:
    case LoopRole::Sizes:
    case LoopRole::Function: return false;
  }
  throw InternalError("a role that is none");
}

}  // namespace mlgc
