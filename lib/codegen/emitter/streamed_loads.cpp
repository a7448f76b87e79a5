#include "codegen/emitter/streamed_loads.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/loop_access.h"
#include "ir/linear_coefficient.h"
#include "loopir/buffers.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

// Policies of this printer, the same for all machines. Smaller buffers stay in the second cache. What is fetched lies
// as far ahead as covers the latency of memory at the rate of one core, and no further than half of a second cache.
constexpr std::int64_t kFewestBytes = std::int64_t{256} << 10U;
constexpr std::int64_t kLeastDistance = std::int64_t{16} << 10U, kMostDistance = std::int64_t{512} << 10U;

bool adds_products(RegionRef body) {
  const auto ops = body.ops();
  return std::any_of(ops.begin(), ops.end(), [](OpRef op) { return op.is(LoopOp::Fma); });
}

}  // namespace

// How far ahead the load of a later iteration lies; 0: it is not to be fetched. Every loop around the sum must move the
// place: what a loop reads again is in a cache.
std::int64_t StreamedLoads::elements_ahead(OpRef load) {
  ForRef sum = ForRef::from(load.parent_op());
  if (!sum.valid() || sum.carried_count() == 0 || !adds_products(sum.body())) return 0;
  const Value buffer = LoadRef::from(load).buffer(), memory = underlying_buffer(buffer);
  const auto bytes = index_.as_constant(context_.storage_bytes(memory.type()));
  if (types_.scope(memory.type()) == Scope::Thread || !bytes || *bytes < kFewestBytes) return 0;
  LoopAccess shown(context_, writer_.facts.of(load));
  shown.enter_around(load);
  const auto subscripts = subscripts_of(load);
  const auto dims = types_.dims(buffer.type());
  IndexExpr place = index_.constant(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    place = index_.add(index_.mul(place, dims[d]), shown.over_loops(load, resolved(load, subscripts[d])));
  std::int64_t step = 0;
  for (OpRef at = load.parent_op(); at.valid(); at = at.parent_op()) {
    const ForRef around = ForRef::from(at);
    if (!around.valid() || around.carried_count() > 0) continue;
    const auto of_loop = linear_coefficient(index_, place, shown.label_of(around));
    if (!of_loop || *of_loop == 0) return 0;
    if (step == 0) step = *of_loop;
  }
  const std::int64_t element = dtype_info(buffer.dtype()).bytes;
  if (step == 0 || std::abs(step) > kMostDistance / element) return 0;
  const std::int64_t bytes_of_step = std::abs(step) * element;
  return (kLeastDistance + bytes_of_step - 1) / bytes_of_step * step;
}

void StreamedLoads::before_load(OpRef load, const SourceText& pointer) {
  if (writer_.grid != nullptr || !lanes_.strip || hooks_.prefetch("").empty()) return;
  const std::int64_t ahead = elements_ahead(load);
  // Parts of a group that are written out read the same bytes.
  if (ahead == 0 || !fetched_.emplace(load.parent_op().id(), pointer.str()).second) return;
  line(hooks_.prefetch(pointer + (ahead < 0 ? " - " : " + ") + std::to_string(std::abs(ahead))));
}

}  // namespace mlgc::codegen
