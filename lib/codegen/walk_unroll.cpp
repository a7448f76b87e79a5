// Which loops of a sum in registers have their iterations one after the other: those over the few taps of a window.
#include "codegen/walk.h"
#include "loopir/loop_ops.h"

namespace mlgc::codegen {
namespace {

// A loop that ends after so few iterations is mispredicted as often as a long one. More of them than these do not stay
// decoded.
constexpr std::int64_t kMostTaps = 9;

}  // namespace

// How many iterations: 0 where compilers decide. A loop around others counts theirs, too, as all of them are unrolled.
std::int64_t Walk::taps_of(ForRef loop) {
  if (!strip_ || loop.kind() != LoopKind::Serial || loop.carried_count() == 0 ||
      !varying_.contains(loop.carried(0).id()))
    return 0;
  const auto count = index_.as_constant(resolved(loop.op(), index_.sub(loop.last(), loop.first())));
  if (!count || *count > kMostTaps) return 0;
  std::int64_t taps = *count;
  for (const OpRef op : loop.body().ops()) {
    if (op.region_count() == 0) continue;
    const ForRef inner = ForRef::from(op);
    const std::int64_t of_inner = inner.valid() ? taps_of(inner) : 0;
    if (of_inner == 0 || taps * of_inner > kMostTaps) return 0;
    taps *= of_inner;
  }
  return *count;
}

}  // namespace mlgc::codegen
