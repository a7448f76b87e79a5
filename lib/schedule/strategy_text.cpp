// See strategy_text.h.
#include "schedule/strategy_text.h"

#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

std::string loop_text(OpRef loop) { return "%" + std::string(ForRef::from(loop).index().name()); }

std::string count_text(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  IndexPool& pool = loop.module().context().index();
  const IndexExpr count = pool.sub(of.last(), of.first());
  if (is_size(pool, count)) return pool.print(count);
  const auto usual = usual_extent(of);
  return usual ? std::to_string(*usual) : "some";
}

std::string iterations_text(OpRef loop) { return count_text(loop) + " iterations of " + loop_text(loop); }

std::string number_of(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace mlgc::schedule
