// unroll: the loop is written out, or tiles of it are.
#include "schedule/loop_transforms.h"

#include "loopir/loop_ops.h"
#include "schedule/loop_edit.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines: copies of an iteration, with which the time of the host compiler grows.
constexpr std::int64_t kMostUnrolled = 1024;

}  // namespace

TransformResult unroll(OpRef loop, std::int64_t factor, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "unroll: no loop");
  if (auto may = expect_no_combined_lanes(of); !may) return may;
  if (factor < 0 || factor > kMostUnrolled)
    return refuse<kScheduleParameter>("the factor", factor, "from 0 to " + std::to_string(kMostUnrolled));
  if (factor == 0) {
    IndexPool& pool = loop.module().context().index();
    const auto count = pool.as_constant(pool.sub(of.last(), of.first()));
    if (!count || *count > kMostUnrolled)
      return refuse<kScheduleTripCount>(index_name(of), trip_count_text(count),
                                        "a constant of at most " + std::to_string(kMostUnrolled));
    ForRef::from(loop).set_kind(LoopKind::Unrolled);
    return {};
  }
  if (of.kind() == LoopKind::Vector)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "vector loops only as a whole");
  if (auto tiled = tile(loop, factor, Tail::Loop, facts); !tiled) return tiled;
  ForRef::from(loop).set_kind(LoopKind::Unrolled);
  return {};
}

}  // namespace mlgc
