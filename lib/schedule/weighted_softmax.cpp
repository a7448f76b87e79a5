// See weighted_softmax.h.
#include "schedule/weighted_softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/in_place.h"
#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {
namespace {

bool is_number(Value v, double number) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.real() == number;
}
// What casts between f32 and f64 were made of.
Value before_casts(Value v) {
  while (v.is_result() && v.definer().is(GraphOp::Cast) && is_float(v.definer().operand(0).dtype()) &&
         dtype_info(v.definer().operand(0).dtype()).bytes >= 4)
    v = v.definer().operand(0);
  return v;
}

}  // namespace

TransformResult WeightedSoftmax::find() {
  if (auto may = expect_plain(rows_); !may) return may;
  if (auto may = expect_no_carried(rows_); !may) return may;
  if (ProgramEnds().may_end(rows_.op()))
    return refuse<kScheduleMayAbort>("the loop over `%" + std::string(index_name(rows_)) + "`");
  if (!(outline() && scores() && exponentials() && quotients() && sums()))
    return refuse<kScheduleNotApplicable>(index_name(rows_), "become an online softmax: " + wrong_);
  return {};
}

bool WeightedSoftmax::outline() {
  const std::vector<OpRef> loops = loops_in(rows_.op().region(0));
  if (loops.size() != 4) return no("it has not four loops");
  for (const OpRef op : loops)
    if (op.parent() != rows_.body()) return no("a loop stands in a branch");
  scores_ = ForRef::from(loops[0]), exponentials_ = ForRef::from(loops[1]);
  quotients_ = ForRef::from(loops[2]), sums_ = ForRef::from(loops[3]);
  for (const OpRef op : rows_.body().ops())
    if (op.is(LoopOp::Alloc))
      allocs_.push_back(op);
    else if (!ForRef::from(op).valid() && (op.region_count() > 0 || !only_computes(op)))
      return no("`" + std::string(op.name()) + "` stands beside its loops");
  if (allocs_.size() != 3) return no("it has not three buffers of its own");
  return true;
}

// The element of scratch of the row that the op loads or stores along the loop; the other subscripts are 0.
std::optional<Value> WeightedSoftmax::scratch_along(OpRef op, ForRef loop) const {
  const AccessRef access = AccessRef::from(op);
  if (!access.valid() || access.checked()) return std::nullopt;
  const Value buffer = access.buffer();
  if (std::none_of(allocs_.begin(), allocs_.end(), [&](OpRef alloc) { return alloc.result() == buffer; }))
    return std::nullopt;
  const auto at = subscripts_over_values(op);
  if (at.empty() || at.back() != of_value(loop.index())) return std::nullopt;
  for (std::size_t d = 0; d + 1 < at.size(); ++d)
    if (pool().as_constant(at[d]) != 0) return std::nullopt;
  return buffer;
}

bool WeightedSoftmax::has_scratch(OpRef op) const {
  const AccessRef access = AccessRef::from(op);
  return access.valid() && module_.context().types().scope(access.buffer().type()) == Scope::Thread;
}

bool WeightedSoftmax::same_range(ForRef a, ForRef b) const {
  return over_values(a.op(), a.first()) == over_values(b.op(), b.first()) &&
         over_values(a.op(), a.last()) == over_values(b.op(), b.last());
}

bool WeightedSoftmax::scores() {
  if (scores_.kind() != LoopKind::Serial || scores_.carried_count() != 1 || !is_number(scores_.initial(0), -HUGE_VAL))
    return no("its first loop carries no maximum");
  if (pool().as_constant(scores_.first()) != 0) return no("its scores do not start at 0");
  for (const Value v : scores_.op().operands())
    if (v.scope() == rows_.body() && v != scores_.initial(0)) return no("the number of scores varies");
  const std::vector<OpRef> inner = loops_in(scores_.op().region(0));
  if (inner.size() != 1 || inner[0].parent() != scores_.body() || !is_sum_of_products(ForRef::from(inner[0])))
    return no("a score is not that of one product");
  for (const OpRef op : scores_.body().ops()) {
    if (op == inner[0] || op == scores_.body().terminator()) continue;
    if (op.is(LoopOp::Store)) {
      const auto buffer = scratch_along(op, scores_);
      if (!buffer || score_.valid()) return no("a score is not one number of the row");
      score_ = StoreRef::from(op).value(), score_buffer_ = *buffer;
    } else if (op.region_count() > 0 || !only_computes(op) || has_scratch(op)) {
      return no("`" + std::string(op.name()) + "` stands beside a score");
    }
  }
  const Value next = scores_.body().terminator().operand(0);
  if (!score_.valid() || !computes(next, ScalarFn::Max)) return no("its first loop carries no maximum of the scores");
  const OpRef step = next.definer();
  const Value carried = scores_.carried(0);
  if (!((step.operand(0) == score_ && step.operand(1) == carried) ||
        (step.operand(1) == score_ && step.operand(0) == carried)) ||
      !carried.has_one_use() || score_.dtype() != Dtype::F32)
    return no("its first loop carries no maximum of the scores");
  return true;
}

