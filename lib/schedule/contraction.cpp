// See contraction.h.
#include "schedule/contraction.h"

#include <algorithm>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/along_loop.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/wide_sum.h"
#include "support/saturating.h"

namespace mlgc::schedule {

std::vector<OpRef> loads_in(OpRef loop) {
  std::vector<OpRef> out;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Load)) out.push_back(op);
  });
  return out;
}
bool varies(const std::unordered_set<ValueId>& varying, OpRef op) {
  const auto operands = op.operands();
  return std::any_of(operands.begin(), operands.end(), [&](Value v) { return varying.contains(v.id()); });
}
Value before_widening(Value v) {
  while (v.is_result() && v.definer().is(GraphOp::Cast) &&
         dtype_info(v.definer().operand(0).dtype()).bytes < dtype_info(v.dtype()).bytes)
    v = v.definer().operand(0);
  return v;
}
namespace {
// Each iteration of the loop reads another element, or one of scratch of its own.
bool differs(OpRef load, OpRef loop, const std::unordered_set<ValueId>& varying) {
  const Value memory = underlying_buffer(LoadRef::from(load).buffer());
  return varies(varying, load) || (memory.is_result() && memory.definer().is_inside(loop));
}
}  // namespace

bool shares(OpRef loop, OpRef other, OpRef sum) {
  const auto along = varying_values(ForRef::from(loop)), across = varying_values(ForRef::from(other));
  const std::vector<OpRef> loads = loads_in(sum);
  return std::any_of(loads.begin(), loads.end(),
                     [&](OpRef load) { return varies(across, load) && !differs(load, loop, along); });
}
bool shares_factors(OpRef sum) {
  const std::vector<OpRef> around = loops_around(sum), loads = loads_in(sum);
  return std::any_of(around.begin(), around.end(), [&](OpRef loop) {
    const auto along = varying_values(ForRef::from(loop));
    return std::any_of(loads.begin(), loads.end(), [&](OpRef load) { return !differs(load, loop, along); });
  });
}

