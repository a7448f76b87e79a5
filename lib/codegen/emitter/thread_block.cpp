#include "codegen/emitter/thread_block.h"

#include <algorithm>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/nests.h"

namespace mlgc::codegen {
void ThreadBlock::Touched::add(const Touched& other) {
  reads.insert(other.reads.begin(), other.reads.end());
  writes.insert(other.writes.begin(), other.writes.end());
}

// What the op and those inside of it touch of the buffers that threads of the block exchange values through.
ThreadBlock::Touched ThreadBlock::touched(OpRef op) const {
  Touched out;
  walk(op, [&](OpRef inner) {
    const bool load = inner.is(LoopOp::Load);
    if (!load && !inner.is(LoopOp::Store)) return;
    const ValueId id = underlying_buffer(inner.operand(load ? 0 : 1)).id();
    if (kernel->exchanged.contains(id)) (load ? out.reads : out.writes).insert(id);
  });
  return out;
}

// Whether what follows meets what other threads did since the last barrier.
bool ThreadBlock::meets(const Touched& next) const {
  const Touched& done = kernel->since_barrier;
  const auto meet = [](const std::unordered_set<ValueId>& a, const std::unordered_set<ValueId>& b) {
    return std::any_of(a.begin(), a.end(), [&](ValueId id) { return b.contains(id); });
  };
  return meet(next.reads, done.writes) || meet(next.writes, done.writes) || meet(next.writes, done.reads);
}

std::string ThreadBlock::thread() const {
  const Form& form = kernel->form;
  const std::string own = form.groups == 1 ? std::string(writer_.grid->thread())
                          : form.across    ? writer_.grid->group(form.groups)
                                           : writer_.grid->thread_of_group(form.threads);
  return kernel->part > 0 ? "(" + own + " % " + std::to_string(kernel->part) + ")" : own;
}

SourceText ThreadBlock::condition_of_lanes(std::int64_t lanes) const {
  const bool all = kernel->part > 0 || lanes >= kernel->form.threads;
  return all ? SourceText() : SourceText(thread() + " < " + std::to_string(lanes) + " && ");
}

std::string ThreadBlock::group() const {
  const Form& form = kernel->form;
  return form.across ? writer_.grid->thread_of_group(form.groups) : writer_.grid->group(form.threads);
}

std::string ThreadBlock::barrier_text() const {
  const Form& form = kernel->form;
  return std::string(form.groups > 1 && !form.across ? writer_.grid->barrier_of_warp() : writer_.grid->barrier());
}

void ThreadBlock::barrier() {
  line(barrier_text());
  kernel->since_barrier = {};
}

// A barrier, if it needs one.
void ThreadBlock::before_touching(const Touched& next) {
  if (meets(next)) barrier();
  kernel->since_barrier.add(next);
}

// A loop that all threads of the block run: its first iteration meets what was before it, the others what the one
// before them did, unless iterations are independent.
void ThreadBlock::uniform_loop(OpRef op, const std::function<void()>& emit) {
  if (!is_uniform()) return emit();
  const ForRef loop = ForRef::from(op);
  FunctionFacts facts;
  const bool apart = loop.valid() && !find_conflict(loop, facts.of(op));
  if (apart && meets(touched(op))) barrier();  // in front of it, not in each iteration
  const Touched before = kernel->since_barrier;
  bool allocates = false;  // memory that is the same in each iteration
  walk(op, [&](OpRef inner) { allocates = allocates || inner.is(LoopOp::Alloc); });
  if (!apart || allocates) kernel->since_barrier.add(touched(op));
  emit();
  kernel->since_barrier.add(before);
}

// Whether there are neither loops nor branches in the loop.
bool ThreadBlock::is_innermost(OpRef loop) {
  return walk(loop, [&](OpRef inner) {
    return inner != loop && inner.region_count() > 0 ? WalkResult::Stop : WalkResult::Continue;
  });
}

// Whether the loop holds one round of all threads and nothing else.
bool ThreadBlock::repeats_a_round(ForRef loop) {
  if (loop.carried_count() > 0 || loop.body().empty()) return false;
  const OpRef only = loop.body().front();
  const ForRef round = ForRef::from(only);
  return round.valid() && round.kind() == LoopKind::Vector && only.next().valid() && only.next().is(LoopOp::Yield) &&
         usual_extent(round).value_or(round.lanes() + 1) <= round.lanes();
}

}  // namespace mlgc::codegen
