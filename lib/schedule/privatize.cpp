// privatize: an inner loop that takes a reduction further starts from the neutral element, and the outer loop combines
// what it gives (privatisation of a reduction).
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

TransformResult privatize(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "privatize: no loop");
  if (auto may = expect_serial(of); !may) return may;
  if (of.carried_count() == 0) return refuse<kScheduleNotApplicable>(index_name(of), "carry a reduction");
  const OpRef inside = only_loop_in(loop);
  if (!inside.valid() || ForRef::from(inside).carried_count() != of.carried_count())
    return refuse<kScheduleNotPerfectlyNested>(index_name(of));
  const ForRef inner = ForRef::from(inside);
  const OpRef yield = of.body().terminator();
  std::vector<ReductionChain> chains;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    if (inner.initial(i) != of.carried(i) || yield.operand(i) != inside.result(i))
      return refuse<kScheduleNotPerfectlyNested>(index_name(of));
    auto chain = reduction_chain(of, i);
    if (!chain) return refuse(chain.error());
    chains.push_back(std::move(*chain));
  }
  Builder builder(loop.module());
  builder.set_location(loop.location());
  builder.set_before(inside);
  std::vector<Value> neutral;
  for (std::size_t i = 0; i < chains.size(); ++i)
    neutral.push_back(neutral_literal(builder, chains[i].fn, of.carried(i).dtype()));
  set_loop(inside, over_values(inside, inner.first()), over_values(inside, inner.last()), neutral);
  builder.set_before(yield);
  for (std::size_t i = 0; i < chains.size(); ++i)
    yield.set_operand(i, step_like(builder, chains[i].loops.back(), chains[i].numbers.back(), chains[i].step,
                                   of.carried(i), inside.result(i)));
  return {};
}

}  // namespace mlgc