std::vector<OpRef> sums_in(OpRef nest) {
  std::vector<OpRef> out;
  for (const OpRef loop : loops_in(nest.region(0))) {
    const ForRef of = ForRef::from(loop);
    if (of.carried_count() == 1 && is_sum_of_products(of)) {
      out.push_back(loop);
      continue;
    }
    const std::vector<OpRef> inner = sums_in(loop);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}
std::vector<OpRef> loops_around(OpRef op) {
  std::vector<OpRef> out;
  for (OpRef at = op.parent_op(); at.valid(); at = at.parent_op())
    if (ForRef::from(at).valid()) out.push_back(at);
  return out;
}

OpRef only_loop_in(OpRef loop) {
  const OpRef inner = loop.region(0).front();
  const OpRef next = ForRef::from(inner).valid() ? inner.next() : OpRef();
  return !ForRef::from(inner).valid() || (next.valid() && !next.is(LoopOp::Yield)) ? OpRef() : inner;
}

bool is_nest(OpRef rows, OpRef columns) {
  OpRef at = rows;
  while (at.valid() && at != columns) at = only_loop_in(at);
  return at.valid();
}
bool leaves_threads(OpRef rows, OpRef columns) {
  if (ForRef::from(rows).kind() != LoopKind::Parallel) return true;
  std::vector<OpRef> outside = loops_around(rows);
  if (is_nest(rows, columns))
    for (OpRef at = columns.parent_op(); at != rows; at = at.parent_op()) outside.push_back(at);
  return std::any_of(outside.begin(), outside.end(), [](OpRef loop) {
    return ForRef::from(loop).kind() == LoopKind::Parallel &&
           extent(loop).value_or(kEnoughForThreads) >= kEnoughForThreads;
  });
}

std::int64_t elements_along(OpRef load, const std::vector<OpRef>& loops) {
  std::int64_t out = 1;
  for (const OpRef loop : loops)
    if (varies(varying_values(ForRef::from(loop)), load)) out = saturating_mul(out, extent(loop).value_or(0));
  return out;
}

std::vector<OpRef> loops_of(OpRef loop) {
  std::vector<OpRef> out;
  walk(loop, [&](OpRef op) {
    if (ForRef::from(op).valid()) out.push_back(op);
  });
  return out;
}

namespace {

// The op, and those in the sum that it takes.
void add_taken(OpRef op, OpRef sum, std::vector<OpRef>& taken) {
  if (!op.is_inside(sum) || std::find(taken.begin(), taken.end(), op) != taken.end()) return;
  taken.push_back(op);
  for (const Value v : op.operands())
    if (v.is_result()) add_taken(v.definer(), sum, taken);
}

bool narrows(OpRef op) {
  return op.is(GraphOp::Cast) && dtype_info(op.operand(0).dtype()).bytes > dtype_info(op.result().dtype()).bytes;
}

// Factors that are computed of what differs along the columns and is the same for all rows.
std::vector<OpRef> computed_factors(OpRef sum, const std::unordered_set<ValueId>& across,
                                    const std::unordered_set<ValueId>& along) {
  std::vector<OpRef> out;
  walk(sum, [&](OpRef op) {
    if (!varies(across, op) || !varies(along, op)) return;
    for (Value factor : op.operands()) {
      factor = before_widening(factor);
      const OpRef from = factor.is_result() ? factor.definer() : OpRef();
      if (from.valid() && from.is_inside(sum) && from.pure() && varies(across, from) && !varies(along, from) &&
          std::find(out.begin(), out.end(), from) == out.end())
        out.push_back(from);
    }
  });
  return out;
}

}  // namespace

std::vector<OpRef> values_to_pack(OpRef sum, OpRef columns, OpRef rows, std::optional<std::int64_t> known) {
  const auto across = varying_values(ForRef::from(columns)), along = varying_values(ForRef::from(rows));
  const bool apart = AlongLoop{ForRef::from(columns)}.inner_loads.apart() > 0;
  std::vector<OpRef> out;
  const std::int64_t count = known.value_or(kFewestPackedRows);
  if (count < kFewestPackedRows) return out;
  std::vector<OpRef> loops = loops_of(sum);
  loops.push_back(columns);
  for (const OpRef load : loads_in(sum)) {
    const auto element_bytes = static_cast<std::int64_t>(dtype_info(load.result().dtype()).bytes);
    const std::int64_t bytes = saturating_mul(elements_along(load, loops), element_bytes);
    const bool far = count >= kFewestOfFar && bytes > kNearBytes;
    if (!varies(across, load) || !(apart || far || load.parent_op().is(LoopOp::If))) continue;
    if (varies(along, load)) return {};
    out.push_back(load);
  }
  if (count < kFewestRowsOfComputed) return out;
  for (const OpRef factor : computed_factors(sum, across, along)) {
    std::vector<OpRef> taken;
    add_taken(factor, sum, taken);
    std::int64_t work = 0;
    for (const OpRef op : taken) work += op.is(LoopOp::Load) ? 0 : narrows(op) ? kWorkOfRounding : work_of(op);
    if (saturating_mul(work, count) < kLeastComputed) continue;
    std::erase_if(out, [&](OpRef load) { return std::find(taken.begin(), taken.end(), load) != taken.end(); });
    out.push_back(factor);
  }
  return out;
}

bool goes_along(OpRef sum) {
  if (!loops_in(sum.region(0)).empty() || extent(sum).value_or(kDotProductLanes) < kDotProductLanes) return false;
  const AlongLoop along{ForRef::from(sum)};
  return along.loads.next > 0 && along.loads.apart() == 0;
}

bool pays_along(OpRef sum, OpRef columns) {
  return extent(sum).value_or(kDotProductLongTerms) >= kDotProductLongTerms &&
         AlongLoop{ForRef::from(columns)}.work < kDotProductBusyResult;
}

std::int64_t carried_bytes(OpRef sum) {
  const ForRef of = ForRef::from(sum);
  return static_cast<std::int64_t>(dtype_info(of.carried(0).dtype()).bytes);
}

std::int64_t terms_of_tile(OpRef sum) {
  std::vector<OpRef> loops = loops_of(sum);
  const std::vector<OpRef> around = loops_around(sum);
  std::int64_t terms = 1, results = 1, read = 0;
  for (const OpRef loop : loops) terms = saturating_mul(terms, extent(loop).value_or(0));
  for (const OpRef loop : around) results = saturating_mul(results, extent(loop).value_or(0));
  if (terms < kLongContraction || results == 0) return 0;
  std::vector<std::int64_t> loaded;
  loops.insert(loops.end(), around.begin(), around.end());
  for (const OpRef load : loads_in(sum)) {
    loaded.push_back(elements_along(load, loops));
    read = saturating_add(read, loaded.back());
  }
  for (const std::int64_t elements : loaded)
    if (saturating_mul(terms, results) < saturating_mul(kFewestShares, elements)) return 0;
  const std::int64_t count = *extent(sum), inner = terms / count;
  const std::int64_t most = read / saturating_mul(kLeastReads, results);
  if (most < 2) return 0;
  const std::int64_t size = std::max(ceil_div(kTileTerms, inner), ceil_div(count, most));
  return size < count ? size : 0;
}

void pad_columns(Scheduler& scheduler, OpRef sum, OpRef columns) {
  const auto across = varying_values(ForRef::from(columns));
  for (const OpRef load : loads_in(sum))
    if (load.parent_op().is(LoopOp::If) && varies(across, load))
      (void)scheduler.take("pad-load", load, NumericsClass::Exact, scheduler.counts().staged,
                           [&] { return pad_load(load, loops_around(sum).back(), scheduler.facts()); });
}

void narrow_product_blocks(Scheduler& scheduler, OpRef sum) {
  // Blocks are iterations of the outermost loop that has less than a block's terms in each.
  OpRef loop = sum;
  while (!loops_in(loop.region(0)).empty()) loop = loops_in(loop.region(0)).front();
  std::int64_t inner = 1;
  for (; loop != sum && extent(loop); loop = loop.parent_op()) {
    const std::int64_t terms = saturating_mul(inner, *extent(loop));
    if (terms >= kFewestOfTerms) break;
    inner = terms;
  }
  const auto count = usual_extent(ForRef::from(loop));  // the last tile of a sum in tiles has fewer
  const std::int64_t iterations = count.value_or(INT64_MAX), terms = saturating_mul(iterations, inner);
  if (loop == sum && terms <= kMostTerms) return scheduler.narrow_sums(sum);
  if (!scheduler.may_reassociate()) return;
  const std::int64_t most = std::max<std::int64_t>(1, kTermsOfBlock / std::max<std::int64_t>(1, inner));
  const std::int64_t size = count ? ceil_div(iterations, ceil_div(iterations, most)) : most;
  std::int64_t all = count ? ceil_div(iterations, size) : INT64_MAX;
  for (OpRef around = loop; around != sum;) {
    around = around.parent_op();
    all = saturating_mul(all, usual_extent(ForRef::from(around)).value_or(INT64_MAX));
  }
  if (!scheduler.take("narrow", loop, NumericsClass::Reassociate, scheduler.counts().narrowed,
                      [&] { return narrow_blocks(loop, size, scheduler.facts()); }))
    return;
  if (all > kFewBlocks) return;
  OpRef outermost = sum;
  while (ForRef::from(outermost.parent_op()).valid() && ForRef::from(outermost.parent_op()).carried_count() > 0)
    outermost = outermost.parent_op();
  scheduler.narrow_sums(outermost);
}

bool share_blocks(Scheduler& scheduler, OpRef rows, std::int64_t fewest) {
  const std::int64_t count = extent(rows).value_or(0);
  for (std::int64_t blocks = kEnoughForThreads; blocks <= std::min(count / fewest, kMostBlocks); ++blocks)
    if (count % blocks == 0) return scheduler.tile_by(rows, count / blocks);
  return false;
}

void give_packing_lanes(Scheduler& scheduler, OpRef loop) {
  OpRef across;
  for (OpRef inner = only_loop_in(loop); inner.valid(); inner = only_loop_in(inner)) {
    across = loop;
    loop = inner;
  }
  if (across.valid() && is_transposition(across, loop, kSmallSquare) &&
      scheduler.transpose({across, loop}, scheduler.square_of({across, loop}), 1))
    return;
  const AlongLoop along{ForRef::from(loop)};
  // Every second element comes from two vectors.
  if (along.loads.scattered == 0 && (along.loads.strided == 0 || along.widest_stride <= kMostPackedStride)) return;
  scheduler.leave_serial(loop, "lanes would read one by one what it packs");
  scheduler.keep(loop);
}

OpRef sink(Scheduler& scheduler, OpRef rows, OpRef columns) {
  std::vector<OpRef> between;
  for (OpRef at = columns.parent_op(); at != rows; at = at.parent_op()) between.push_back(at);
  for (std::size_t i = 0; i < between.size(); ++i) {
    const OpRef inner = only_loop_in(rows);
    // The ops say by which rule the loops are interchanged.
    if (!inner.valid() || !scheduler.interchange_with_inner(rows)) break;
    rows = inner;
  }
  return rows;
}

std::int64_t sum_bytes(const Scheduler& scheduler, OpRef sum) {
  const bool narrows = wide_reduction(ForRef::from(sum), 0) && scheduler.may_reassociate();
  return narrows ? 4 : carried_bytes(sum);
}

std::int64_t strip_lanes_of(const SumRegisters& registers, std::optional<std::int64_t> columns, std::int64_t bytes) {
  const std::int64_t widest = registers.strip_bytes() / bytes, vector = registers.vector_bytes / bytes;
  if (!columns) return widest;
  const std::int64_t rest = registers.many() ? 1 : 2;  // what a last strip that is not full counts as
  std::int64_t best = kFewestLanes, least = 0;
  for (std::int64_t lanes = kFewestLanes; lanes <= widest; lanes *= 2) {
    const std::int64_t strips = saturating_add(*columns / lanes, *columns % lanes == 0 ? 0 : rest);
    // A strip costs what its vectors do, and something by itself: the factors that its rows share.
    const std::int64_t cost = saturating_mul(strips, std::max(lanes, vector) + widest / 8);
    if (least == 0 || cost < least) {
      least = cost;
      best = lanes;
    }
  }
  return best;
}

std::int64_t rows_in_registers(const SumRegisters& registers, std::int64_t lanes, std::int64_t bytes) {
  return std::min(kMostTileRows, registers.sum_bytes() / std::max(registers.vector_bytes, lanes * bytes));
}

}  // namespace mlgc::schedule
