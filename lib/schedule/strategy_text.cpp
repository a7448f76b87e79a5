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

std::string count_text(const std::vector<OpRef>& loops) {
  std::string out;
  for (const OpRef loop : loops) out += (out.empty() ? "" : " * ") + count_text(loop);
  return out;
}

std::string iterations_text(const std::vector<OpRef>& loops) {
  std::string names;
  for (const OpRef loop : loops) names += (names.empty() ? "" : ", ") + loop_text(loop);
  return count_text(loops) + " iterations of " + names;
}

std::string number_of(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace mlgc::schedule
