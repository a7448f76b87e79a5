// pad-load: what a load under guards reads is copied first, with what it gives outside of the buffer around it; what is
// read of another dtype is cast once.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines: a copy of more elements, 1 MiB of f32, is no more than so many times the buffer. A
// border doubles each of four axes at the most, as long as it is no wider than what it surrounds.
constexpr std::int64_t kMostElements = std::int64_t{1} << 18, kMostGrowth = 16;
// Likewise: planes of a multiple of 1 KiB of f32 begin in four of the 64 sets of a first cache whose ways are 4 KiB, as
// they are on each built-in CPU. An element more for each row costs little anywhere.
constexpr std::int64_t kSetElements = 256;

class PadLoad {
 public:
  PadLoad(OpRef load, OpRef nest)
      : module_(load.module()), pool_(load.module().context().index()), load_(load), nest_(nest) {}

  TransformResult check(const Facts& facts) {
    if (LoadRef::from(load_).checked()) return refuse<kScheduleMayAbort>("`load`");
    value_ = load_;
    if (load_.result().has_one_use() && load_.result().users()[0].is(GraphOp::Cast)) value_ = load_.result().users()[0];
    const OpRef around = load_.parent_op();
    if (around.is(LoopOp::If) && around != nest_ && around.is_inside(nest_)) choice_ = around;
    if (!choice_.valid() && value_ == load_) return refuse<kScheduleNothingToDo>("pad", "the load is under no guard");
    if (choice_.valid())
      if (auto may = find_guard(); !may) return may;
    const std::string_view nest = index_name(ForRef::from(nest_));
    for (OpRef outer = nest_.parent_op(); outer.valid(); outer = outer.parent_op())
      if (ForRef::from(outer).valid()) return refuse<kScheduleOuterLoops>(nest, "another loop", "none around it");
    const Value buffer = underlying_buffer(LoadRef::from(load_).buffer());
    if (!buffer.is_argument()) return refuse<kScheduleBuffer>(buffer.name(), "it is not an argument");
    if (LoadRef::from(load_).buffer().is_result() && LoadRef::from(load_).buffer().definer().is_inside(nest_))
      return refuse<kScheduleBuffer>(buffer.name(), "a view of it is made in the loop");
    bool written = false;
    walk(nest_, [&](OpRef op) { for_each_written(op, [&](Value v) { written = written || v == buffer; }); });
    if (written) return refuse<kScheduleBufferWritten>(buffer.name(), nest);
    for (OpRef at = (choice_.valid() ? choice_ : load_).parent_op(); at != nest_.parent_op(); at = at.parent_op()) {
      if (!ForRef::from(at).valid()) return branch("it stands in another branch");
      loops_.push_back(at);
    }
    return find_axes(facts);
  }

