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
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

TransformResult expand_scratch(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "expand-scratch: no loop");
  if (of.kind() == LoopKind::Parallel) return refuse<kScheduleSharedScratch>(index_name(of), "the scratch");
  if (auto may = expect_no_lanes_around(loop); !may) return may;
  Module& module = loop.module();
  IndexPool& pool = module.context().index();
  const auto count = usual_extent(of);
  if (!count || *count < 1)
    return refuse<kScheduleTripCount>(index_name(of), trip_count_text(count), "at most a positive constant");
  std::vector<OpRef> allocs;
  TransformResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) != LoopRole::Allocates || module.context().types().scope(op.result().type()) == Scope::Register)
      return;
    const std::string_view name = op.result().name();
    if (op.parent_op() != loop || AllocRef::from(op).memory().valid() ||
        module.context().types().scope(op.result().type()) != Scope::Thread)
      may = refuse<kScheduleBuffer>(name, "it is not scratch of an iteration");
    for (const OpRef user : op.result().users())
      if (const AccessRef access = AccessRef::from(user); !access.valid() || access.buffer() != op.result())
        may = refuse<kScheduleBuffer>(name, "it is not only loaded and stored");
    for (const IndexExpr dim : op.result().dims())
      if (!is_size(pool, dim)) may = refuse<kScheduleBuffer>(name, "its size depends on values in the loop");
    allocs.push_back(op);
  });
  if (!may) return may;
  if (allocs.empty()) return refuse<kScheduleNothingToDo>("expand", "the loop allocates no scratch");
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
