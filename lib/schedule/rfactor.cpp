// rfactor: a reduction becomes those of its tiles, which need not wait for each other, and one over their results.
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "ops/combine.h"
#include "schedule/around_loops.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

class Rfactor {
 public:
  Rfactor(OpRef loop, std::int64_t size, const Facts& facts)
      : of_(ForRef::from(loop)),
        facts_(facts),
        module_(loop.module()),
        context_(module_.context()),
        pool_(context_.index()),
        size_(size),
        around_(loop) {}

  TransformResult check() {
    const OpRef loop = of_.op();
    if (size_ < 1) return refuse<kScheduleParameter>("the tile size", size_, "1 or more");
    if (auto may = expect_serial(of_); !may) return may;
    if (of_.carried_count() == 0) return refuse<kScheduleNotApplicable>(index_name(of_), "carry a reduction");
    for (std::size_t i = 0; i < of_.carried_count(); ++i) {
      auto chain = reduction_chain(of_, i);
      if (!chain) return refuse(chain.error());
      chains_.push_back(std::move(*chain));
    }
    if (const auto conflict = find_conflict(of_, facts_)) return refuse(of_, *conflict);
    const IndexExpr first = over_values(loop, of_.first()), last = over_values(loop, of_.last());
    tiles_ = pool_.ceildiv(pool_.sub(last, first), pool_.constant(size_));
    if (!is_size(pool_, tiles_)) return refuse<kScheduleTripCountNotASize>(index_name(of_));
    return around_.empty() ? TransformResult() : check_inside();
  }

  void run() {
    const OpRef loop = of_.op();
    Builder builder(module_);
    builder.set_before(around_.empty() ? loop : around_.outermost());
    builder.set_location(loop.location());
    const std::vector<Value> partials = allocate(builder);
    const IndexExpr zero = pool_.constant(0);
    const std::string name(of_.index().name());

    // The tiles, each with copies of the loops around.
    const OpRef outer = new_loop(builder, zero, tiles_, fresh_name(loop, name + "_o"), {});
    const IndexExpr number = of_value(outer.region(0).argument(0));
    builder.set_end(outer.region(0));
    ValueMap map;
    const AroundLoops::Copy copy = around_.copy(builder, "_o", map);
    std::vector<IndexExpr> place{number};
    place.insert(place.end(), copy.place.begin(), copy.place.end());
    std::vector<Value> neutral;
    for (std::size_t i = 0; i < chains_.size(); ++i)
      neutral.push_back(neutral_literal(builder, chains_[i].fn, of_.carried(i).dtype()));
    const std::vector<Value> results = size_ == 1 && of_.first() == zero
                                           ? reduce_once(builder, outer.region(0).argument(0), neutral, map)
                                           : reduce_tile(builder, number, neutral, map);
    for (std::size_t i = 0; i < chains_.size(); ++i)
      store_of(builder, converted(builder, results[i], partials[i].dtype()), partials[i], place);
    around_.end(builder, copy);
    builder.set_end(outer.region(0));
    builder.create(context_.opcode(LoopOp::Yield), {}, {}, {});
    ForRef::from(outer).set_kind(LoopKind::Parallel);
    move_strategy(loop, outer);
    AroundLoops::erase_unused(copy.needed);

    // Their results, where the reduction stood.
    builder.set_before(loop);
    const OpRef rest = new_loop(builder, zero, tiles_, fresh_name(loop, name + "_p"), initial_values(of_));
    builder.set_end(rest.region(0));
    place = {of_value(rest.region(0).argument(0))};
    const std::vector<IndexExpr> here = around_.place();
    place.insert(place.end(), here.begin(), here.end());
    std::vector<Value> next;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const Value carried = rest.region(0).argument(i + 1);
      const Value partial = load_of(builder, partials[i], place);
      next.push_back(step_like(builder, chains_[i].loops.back(), chains_[i].numbers.back(), chains_[i].step, carried,
                               converted(builder, partial, carried.dtype())));
    }
    builder.create(context_.opcode(LoopOp::Yield), next, {}, {});
    for (std::size_t i = 0; i < chains_.size(); ++i) loop.result(i).replace_all_uses_with(rest.result(i));
    loop.erase();
    AroundLoops::erase_unused(around_.needed());
  }

 private:
  // What a tile of one iteration gives, which needs no loop.
  std::vector<Value> reduce_once(Builder& builder, Value number, const std::vector<Value>& neutral, ValueMap& map) {
    map.set(of_.index(), number);
    for (std::size_t i = 0; i < neutral.size(); ++i) map.set(of_.carried(i), neutral[i]);
    clone_ops(of_.body(), builder, map, true);
    std::vector<Value> out;
    for (std::size_t i = 0; i < neutral.size(); ++i) out.push_back(map.find(of_.body().terminator().operand(i)));
    return out;
  }
  std::vector<Value> reduce_tile(Builder& builder, IndexExpr number, const std::vector<Value>& neutral, ValueMap& map) {
    const ForRef tile = ForRef::from(clone(of_.op(), builder, map));
    tile.op().remove_attr(kStrategyAttribute);  // the loop over tiles has it
    const IndexExpr width = pool_.constant(size_), first = over_values(tile.op(), tile.first()),
                    last = over_values(tile.op(), tile.last());
    const IndexExpr begin = pool_.add(first, pool_.scale(number, size_)), end = pool_.add(begin, width);
    const bool full = pool_.equal(pool_.mod(pool_.sub(last, first), width), pool_.constant(0), facts_) == Truth::Yes;
    set_loop(tile.op(), begin, full ? end : pool_.min(end, last), neutral);
    return {tile.op().results().begin(), tile.op().results().end()};
  }

  TransformResult check_inside() {
    // Tiles come before all else that the nest does.
    if (auto may = around_.check(); !may) return may;
    TransformResult may = around_.gather(of_.op());
    if (!may) return may;
    walk(of_.op(), [&](OpRef op) {
      if (!only_computes(op) || op.is(LoopOp::While))
        may = refuse<kScheduleUnsupportedOp>(index_name(of_), op.name(), "moved in front of the nest");
    });
    return may ? around_.reads_before(of_.op()) : may;
  }

  // In loops partial sums of f32 are kept as such: there are as many as the loops have iterations.
  std::vector<Value> allocate(Builder& builder) {
    std::vector<IndexExpr> shape{tiles_};
    shape.insert(shape.end(), around_.extents().begin(), around_.extents().end());
    std::vector<Value> out;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const bool narrow = !around_.empty() && wide_reduction(of_, i);
      const Type type = context_.types().buffer(narrow ? Dtype::F32 : of_.carried(i).dtype(), shape, Scope::Arena);
      out.push_back(builder.create(LoopOp::Alloc, {}, {type}).result());
      out.back().set_name("partial" + (chains_.size() > 1 ? std::to_string(i) : std::string()));
    }
    return out;
  }

  Value converted(Builder& builder, Value v, Dtype dtype) {
    if (v.dtype() == dtype) return v;
    return builder
        .create(GraphOp::Cast, {v}, {context_.types().scalar(dtype)},
                builder.attrs({{"dtype", context_.attributes().dtype(dtype)}}))
        .result();
  }

  ForRef of_;
  const Facts& facts_;
  Module& module_;
  Context& context_;
  IndexPool& pool_;
  std::int64_t size_;
  IndexExpr tiles_;
  AroundLoops around_;
  std::vector<ReductionChain> chains_;
};

}  // namespace

TransformResult rfactor(OpRef loop, std::int64_t size, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(loop).valid(), "rfactor: no loop");
  Rfactor step(loop, size, facts);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