  void run() {
    Builder builder(module_);
    builder.set_before(nest_);
    builder.set_location(load_.location());
    const Value buffer = LoadRef::from(load_).buffer();
    std::vector<IndexExpr> sizes;
    for (const Axis& axis : axes_)
      if (axis.moves) sizes.push_back(axis.size);
    // Of a power of two all planes would begin in the same set of a cache.
    std::int64_t plane = 1;
    for (std::size_t i = 1; i < sizes.size(); ++i)
      plane = saturating_mul(plane, pool_.as_constant(sizes[i]).value_or(1));
    if (plane % kSetElements == 0) sizes.back() = pool_.add(sizes.back(), pool_.constant(1));
    const OpRef whole = choice_.valid() ? choice_ : value_;
    const Type type = module_.context().types().buffer(whole.result().dtype(), sizes, Scope::Arena);
    const Value padded = builder.create(LoopOp::Alloc, {}, {type}).result();
    padded.set_name(choice_.valid() ? "padded" : "widened");
    std::vector<OpRef> made;
    std::vector<IndexExpr> at, to;
    for (const Axis& axis : axes_) {
      if (!axis.moves) {
        at.push_back(axis.at);
        continue;
      }
      const std::string name = fresh_name(nest_, "pad" + std::to_string(made.size()));
      made.push_back(new_loop(builder, pool_.constant(0), axis.size, name, {}));
      if (made.size() == 1) ForRef::from(made[0]).set_kind(LoopKind::Parallel);
      const IndexExpr index = of_value(ForRef::from(made.back()).index());
      to.push_back(index);
      at.push_back(pool_.add(axis.least, index));
      builder.set_end(made.back().region(0));
    }
    const Opcode yield = module_.context().opcode(LoopOp::Yield);
    const auto element = [&] {
      const Value read = access_like(builder, AccessRef::from(load_), {buffer}, at).value();
      if (value_ == load_) return read;
      const Type types[] = {value_.result().type()};
      return builder.create(value_.opcode(), std::vector<Value>{read}, value_.attrs(), types).result();
    };
    Value copied;
    if (choice_.valid()) {
      std::vector<IndexExpr> conditions;
      for (const Condition& condition : conditions_)
        conditions.push_back(pool_.add(condition.rest, pool_.scale(at[condition.axis], condition.sign)));
      std::vector<Value> operands;
      const Attribute brackets_of_guard = brackets(module_, operands, conditions);
      const Value holds = GuardRef::create(builder, operands, brackets_of_guard).holds();
      const OpRef made_choice = builder.create(LoopOp::If, {holds}, {choice_.result().type()}, {}, 2);
      builder.set_end(made_choice.region(0));
      const Value inside[] = {element()};
      builder.create(yield, inside, {}, {});
      builder.set_end(made_choice.region(1));
      ValueMap map;
      const Value number[] = {clone(otherwise_, builder, map).result()};
      builder.create(yield, number, {}, {});
      builder.set_end(made.back().region(0));
      copied = made_choice.result();
    } else {
      copied = element();
    }
    store_of(builder, copied, padded, to);
    for (std::size_t i = made.size(); i-- > 0;) {
      builder.set_end(made[i].region(0));
      builder.create(yield, {}, {}, {});
    }
    std::vector<IndexExpr> from;
    for (const Axis& axis : axes_)
      if (axis.moves) from.push_back(pool_.sub(axis.at, axis.least));
    builder.set_before(whole);
    whole.result().replace_all_uses_with(load_of(builder, padded, from));
    whole.erase();
    if (!choice_.valid())
      load_.erase();
    else if (guard_.results_unused())
      guard_.erase();
  }

 private:
  struct Axis {
    IndexExpr at;           // the subscript of the load
    IndexExpr least, size;  // of the subscripts: from least on
    bool moves = false;     // with a loop of the nest
    bool whole = false;     // all that the buffer has along it: the loops' bounds do not say which part is read
  };
  // 0 <= rest + sign * the subscript of the axis.
  struct Condition {
    std::size_t axis = 0;
    std::int64_t sign = 1;
    IndexExpr rest;
  };

