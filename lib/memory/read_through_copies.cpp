// See plan_transforms.h.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "memory/copy_kernel.h"
#include "memory/plan_transforms.h"

namespace mlgc {
namespace {

class CopyReaders {
 public:
  CopyReaders(OpRef host_function, RewriteGate& gate)
      : host_function_(host_function), gate_(gate), results_(result_arguments(host_function)) {
    for (const OpRef op : host_function.region(0).ops()) place_.emplace(op.id(), place_.size());
  }

  std::uint64_t run() {
    std::uint64_t gone = 0;
    std::vector<OpRef> launches;
    for (const OpRef op : host_function_.region(0).ops())
      if (op.is(LoopOp::Launch)) launches.push_back(op);
    for (const OpRef launch : launches) gone += read_through(launch) ? 1 : 0;
    return gone;
  }

 private:
  bool read_through(OpRef copy) {
    const OpRef kernel = LaunchRef::from(copy).callee();
    if (is_host_function(kernel) || !is_copy_kernel(kernel)) return false;
    const Value from = copy.operand(0), to = copy.operand(1);
    const bool owned = from.is_result() ? from.definer().is(LoopOp::Alloc) && place_.contains(from.definer().id())
                                        : !results_.is_result[from.number()];
    if (!owned || !to.is_result() || !to.definer().is(LoopOp::Alloc) || !place_.contains(to.definer().id()))
      return false;
    if (!std::equal(from.dims().begin(), from.dims().end(), to.dims().begin(), to.dims().end())) return false;
    const auto written_by = [&](Value buffer) {
      return [this, buffer](const Use& use) { return may_write(use.owner(), buffer); };
    };
    const auto uses_of = [&](Value buffer) { return std::vector<Use>(buffer.uses().begin(), buffer.uses().end()); };
    for (const Use& use : uses_of(to))
      if (!stands_here(use) || (use.owner() != copy && written_by(to)(use))) return false;
    for (const Use& use : uses_of(from))
      if (!stands_here(use) || (written_by(from)(use) && place_.at(use.owner().id()) > place_.at(copy.id())))
        return false;
    if (!gate_.may_rewrite("read-through-copy", copy.location())) return false;
    const OpRef alloc = to.definer();
    copy.erase();
    to.replace_all_uses_with(from);
    alloc.erase();
    if (!is_launched(kernel)) kernel.erase();
    return true;
  }

  // A launch of a loop function, in no loop and no branch.
  [[nodiscard]] bool stands_here(const Use& use) const {
    const OpRef op = use.owner();
    return op.is(LoopOp::Launch) && place_.contains(op.id()) && !is_host_function(LaunchRef::from(op).callee());
  }
  [[nodiscard]] static bool may_write(OpRef launch, Value buffer) {
    const RegionRef body = LaunchRef::from(launch).callee().region(0);
    bool writes = false;
    for (std::size_t i = 0; i < body.argument_count(); ++i)
      if (launch.operand(i) == buffer)
        for_each_access(body.argument(i), [&](const Use& use) { writes = writes || !use.owner().is(LoopOp::Load); });
    return writes;
  }
  [[nodiscard]] bool is_launched(OpRef kernel) const {
    bool found = false;
    for (const FuncRef& function : functions(host_function_.module()))
      walk(function.op(),
           [&](OpRef op) { found = found || (op.is(LoopOp::Launch) && LaunchRef::from(op).callee() == kernel); });
    return found;
  }

  OpRef host_function_;
  RewriteGate& gate_;
  ResultArguments results_;
  std::unordered_map<OpId, std::size_t> place_;  // of the function's own ops
};

}  // namespace

std::uint64_t read_through_copies(OpRef host_function, RewriteGate& gate) {
  return CopyReaders(host_function, gate).run();
}

}  // namespace mlgc
