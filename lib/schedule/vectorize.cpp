// vectorize: iterations run in vectors of lanes; carried values are combined.
#include "schedule/loop_transforms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

TransformResult vectorize(OpRef loop, std::int64_t lanes, const Facts& facts, std::int64_t per_lane,
                          std::optional<IndexExpr> skew) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "vectorize: no loop");
  if (lanes < 2 || lanes > kMostLanes || !std::has_single_bit(static_cast<std::uint64_t>(lanes)))
    return refuse<kScheduleParameter>("the number of lanes", lanes,
                                      "a power of two from 2 to " + std::to_string(kMostLanes));
  if (per_lane < 1 || per_lane > kMostPerLane || !std::has_single_bit(static_cast<std::uint64_t>(per_lane)))
    return refuse<kScheduleParameter>("the iterations of a lane at a time", per_lane,
                                      "a power of two from 1 to " + std::to_string(kMostPerLane));
  MLGC_ASSERT(!skew || is_skew(loop.module().context().index(), *skew, per_lane), "vectorize: no skew");
  if (of.kind() == LoopKind::Vector)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "loops without lanes");
  Context& context = loop.module().context();
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto step = carried_step(of, i);
    if (!step) return refuse<kScheduleNotAReduction>(i, index_name(of), step.error());
    words.push_back(combine_word(step->fn));
  }
  TransformResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) == LoopRole::Runs || op.is(LoopOp::While))
      may = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "run in lanes");
    if (loop_role(op) == LoopRole::Allocates && context.types().scope(op.result().type()) != Scope::Register)
      may = refuse<kScheduleLaneMemory>(index_name(of));
  });
  if (!may) return may;
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  ForRef::from(loop).set_kind(LoopKind::Vector);
  of.set_lanes(lanes);
  of.set_per_lane(per_lane);
  if (!words.empty()) of.set_combine(words);
  if (skew) {
    std::vector<Value> operands;
    const std::array all{over_values(loop, of.first()), over_values(loop, of.last()), *skew};
    const Attribute bounds = brackets(loop.module(), operands, all);
    of.set_bounds(std::move(operands), bounds, initial_values(of));
  }
  return {};
}

NumericsClass vectorizing_changes(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  NumericsClass widest = NumericsClass::Exact;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto chain = reduction_chain(of, i);
    if (!chain || !is_float(of.carried(i).dtype())) continue;
    const bool rounds = chain->fn == ScalarFn::Add || chain->fn == ScalarFn::Mul;
    widest = std::max(widest, rounds ? NumericsClass::Reassociate : NumericsClass::SignedZero);
  }
  return widest;
}

}  // namespace mlgc