  [[nodiscard]] bool moves(IndexExpr e) const {
    bool found = false;
    pool_.for_each_atom(e, [&](AtomId id) { found = found || pool_.atom(id).kind == AtomKind::Opaque; });
    return found;
  }
  // The least or the greatest value of a sum of multiples of indices; nothing where it is no such sum.
  std::optional<IndexExpr> extreme(IndexExpr e, bool greatest) {
    IndexExpr out = pool_.constant(0);
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      IndexExpr part = pool_.constant(term.coefficient);
      bool is_index = false;
      for (const AtomId id : term.factors) {
        is_index = is_index || pool_.atom(id).kind == AtomKind::Opaque;
        if (pool_.atom(id).kind > AtomKind::Opaque || (is_index && term.factors.size() > 1)) return std::nullopt;
        if (!is_index) part = pool_.mul(part, pool_.from_atom(id));
      }
      if (is_index) {
        const auto loop = std::find_if(loops_.begin(), loops_.end(), [&](OpRef op) {
          return ForRef::from(op).index().id().value == pool_.atom(term.factors[0]).number;
        });
        if (loop == loops_.end()) return std::nullopt;
        const ForRef of = ForRef::from(*loop);
        const IndexExpr first = over_values(*loop, of.first()), last = over_values(*loop, of.last());
        if (!is_size(pool_, first) || !is_size(pool_, last)) return std::nullopt;
        const bool end = greatest == (term.coefficient > 0);
        part = pool_.mul(part, end ? pool_.sub(last, pool_.constant(1)) : first);
      }
      out = pool_.add(out, part);
    }
    return out == pool_.overflow() ? std::nullopt : std::optional(out);
  }

  static bool has_more_than(RegionRef region, std::size_t count) {
    std::size_t found = 0;
    for (OpRef op = region.front(); op.valid(); op = op.next()) ++found;
    return found > count;
  }

  static Failure<Diagnostic> branch(std::string_view reason) { return refuse<kScheduleBranch>("load", reason); }

  TransformResult find_guard() {
    if (choice_.result_count() != 1) return branch("it gives several values");
    guard_ = choice_.operand(0).definer();
    if (!guard_.valid() || !guard_.is(LoopOp::Guard)) return branch("its condition is not a guard of indices alone");
    otherwise_ = choice_.region(1).terminator().operand(0).definer();
    if (choice_.region(0).terminator().operand(0) != value_.result() || !otherwise_.valid() ||
        !LiteralRef::from(otherwise_).valid() || has_more_than(choice_.region(0), value_ == load_ ? 2 : 3) ||
        has_more_than(choice_.region(1), 2))
      return branch("it does not choose between the element and a number");
    return {};
  }

  TransformResult find_axes(const Facts& facts) {
    const std::string_view nest = index_name(ForRef::from(nest_));
    for (const IndexExpr e : subscripts_of(load_)) {
      Axis axis;
      axis.at = over_values(load_, e);
      axis.moves = moves(axis.at);
      if (axis.moves) {
        const auto least = extreme(axis.at, false), most = extreme(axis.at, true);
        axis.whole = !least || !most;
        axis.least = axis.whole ? pool_.constant(0) : *least;
        axis.size = axis.whole ? LoadRef::from(load_).buffer().dims()[axes_.size()]
                               : pool_.add(pool_.sub(*most, *least), pool_.constant(1));
        if (!pool_.is_non_negative(axis.size, facts))
          return refuse<kScheduleBounds>(nest, "the loops are not shown to run");
      }
      axes_.push_back(axis);
    }
    std::int64_t elements = 1, copied = 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (!axes_[i].moves) continue;
      elements = saturating_mul(elements, pool_.as_constant(LoadRef::from(load_).buffer().dims()[i]).value_or(1));
      copied = saturating_mul(copied, pool_.as_constant(axes_[i].size).value_or(1));
    }
    const std::int64_t most = std::max(kMostElements, saturating_mul(elements, kMostGrowth));
    if (copied > kMostElements && copied / kMostGrowth > elements)
      return refuse<kScheduleLimit>(copied, "elements of a copy", most);
    if (std::none_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.moves; }))
      return refuse<kScheduleNothingToDo>("copy", "the load reads the same element in all iterations");
    for (const IndexExpr e : choice_.valid() ? subscripts_of(guard_) : std::span<const IndexExpr>()) {
      const IndexExpr condition = over_values(guard_, e);
      bool found = false;
      for (std::size_t i = 0; i < axes_.size() && !found; ++i)
        for (const std::int64_t sign : {1, -1}) {
          if (!axes_[i].moves || found) continue;
          const IndexExpr rest = pool_.sub(condition, pool_.scale(axes_[i].at, sign));
          if (moves(rest)) continue;
          if (axes_[i].whole)
            return refuse<kScheduleSubscripts>(LoadRef::from(load_).buffer().name(),
                                               "a guarded one is not a sum of multiples of indices");
          conditions_.push_back({i, sign, rest});
          found = true;
        }
      if (!found) return branch("its guard asks for more than that a subscript is in bounds");
    }
    return {};
  }

  Module& module_;
  IndexPool& pool_;
  OpRef load_, nest_;
  OpRef value_;                       // the load, or the cast of what it gives
  OpRef choice_, guard_, otherwise_;  // around it, where it is under a guard
  std::vector<OpRef> loops_;          // of the nest around the load, from the inside
  std::vector<Axis> axes_;
  std::vector<Condition> conditions_;
};

}  // namespace

TransformResult pad_load(OpRef load, OpRef nest, const Facts& facts) {
  MLGC_ASSERT(load.is(LoopOp::Load), "pad_load: no load");
  MLGC_ASSERT(ForRef::from(nest).valid(), "pad_load: no loop");
  if (!load.is_inside(nest)) return refuse<kScheduleNotInLoop>(load.name(), index_name(ForRef::from(nest)));
  PadLoad step(load, nest);
  if (auto may = step.check(facts); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
