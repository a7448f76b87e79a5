// What a host function says of memory: which buffers lie in that of others, and which states are written over.
#include "diag/kinds_loops.h"
#include "ir/function.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "verify/check_loops.h"

#include <unordered_set>

namespace mlgc {

void LoopChecks::check_memory(OpRef alloc, const Facts& facts) {
  TypePool& types = context_.types();
  IndexPool& index = context_.index();
  const Value of = AllocRef::from(alloc).memory(), memory = memory_of(of);
  const auto refuse = [&](const std::string& reason) { report<kAllocMemory>(alloc, of.name(), reason); };
  OpRef func = alloc;
  while (func.valid() && !func.is(GraphOp::Func)) func = func.parent_op();
  if (!func.valid() || !is_host_function(func)) return refuse("only a function with `results = N` has a plan");
  const Type type = alloc.result().type();
  if (types.scope(type) != Scope::Arena) return refuse("the buffer is not in scope arena");
  if (memory.is_argument() && !result_arguments(func).is_result[memory.number()])
    return refuse("inputs are not written");
  if (types.scope(memory.type()) == Scope::Weight) return refuse("weights and states are not written");
  if (types.dtype(type) != types.dtype(memory.type())) return refuse("it has another dtype");
  for (const Type one : {type, memory.type()})
    if (types.layout(one) != StringId()) return refuse("only row-major buffers share memory");
  const IndexExpr asked = element_count(alloc.result()), there = element_count(memory);
  if (index.equal(asked, there, facts) != Truth::Yes)
    refuse("it has " + index.print(there) + " elements, and " + index.print(asked) + " are asked for");
}

void LoopChecks::check_dealloc(DeallocRef dealloc) {
  const Value buffer = dealloc.buffer();
  const OpRef op = dealloc.op();
  const auto refuse = [&](OpRef at, const std::string& reason) { report<kDealloc>(at, buffer.name(), reason); };
  OpRef func = op;
  while (func.valid() && !func.is(GraphOp::Func)) func = func.parent_op();
  if (!func.valid() || !is_host_function(func))
    return refuse(op, "only a host function, which states `results = N`, frees memory");
  if (!buffer.is_result() || !AllocRef::from(buffer.definer()).valid()) return refuse(op, "it is not an `alloc`");
  if (!(op.parent() == buffer.definer().parent())) return refuse(op, "its `alloc` is in another region");
}

void LoopChecks::check_plan(OpRef func) {
  const auto states = context_.attributes().as_string_list(func.attr("in_place"));
  const HostFunctionMemory memory(func);
  for (const std::vector<Value>& group : memory.shared())
    for (const Overlap& found : overlaps(memory, group, in_place_))
      report<kPlanOverlap>(found.at, found.a.name(), found.b.name());
  check_deallocs(memory);
  if (states.empty()) return;
  const StateWrites writes(memory);
  for (const StringId state : states) check_state_in_place(func, state, writes);
}

// Each buffer is freed once, and nothing touches it afterwards.
void LoopChecks::check_deallocs(const HostFunctionMemory& memory) {
  std::unordered_set<ValueId> freed;
  for (std::size_t step = 0; step < memory.step_count(); ++step) {
    const DeallocRef dealloc = DeallocRef::from(memory.op_at(step));
    if (!dealloc.valid()) continue;
    const Value buffer = dealloc.buffer();
    const auto refuse = [&](const std::string& reason) { report<kDealloc>(dealloc.op(), buffer.name(), reason); };
    if (!freed.insert(buffer.id()).second) return refuse("it is freed already");
    if (const auto life = memory.life_of(buffer); life && life->last > step)
      refuse("`" + std::string(memory.op_at(life->last).name()) + "` touches it afterwards");
  }
}

// The new value is there, and once it is being written the function ends well: a run that fails changes no state.
void LoopChecks::check_state_in_place(OpRef func, StringId state, const StateWrites& writes) {
  const auto refuse = [&](const std::string& reason) {
    report<kStateInPlace>(func, func.symbol(), context_.strings().text(state), reason);
  };
  const Value value = new_state(func, state);
  if (!value.valid()) return refuse("the function has no new value of it");
  if (const OpRef fails = writes.fails_behind(value); fails.valid())
    refuse("`" + std::string(fails.name()) + "` may abort the program when a part of it is written");
}

}  // namespace mlgc
