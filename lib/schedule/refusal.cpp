// See refusal.h.
#include "schedule/refusal.h"

#include <string>

namespace mlgc::schedule {

std::string_view index_name(ForRef loop) { return loop.index().name(); }

std::string trip_count_text(std::optional<std::int64_t> count) {
  return count ? std::to_string(*count) : std::string("not a constant");
}

Failure<Diagnostic> refuse(ForRef loop, const LoopConflict& conflict) {
  const std::string_view buffer = StoreRef::from(conflict.store).buffer().name();
  return conflict.certain ? refuse<kScheduleCarriedDependence>(index_name(loop), buffer)
                          : refuse<kScheduleDependenceUnknown>(index_name(loop), buffer);
}

std::string kind_text(ForRef loop) {
  const std::string_view kind = loop_kind_name(loop.kind());
  return (loop.kind() == LoopKind::Unrolled ? "an " : "a ") + std::string(kind) + " loop";
}

TransformResult expect_serial(ForRef loop) {
  if (loop.kind() == LoopKind::Serial) return {};
  return refuse<kScheduleLoopKind>(index_name(loop), kind_text(loop), "serial loops");
}

TransformResult expect_plain(ForRef loop) {
  if (loop.kind() == LoopKind::Serial || loop.kind() == LoopKind::Parallel) return {};
  return refuse<kScheduleLoopKind>(index_name(loop), kind_text(loop), "serial and parallel loops");
}

TransformResult expect_no_carried(ForRef loop) {
  if (loop.carried_count() == 0) return {};
  return refuse<kScheduleCarriesValues>(index_name(loop));
}

TransformResult expect_no_combined_lanes(ForRef loop) {
  if (loop.kind() != LoopKind::Vector || loop.carried_count() == 0) return {};
  return refuse<kScheduleLoopKind>(index_name(loop), "a vector loop that combines its lanes", "loops that do not");
}

TransformResult expect_no_lanes_around(OpRef op) {
  for (OpRef at = op.parent_op(); at.valid(); at = at.parent_op())
    if (const ForRef around = ForRef::from(at); around.valid() && around.kind() == LoopKind::Vector)
      return refuse<kScheduleLaneMemory>(index_name(around));
  return {};
}

TransformResult expect_perfectly_nested(ForRef loop) {
  const OpRef inner = loop.body().empty() ? OpRef() : loop.body().front();
  const OpRef next = ForRef::from(inner).valid() ? inner.next() : OpRef();
  if (ForRef::from(inner).valid() && (!next.valid() || next.is(LoopOp::Yield))) return {};
  return refuse<kScheduleNotPerfectlyNested>(index_name(loop));
}

}  // namespace mlgc::schedule