// The maximum, or 0 where it is -inf.
bool WeightedSoftmax::is_shift(Value v) const {
  const Value maximum = scores_.op().result(0);
  if (v == maximum) return true;
  if (!v.is_result() || v.definer().opcode() != scalars_.choice()) return false;
  const OpRef choice = v.definer();
  if (!computes(choice.operand(0), ScalarFn::Eq)) return false;
  const OpRef test = choice.operand(0).definer();
  return is_number(choice.operand(1), 0) && choice.operand(2) == maximum && test.operand(0) == maximum &&
         is_number(test.operand(1), -HUGE_VAL);
}

bool WeightedSoftmax::exponentials() {
  const ForRef loop = exponentials_;
  if (!same_range(loop, scores_) || loop.carried_count() != 1 || !is_number(loop.initial(0), 0))
    return no("its second loop carries no sum over the scores");
  Value stored, loaded;
  for (const OpRef op : loop.body().ops()) {
    if (op.region_count() > 0) return no("its second loop does more than add exponentials");
    if (!AccessRef::from(op).valid()) continue;
    const auto buffer = scratch_along(op, loop);
    if (!buffer) return no("its second loop reads more than the scores");
    if (op.is(LoopOp::Load)) {
      if (loaded.valid() || *buffer != score_buffer_) return no("its second loop reads more than the scores");
      loaded = op.result();
    } else {
      if (stored.valid() || *buffer == score_buffer_) return no("its second loop stores more than exponentials");
      stored = StoreRef::from(op).value(), exponential_buffer_ = *buffer;
    }
  }
  if (!loaded.valid() || !stored.valid() || !computes(stored, ScalarFn::Exp)) return no("it has no exponentials");
  const Value difference = stored.definer().operand(0);
  if (!computes(difference, ScalarFn::Sub) || difference.definer().operand(0) != loaded ||
      !is_shift(difference.definer().operand(1)))
    return no("its exponentials are not relative to the maximum");
  const Value next = loop.body().terminator().operand(0);
  if (!computes(next, ScalarFn::Add)) return no("its second loop carries no sum");
  const std::size_t added = next.definer().operand(0) == loop.carried(0) ? 1 : 0;
  if (next.definer().operand(1 - added) != loop.carried(0) || before_casts(next.definer().operand(added)) != stored)
    return no("its second loop does not add the exponentials");
  return true;
}

bool WeightedSoftmax::is_total(Value v) { return before_casts(v) == exponentials_.op().result(0); }

bool WeightedSoftmax::quotients() {
  const ForRef loop = quotients_;
  if (!same_range(loop, scores_) || loop.carried_count() > 0) return no("its third loop is not over the scores");
  Value stored, loaded;
  for (const OpRef op : loop.body().ops()) {
    if (op.region_count() > 0) return no("its third loop does more than divide");
    if (!AccessRef::from(op).valid()) continue;
    const auto buffer = scratch_along(op, loop);
    if (!buffer) return no("its third loop reads more than the exponentials");
    if (op.is(LoopOp::Load)) {
      if (loaded.valid() || *buffer != exponential_buffer_) return no("its third loop reads more than exponentials");
      loaded = op.result();
    } else {
      if (stored.valid() || *buffer == exponential_buffer_ || *buffer == score_buffer_)
        return no("its third loop stores more than quotients");
      stored = StoreRef::from(op).value(), quotient_buffer_ = *buffer;
    }
  }
  if (!loaded.valid() || !stored.valid() || !computes(stored, ScalarFn::Div) || stored.definer().operand(0) != loaded)
    return no("its third loop does not divide the exponentials");
  const Value by = stored.definer().operand(1);
  if (is_total(by)) return true;
  if (!by.is_result() || by.definer().opcode() != scalars_.choice()) return no("it divides by another number");
  const OpRef choice = by.definer();
  if (!computes(choice.operand(0), ScalarFn::Eq) || !is_number(choice.operand(1), 1) || !is_total(choice.operand(2)))
    return no("it divides by another number");
  const OpRef test = choice.operand(0).definer();
  if (!is_total(test.operand(0)) || !is_number(test.operand(1), 0)) return no("it divides by another number");
  zero_becomes_one_ = true;
  return true;
}

