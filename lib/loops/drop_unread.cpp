// See drop_unread.h.
#include "loops/drop_unread.h"

#include <cstddef>
#include <unordered_map>

#include "analysis/in_place.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"

namespace mlgc::loops {

namespace {

// From the end of the function, so that what an op gives to later ones is known when its turn comes.
class DropUnread {
 public:
  explicit DropUnread(OpRef func) {
    walk(func, [&](OpRef op) { count(op, 1); });
    (void)visit(func.region(0));
  }

 private:
  void count(OpRef op, std::ptrdiff_t by) {
    if (op.is(LoopOp::Load)) reads_[loaded_buffer(op).id()] += by;
    if (loop_role(op) == LoopRole::Runs)
      for (const Value v : op.operands()) reads_[underlying_buffer(v).id()] += by;
  }
  void erase(OpRef op) {
    walk(op, [&](OpRef inner) { count(inner, -1); });
    op.erase();
  }
  // Whether the op has to run for something else than its results.
  bool matters(OpRef op) {
    if (op.is(LoopOp::Store)) {
      const Value buffer = stored_buffer(op);
      return !buffer.is_result() || !buffer.definer().is(LoopOp::Alloc) || reads_[buffer.id()] > 0 || ends_.may_end(op);
    }
    if (op.is(LoopOp::For) || op.is(LoopOp::If)) {
      bool inside = false;
      for (const RegionRef region : op.regions()) inside = visit(region) || inside;
      return inside;
    }
    if (op.is(LoopOp::Alloc) || op.is(LoopOp::BufferView)) return false;
    return op.region_count() > 0 || !only_computes(op) || ends_.may_end(op);
  }
  bool visit(RegionRef region) {
    bool any = false;
    for (OpRef op = region.empty() ? OpRef() : region.back(), before; op.valid(); op = before) {
      before = op.previous();
      if (loop_role(op) == LoopRole::Ends) continue;
      const bool needed = matters(op);
      if (!needed && op.results_unused())
        erase(op);
      else
        any = any || needed;
    }
    return any;
  }

  ProgramEnds ends_;
  std::unordered_map<ValueId, std::ptrdiff_t> reads_;  // ops that read a buffer's memory
};

}  // namespace

void drop_unread(OpRef func) { (void)DropUnread(func); }

}  // namespace mlgc::loops
