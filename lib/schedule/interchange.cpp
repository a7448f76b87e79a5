// interchange: a loop and the only one inside of it, in the other order.
#include "schedule/loop_transforms.h"

#include <vector>

#include "analysis/loop_access.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

// What the loops carry is reduced by both, in their order: the inner one takes up each value where the outer one holds
// it, and gives it back.
bool carries_through(ForRef outer, ForRef inner) {
  if (outer.carried_count() != inner.carried_count()) return false;
  const OpRef end = outer.body().terminator();
  for (std::size_t i = 0; i < outer.carried_count(); ++i)
    if (inner.initial(i) != outer.carried(i) || end.operand(i) != inner.op().result(i) ||
        !outer.carried(i).has_one_use() || !reduction_chain(outer, i))
      return false;
  return true;
}

}  // namespace

TransformResult interchange(OpRef loop, const Facts& facts) {
  const ForRef outer = ForRef::from(loop);
  MLGC_ASSERT(outer.valid(), "interchange: no loop");
  if (auto may = expect_perfectly_nested(outer); !may) return may;
  const OpRef inner_op = outer.body().front();
  const ForRef inner = ForRef::from(inner_op);
  if (auto may = expect_no_combined_lanes(inner); !may) return may;
  if (!carries_through(outer, inner))
    return refuse<kScheduleCarriesValues>(index_name(outer.carried_count() > 0 ? outer : inner));
  for (const Value v : inner_op.operands())
    if (v == outer.index()) return refuse<kScheduleBoundsVary>(index_name(inner));
  // The iterations of one of them are independent, whatever the other one does.
  auto conflict = find_conflict(outer, facts);
  if (conflict && !find_conflict(inner, facts, loop)) conflict.reset();
  if (conflict) return refuse(outer, *conflict);

  const IndexExpr outer_first = over_values(loop, outer.first()), outer_last = over_values(loop, outer.last());
  const IndexExpr inner_first = over_values(inner_op, inner.first()), inner_last = over_values(inner_op, inner.last());
  // Bounds, attributes, index and its name change sides; the body stays where it is.
  const AttrDict outer_attrs = loop.attrs(), inner_attrs = inner_op.attrs();
  const std::string outer_name(outer.index().name()), inner_name(inner.index().name());
  const Location outer_at = loop.location(), inner_at = inner_op.location();
  const Value outer_index = outer.index(), inner_index = inner.index();
  std::vector<Use> of_outer, of_inner;
  for (const Use use : outer_index.uses()) of_outer.push_back(use);
  for (const Use use : inner_index.uses()) of_inner.push_back(use);
  for (const Use& use : of_outer) use.set(inner_index);
  for (const Use& use : of_inner) use.set(outer_index);
  loop.set_attrs(inner_attrs);
  inner_op.set_attrs(outer_attrs);
  set_loop(loop, inner_first, inner_last, initial_values(outer));
  set_loop(inner_op, outer_first, outer_last, carried_values(outer));
  loop.set_location(inner_at);
  inner_op.set_location(outer_at);
  outer_index.set_name(inner_name);
  inner_index.set_name(outer_name);
  return {};
}

}  // namespace mlgc
