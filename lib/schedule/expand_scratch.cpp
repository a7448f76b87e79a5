// expand-scratch: memory that a loop allocates in each iteration becomes memory of all of them, in front of it.
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"

namespace mlgc {

using namespace schedule;

StepResult expand_scratch(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "expand-scratch: no loop");
  if (of.kind() == LoopKind::Parallel) return refuse("iterations on other threads would share the scratch");
  for (OpRef at = loop.parent_op(); at.valid(); at = at.parent_op())
    if (const ForRef around = ForRef::from(at); around.valid() && around.kind() == LoopKind::Vector)
      return refuse("each lane of a loop around would need memory of its own");
  Module& module = loop.module();
  IndexPool& pool = module.context().index();
  const auto count = usual_extent(of);
  if (!count || *count < 1) return refuse("the loop does not run a constant number of times, or less");
  std::vector<OpRef> allocs;
  std::string why;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) != LoopRole::Allocates || module.context().types().scope(op.result().type()) == Scope::Register)
      return;
    if (op.parent_op() != loop || AllocRef::from(op).memory().valid() ||
        module.context().types().scope(op.result().type()) != Scope::Thread)
      why = "`" + std::string(op.result().name()) + "` is no scratch that stands in the loop alone";
    for (const OpRef user : op.result().users())
      if (const AccessRef access = AccessRef::from(user); !access.valid() || access.buffer() != op.result())
        why = "`" + std::string(op.result().name()) + "` is more than loaded and stored";
    for (const IndexExpr dim : op.result().dims())
      if (!is_size(pool, dim)) why = "the size of `" + std::string(op.result().name()) + "` is known in the loop alone";
    allocs.push_back(op);
  });
  if (!why.empty()) return refuse(why);
  if (allocs.empty()) return refuse("it allocates nothing");
  const IndexExpr at = pool.sub(of_value(of.index()), over_values(loop, of.first()));
  Builder builder(module);
  for (const OpRef alloc : allocs) {
    const Value old = alloc.result();
    const auto dims = old.dims();
    std::vector<IndexExpr> shape(dims.begin(), dims.end());
    shape.push_back(pool.constant(*count));
    builder.set_before(loop);
    builder.set_location(alloc.location());
    const Type type = module.context().types().buffer(old.dtype(), shape, Scope::Thread);
    const Value made = builder.create(LoopOp::Alloc, {}, {type}).result();
    made.set_name(std::string(old.name()));
    std::vector<OpRef> users;
    for (const OpRef user : old.users()) users.push_back(user);
    for (const OpRef user : users) {
      std::vector<IndexExpr> subscripts = subscripts_over_values(user);
      subscripts.push_back(at);
      set_element(user, made, subscripts);
    }
    alloc.erase();
  }
  return {};
}

}  // namespace mlgc
