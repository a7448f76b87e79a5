// See hoist.h.
#include "schedule/hoist.h"

#include <algorithm>
#include <vector>

#include "ir/assumed_size.h"
#include "ir/walk.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/cpu_limits.h"
#include "schedule/packed_value.h"
#include "schedule/step_taker.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

std::int64_t iterations(ForRef loop) { return usual_extent(loop).value_or(kAssumedSize); }

// How often the op runs in the nest.
std::int64_t runs(OpRef op, OpRef nest) {
  std::int64_t out = 1;
  for (OpRef at = op.parent_op();; at = at.parent_op()) {
    if (const ForRef loop = ForRef::from(at); loop.valid()) out = saturating_mul(out, iterations(loop));
    if (at == nest) return out;
  }
}

bool is_place(OpRef op) {
  const auto uses = op.result().uses();
  return std::any_of(uses.begin(), uses.end(), [](const Use& use) { return is_in_subscripts(use); });
}

bool is_scalar(OpRef definer, Value v) { return definer.module().context().types().kind(v.type()) == TypeKind::Scalar; }

// What computing it takes, but for what is loaded.
std::int64_t work_in(OpRef op) {
  std::int64_t out = 0;
  walk(op, [&](OpRef inner) {
    const bool computes = inner.result_count() == 1 && is_scalar(inner, inner.result()) && !inner.is(LoopOp::Load) &&
                          !inner.is(LoopOp::Literal) && !inner.is(LoopOp::Apply) && !inner.is(LoopOp::If);
    if (computes) out += work_of(inner);
  });
  return out;
}

class Search {
 public:
  explicit Search(OpRef nest) : nest_(nest) {
    walk(nest, [&](OpRef op) {
      if (op.is(LoopOp::Load))
        for (const Value v : op.operands())
          gathers_ = gathers_ || (v != LoadRef::from(op).buffer() && v.is_result() && v.definer().is_inside(nest));
      if (const ForRef loop = ForRef::from(op); loop.valid() && loop.carried_count() > 0) carries_ = true;
    });
  }

  OpRef last() {
    std::vector<OpRef> ops;
    walk(nest_, [&](OpRef op) { ops.push_back(op); });
    for (std::size_t i = ops.size(); i-- > 0;)
      if (is_worth(ops[i])) return ops[i];
    return {};
  }

 private:
  bool is_worth(OpRef op) {
    const bool computes = op.is(LoopOp::If) || (op.pure() && !op.is(LoopOp::Literal) && !op.is(LoopOp::Apply));
    if (!computes || op == nest_ || op.is(LoopOp::Load) || op.result_count() != 1 || !is_scalar(op, op.result()))
      return false;
    if (!ForRef::from(op.parent_op()).valid() || op.result().dtype() == Dtype::I1) return false;
    PackedValue value(op, nest_);
    if (!value.check()) return false;
    std::int64_t elements = 1, work = 0;
    for (const ForRef& loop : value.loops()) elements = saturating_mul(elements, iterations(loop));
    if (elements < 1 || runs(op, nest_) / elements < kFewestRepeats) return false;
    if (saturating_mul(elements, static_cast<std::int64_t>(dtype_info(op.result().dtype()).bytes)) > kMostHoisted)
      return false;
    for (const OpRef part : value.slice()) work += work_in(part);
    if (gathers_) return work >= (is_place(op) ? 1 : kWorthOfGather);
    return !carries_ && work >= kWorthHoisting;
  }

  OpRef nest_;
  bool gathers_ = false, carries_ = false;
};

}  // namespace

bool is_gathered(OpRef load, const std::unordered_set<ValueId>& varying) {
  for (const Value v : load.operands()) {
    if (v == LoadRef::from(load).buffer() || !varying.contains(v.id())) continue;
    if (!ForRef::from(v.scope().parent_op()).valid() || v.is_result()) return true;
  }
  return false;
}

OpRef value_to_hoist(OpRef nest) { return Search(nest).last(); }

}  // namespace mlgc::schedule