bool WeightedSoftmax::sums() {
  const std::vector<OpRef> inner = loops_in(sums_.op().region(0));
  if (sums_.carried_count() > 0 || sums_.kind() == LoopKind::Vector || inner.size() != 1 ||
      inner[0].parent() != sums_.body())
    return no("its last loop is not one sum a column");
  sum_ = ForRef::from(inner[0]);
  const auto width = pool().as_constant(pool().sub(sums_.last(), sums_.first()));
  if (!width || *width < 1 || pool().as_constant(sums_.first()) != 0)
    return no("its last loop has no constant number of columns");
  width_ = *width;
  if (!same_range(sum_, scores_) || !is_sum_of_products(sum_)) return no("its last sum is not over the scores");
  for (const OpRef op : sum_.body().ops()) {
    if (!op.is(LoopOp::Load)) continue;
    const auto buffer = scratch_along(op, sum_);
    if (buffer && *buffer == quotient_buffer_ && !probability_.valid())
      probability_ = op;
    else if (!buffer && !has_scratch(op) && !value_.valid())
      value_ = op;
    else
      return no("its last sum is not of a quotient and a value");
  }
  if (!probability_.valid() || !value_.valid()) return no("its last sum is not of a quotient and a value");
  for (const Value v : value_.operands())
    if (v.scope() == sum_.body() && v != sum_.index()) return no("the place of a value is computed");
  for (const OpRef alloc : allocs_)
    if (alloc.result() != score_buffer_ && alloc.result() != exponential_buffer_ && alloc.result() != quotient_buffer_)
      return no("it has other scratch");
  return only_used_here();
}

// The sum as an f32; what else uses what the loops give goes with them.
bool WeightedSoftmax::only_used_here() {
  result_ = sum_.op().result(0);
  if (result_.dtype() == Dtype::F64) {
    if (!result_.has_one_use() || !(*result_.users().begin()).is(GraphOp::Cast))
      return no("its last sum is not rounded to f32");
    result_ = (*result_.users().begin()).result();
  }
  if (result_.dtype() != Dtype::F32) return no("its last sum is not rounded to f32");
  for (const Value v : {scores_.op().result(0), exponentials_.op().result(0)})
    for (const OpRef user : v.users()) {
      OpRef at = user;
      while (at.parent() != rows_.body()) at = at.parent_op();
      const bool goes = at == exponentials_.op() || at == quotients_.op();
      if (!goes && !(only_computes(at) && at.region_count() == 0)) return no("other loops read its maximum or sum");
      if (!goes) between_.push_back(at);
    }
  for (const OpRef op : between_)
    for (const Value v : op.results())
      for (const OpRef user : v.users())
        if (!user.is_inside(exponentials_.op()) && !user.is_inside(quotients_.op()))
          return no("other ops read its maximum or sum");
  return true;
}

Value WeightedSoftmax::scratch(Builder& builder, Dtype dtype, std::int64_t elements, std::string_view name) {
  const Type type = module_.context().types().buffer(dtype, std::array{pool().constant(elements)}, Scope::Thread);
  const Value made = builder.create(LoopOp::Alloc, {}, {type}).result();
  made.set_name(std::string(name));
  return made;
}

Value WeightedSoftmax::real(Builder& builder, double number) {
  return LiteralRef::create(builder, Dtype::F32, number, 0).op().result();
}

Value WeightedSoftmax::apply(Builder& builder, ScalarFn fn, std::initializer_list<Value> operands) {
  const Dtype dtype = fn == ScalarFn::Eq ? Dtype::I1 : Dtype::F32;
  const Type types[] = {module_.context().types().scalar(dtype)};
  return builder.create(scalars_.find(fn), std::vector<Value>(operands), {}, types).result();
}

Value WeightedSoftmax::choose(Builder& builder, Value condition, Value yes, Value otherwise) {
  const Value operands[] = {condition, yes, otherwise};
  return builder.create(scalars_.choice(), operands, {}, std::array{yes.type()}).result();
}

Value WeightedSoftmax::cast(Builder& builder, Value v, Dtype dtype) {
  Context& context = module_.context();
  return builder
      .create(GraphOp::Cast, {v}, {context.types().scalar(dtype)},
              builder.attrs({{"dtype", context.attributes().dtype(dtype)}}))
      .result();
}

void WeightedSoftmax::yield(Builder& builder, const std::vector<Value>& values) {
  builder.create(module_.context().opcode(LoopOp::Yield), values, {}, {});
}

// At the insertion point, with the range of another loop.
ForRef WeightedSoftmax::loop(Builder& builder, ForRef of, std::string_view suffix, const std::vector<Value>& initial) {
  return ForRef::from(new_loop(builder, over_values(of.op(), of.first()), over_values(of.op(), of.last()),
                               fresh_name(of.op(), std::string(index_name(of)) + std::string(suffix)), initial));
}

void WeightedSoftmax::replace(Value result) {
  result_.replace_all_uses_with(result);
  if (result_.definer() != sum_.op()) result_.definer().erase();
  const OpRef start = sum_.initial(0).definer();
  sum_.op().erase();
  if (start.results_unused()) start.erase();
  quotients_.op().erase();
  // Each once nothing reads it any more.
  std::vector<OpRef> old{exponentials_.op(), scores_.op(), exponentials_.initial(0).definer(),
                         scores_.initial(0).definer()};
  old.insert(old.end(), between_.begin(), between_.end());
  for (bool again = true; std::exchange(again, false);)
    for (const OpRef op : old)
      if (!op.erased() && op.results_unused()) {
        op.erase();
        again = true;
      }
  for (OpRef alloc : allocs_) alloc.erase();
}

}  // namespace mlgc::schedule
