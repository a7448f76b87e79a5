// parallelize: iterations run on any thread.
#include "schedule/loop_transforms.h"

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "schedule/loop_edit.h"

namespace mlgc {

using namespace schedule;

TransformResult parallelize(OpRef loop, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "parallelize: no loop");
  if (of.kind() == LoopKind::Parallel)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "loops of other kinds");
  if (auto may = expect_no_carried(of); !may) return may;
  const TypePool& types = loop.module().context().types();
  TransformResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) == LoopRole::Runs)
      may = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "run on several threads");
    if (loop_role(op) == LoopRole::Allocates && types.scope(op.result().type()) == Scope::Arena)
      may = refuse<kScheduleSharedScratch>(
          index_name(of), "`" + std::string(op.result().name()) + "`, which is allocated in the arena");
    const AccessRef access = AccessRef::from(op);
    if (!access.valid()) return;
    const Value buffer = access.buffer();
    const Scope scope = types.scope(buffer.type());
    const RegionRef home = underlying_buffer(buffer).scope();
    const bool outside = !(home == of.body()) && !home.parent_op().is_inside(loop);
    if (outside && (scope == Scope::Thread || scope == Scope::Register))
      may = refuse<kScheduleSharedScratch>(
          index_name(of), "`" + std::string(buffer.name()) + "`, which is scratch of one thread around the loop");
  });
  if (!may) return may;
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  ForRef::from(loop).set_kind(LoopKind::Parallel);
  return {};
}

}  // namespace mlgc
