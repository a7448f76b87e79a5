#include "codegen/emitter/loop_hints.h"

#include <algorithm>

#include "ir/linear_coefficient.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer, the same for all CPUs: sums and loads in a row from which on 16 registers do not hold what a
// compiler would keep.
constexpr std::size_t kFewestRows = 4;
// Policy of this printer, the same for all CPUs: a loop that ends after so few iterations is mispredicted as often as a
// long one. More of them than these do not stay decoded.
constexpr std::int64_t kMostTaps = 9;

}  // namespace

// Compilers that unroll such loops keep each element from its first use to its last one, beside the sums, which then
// have no room in 16 registers. So each iteration names the buffer anew, and what it reads has no past. Rows of a
// single vector keep elements: a load for each product would take longer.
std::vector<std::pair<ValueId, ValueText>> LoopHints::name_anew(ForRef loop) {
  std::vector<std::pair<ValueId, ValueText>> replaced;
  if (!lanes_.strip || loop.carried_count() < kFewestRows || !lanes_.varies(loop.carried(0)) ||
      hooks_.anew(lanes_.strip->lanes, "").empty())
    return replaced;
  std::vector<OpRef> loads;
  for (const OpRef op : loop.body().ops())
    if (const LoadRef load = LoadRef::from(op);
        load.valid() && !lanes_.varies(op.result()) && !registers_.contains(load.buffer()))
      loads.push_back(op);
  if (loads.size() < kFewestRows) return replaced;
  LoopAccess shown(context_, writer_.facts.of(loop.op()));
  shown.enter_around(loads[0]);
  for (const OpRef load : loads) {
    const Value buffer = LoadRef::from(load).buffer();
    const auto is_buffer = [&](const auto& other) { return other.first == buffer.id(); };
    if (std::any_of(replaced.begin(), replaced.end(), is_buffer)) continue;
    if (!std::any_of(loads.begin(), loads.end(), [&](OpRef other) {
          return LoadRef::from(other).buffer() == buffer && meet_in_sum(shown, loop, load, other);
        }))
      continue;
    replaced.emplace_back(buffer.id(), text_of(buffer));
    const SourceText name = fresh(text_of(buffer).text.str() + "_anew");
    line("const auto " + name + " = " + hooks_.anew(lanes_.strip->lanes, text_of(buffer).text) + ";");
    writer_.names[buffer.id()] = {name, 1};
  }
  return replaced;
}

// Whether one of the two reads what the other one reads in another iteration of a loop of the sum.
bool LoopHints::meet_in_sum(LoopAccess& shown, ForRef innermost, OpRef a, OpRef b) {
  const auto of_a = subscripts_of(a), of_b = subscripts_of(b);
  std::optional<std::size_t> axis;
  std::int64_t apart = 0;
  for (std::size_t d = 0; d < of_a.size(); ++d) {
    const auto difference = index_.as_constant(index_.sub(shown.over_loops(b, of_b[d]), shown.over_loops(a, of_a[d])));
    if (!difference || (*difference != 0 && axis)) return false;
    if (*difference == 0) continue;
    axis = d;
    apart = *difference;
  }
  if (!axis) return false;
  for (ForRef loop = innermost; loop.valid() && loop.carried_count() > 0 && loop.kind() == LoopKind::Serial;
       loop = ForRef::from(loop.op().parent_op())) {
    const auto step = linear_coefficient(index_, shown.over_loops(a, of_a[*axis]), shown.label_of(loop));
    const auto count =
        index_.as_constant(index_.sub(resolved(loop.op(), loop.last()), resolved(loop.op(), loop.first())));
    if (step && *step != 0 && count && apart % *step == 0 && std::abs(apart / *step) < *count) return true;
  }
  return false;
}

// How many iterations: 0 where compilers decide. A loop around others counts theirs, too, as all of them are unrolled.
std::int64_t LoopHints::taps_of(ForRef loop) {
  if (!lanes_.strip || loop.kind() != LoopKind::Serial || loop.carried_count() == 0 || !lanes_.varies(loop.carried(0)))
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
