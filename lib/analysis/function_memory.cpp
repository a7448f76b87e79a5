// See function_memory.h.
#include "analysis/function_memory.h"

#include "loopir/loop_ops.h"

namespace mlgc {
namespace {

class Counter {
 public:
  explicit Counter(Context& context)
      : context_(context), index_(context.index()), out_{false, index_.constant(0), index_.constant(0)} {}

  FunctionMemory run(RegionRef body) {
    region(body, false);
    return out_;
  }

 private:
  void region(RegionRef r, bool in_body) {
    for (const OpRef op : r.ops()) {
      if (op.is(LoopOp::Alloc)) allocate(op, in_body);
      const ForRef loop = ForRef::from(op);
      const bool parallel = loop.valid() && loop.kind() == LoopKind::Parallel;
      for (const RegionRef part : op.regions()) region(part, in_body || parallel);
    }
  }

  void allocate(OpRef op, bool in_body) {
    if (context_.types().scope(op.result().type()) == Scope::Register) return;
    IndexExpr& total = in_body ? out_.scratch : out_.bytes;
    total = index_.add(total, bytes_in_memory(context_, op.result().type()));
    out_.takes_memory = out_.takes_memory || !in_body;
  }

  Context& context_;
  IndexPool& index_;
  FunctionMemory out_;
};

}  // namespace

IndexExpr bytes_in_memory(Context& context, Type buffer) {
  IndexPool& index = context.index();
  if (context.types().scope(buffer) == Scope::Register) return index.constant(0);
  return index.scale(index.ceildiv(context.storage_bytes(buffer), index.constant(64)), 64);
}

FunctionMemory function_memory(OpRef func) { return Counter(func.module().context()).run(func.region(0)); }

}  // namespace mlgc
