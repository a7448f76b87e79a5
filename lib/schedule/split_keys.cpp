// split-keys: a row that sums values weighted by a softmax of scores goes through its scores once, some at a time, with
// the maximum, the sum of exponentials and the weighted values so far. Parts of the scores go at the same time; the
// largest maximum then says how much each part counts.
//
//     %m = for (%j) { score, store %c; maximum }        %z = for (%j) { exp(%c - %m), store %e; sum }
//     for (%j) { %p = %e/%z }                           for (%f) { the sum of %p times a value, and what follows }
// becomes, of parts of n steps of two scores,
//     for parts (%p) and rows {
//       for (%f) { %o = 0 }
//       %m, %z = for [n*%p, n*%p + n] (%t) { two scores; their exponentials; for (%f) { %o = %o*change + … + … } }
//       store %m, %z;  for (%f) { store %o }
//     }
//     for (%f) { the maximum of parts; the sums of their %z and %o, times exp(%m - maximum); the quotient of these }
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ir/clone.h"
#include "ir/walk.h"
#include "schedule/around_loops.h"
#include "schedule/loop_transforms.h"
#include "schedule/weighted_softmax.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines: text has so many copies of a score at most.
constexpr std::int64_t kMostAtOnce = 16;

class SplitKeys : public WeightedSoftmax {
 public:
  SplitKeys(OpRef rows, std::int64_t at_a_time, std::int64_t tiles)
      : WeightedSoftmax(rows), at_a_time_(at_a_time), tiles_(tiles), around_(rows) {}

  TransformResult check() {
    if (auto may = find(); !may) return may;
    for (const Use use : scores_.index().uses())
      if (!is_in_subscripts(use)) return refuse<kScheduleIndexUse>(use.owner().name(), index_name(scores_));
    keys_ = over_values(scores_.op(), scores_.last());
    if (!is_size(pool(), keys_)) return refuse<kScheduleTripCountNotASize>(index_name(scores_));
    around_ = AroundLoops(scores_.op());
    if (auto may = around_.check(); !may) return may;
    for (const OpRef op : scores_.body().ops())
      if (is_copied(op))
        if (auto may = around_.gather(op, scores_.op()); !may) return may;
    if (auto may = around_.gather(value_); !may) return may;
    if (auto may = around_.reads_before(scores_.op()); !may) return may;
    return around_.reads_before(value_);
  }

  void run() {
    Builder builder(module_);
    builder.set_location(sums_.op().location());
    tiles_ > 0 ? parts(builder) : whole(builder);
  }
  [[nodiscard]] WeightedRow row() const {
    OpRef terms;
    for (const OpRef op : scores_.body().ops())
      if (ForRef::from(op).valid()) terms = op;
    return {scores_.op(), terms, sums_.op(), value_};
  }

 private:
  // What of a score is not its store, nor the maximum of all.
  [[nodiscard]] bool is_copied(OpRef op) const {
    const OpRef end = scores_.body().terminator();
    return op != end && op != end.operand(0).definer() && !op.is(LoopOp::Store);
  }
  // What a part of the scores gives, or all of them.
  struct Sums {
    Value maximum, total, results;  // `results`: a buffer of as many elements as there are columns
  };

  void whole(Builder& builder) {
    builder.set_before(scores_.op());
    ValueMap map;
    const Sums sums = go_through(builder, map, pool().constant(0), pool().ceildiv(keys_, pool().constant(at_a_time_)));
    const Value total = divisor(builder, sums.total);
    builder.set_before(sum_.op());
    const Value sum = load_of(builder, sums.results, std::array{of_value(sums_.index())});
    replace(apply(builder, ScalarFn::Div, {sum, total}));
  }

  void parts(Builder& builder) {
    const OpRef nest = around_.outermost();
    builder.set_before(nest);
    const IndexExpr zero = pool().constant(0), count = pool().ceildiv(keys_, pool().constant(at_a_time_ * tiles_));
    std::vector<IndexExpr> shape{count};
    shape.insert(shape.end(), around_.extents().begin(), around_.extents().end());
    const Value maxima = partial(builder, shape, "most"), totals = partial(builder, shape, "total");
    shape.push_back(pool().constant(width_));
    const Value results = partial(builder, shape, "sums");

    const std::string name(scores_.index().name());
    const OpRef outer = new_loop(builder, zero, count, fresh_name(nest, name + "_o"), {});
    const IndexExpr number = of_value(outer.region(0).argument(0));
    builder.set_end(outer.region(0));
    ValueMap map;
    const AroundLoops::Copy copy = around_.copy(builder, "_o", map);
    std::vector<IndexExpr> place{number};
    place.insert(place.end(), copy.place.begin(), copy.place.end());
    const IndexExpr first = pool().scale(number, tiles_);
    const Sums sums = go_through(builder, map, first, pool().add(first, pool().constant(tiles_)));
    store_of(builder, sums.maximum, maxima, place);
    store_of(builder, sums.total, totals, place);
    const ForRef columns = loop(builder, sums_, "_p", {});
    builder.set_end(columns.body());
    place.push_back(of_value(columns.index()));
    store_of(builder, load_of(builder, sums.results, std::array{of_value(columns.index())}), results, place);
    yield(builder, {});
    AroundLoops::end(builder, copy);
    builder.set_end(outer.region(0));
    yield(builder, {});
    ForRef::from(outer).set_kind(LoopKind::Parallel);
    move_strategy(nest, outer);
    AroundLoops::erase_unused(copy.needed);
    combine(builder, maxima, totals, results, count);
  }

  Value partial(Builder& builder, const std::vector<IndexExpr>& shape, std::string_view name) {
    const Type type = module_.context().types().buffer(Dtype::F32, shape, Scope::Arena);
    const Value made = builder.create(LoopOp::Alloc, {}, {type}).result();
    made.set_name(std::string(name));
    return made;
  }

  // Steps [first, last) of a row.
  Sums go_through(Builder& builder, const ValueMap& map, IndexExpr first, IndexExpr last) {
    const Value results = scratch(builder, Dtype::F32, width_, "o");
    const Value low = real(builder, -HUGE_VAL), zero = real(builder, 0);
    const ForRef clear = loop(builder, sums_, "_z", {});
    const OpRef tiles =
        new_loop(builder, first, last, fresh_name(rows_.op(), std::string(index_name(scores_)) + "_t"), {low, zero});
    Builder inside(module_);
    inside.set_location(sums_.op().location());
    inside.set_end(clear.body());
    store_of(inside, zero, results, std::array{of_value(clear.index())});
    yield(inside, {});
    inside.set_end(tiles.region(0));
    step(inside, ForRef::from(tiles), map, results, low, zero);
    return {tiles.result(0), tiles.result(1), results};
  }

  // A few scores, and what they add.
  void step(Builder& builder, ForRef tiles, const ValueMap& map, Value results, Value low, Value zero) {
    std::vector<Key> keys;
    Value maximum = tiles.carried(0);
    for (std::int64_t u = 0; u < at_a_time_; ++u) {
      keys.push_back(key(builder, tiles, u));
      keys.back().score = score(builder, map, keys.back(), u);
      if (keys.back().is_there.valid())
        keys.back().score = choose(builder, keys.back().is_there, keys.back().score, low);
      maximum = apply(builder, ScalarFn::Max, {maximum, keys.back().score});
    }
    const Value shift = choose(builder, apply(builder, ScalarFn::Eq, {maximum, low}), zero, maximum);
    const Value change = weight(builder, tiles.carried(0), shift);
    Value total = apply(builder, ScalarFn::Mul, {tiles.carried(1), change});
    for (Key& of : keys) {
      of.score = weight(builder, of.score, shift);
      total = apply(builder, ScalarFn::Add, {total, of.score});
    }
    const ForRef columns = loop(builder, sums_, "_t", {});
    Builder inside(module_);
    inside.set_location(sum_.op().location());
    inside.set_end(columns.body());
    const std::array at{of_value(columns.index())};
    Value sum = apply(inside, ScalarFn::Mul, {load_of(inside, results, at), change});
    for (const Key& of : keys) {
      ValueMap own = map;
      own.set(sums_.index(), columns.index());
      const OpRef loaded = clone(value_, inside, own);
      replace_index(loaded, sum_.index(), of.number);
      Value value = cast(inside, loaded.result(), Dtype::F32);
      if (of.is_there.valid()) value = choose(inside, of.is_there, value, zero);
      sum = FmaRef::create(inside, value, of.score, sum).op().result();
    }
    store_of(inside, sum, results, at);
    yield(inside, {});
    for (const Key& of : keys) OpRef(of.number).erase();
    yield(builder, {maximum, total});
  }

  // One of the keys of a step.
  struct Key {
    OpRef number;    // computes which it is, or the last one
    Value is_there;  // invalid: it is
    Value score;     // and then its exponential
  };
  Key key(Builder& builder, ForRef tiles, std::int64_t u) {
    const IndexExpr number = pool().add(pool().scale(of_value(tiles.index()), at_a_time_), pool().constant(u));
    const IndexExpr last = pool().sub(keys_, pool().constant(1));
    const auto count = pool().as_constant(keys_);
    const bool full = count && *count % (at_a_time_ * std::max<std::int64_t>(tiles_, 1)) == 0;
    Key out;
    std::vector<Value> operands;
    const std::array place{full ? number : pool().min(number, last)};
    const Attribute at = brackets(module_, operands, place);
    out.number = ApplyRef::create(builder, operands, at).op();
    if (full) return out;
    std::vector<Value> compared;
    const Attribute conditions = brackets(module_, compared, std::array{pool().sub(last, number)});
    out.is_there = GuardRef::create(builder, compared, conditions).holds();
    return out;
  }
  Value score(Builder& builder, const ValueMap& map, const Key& of, std::int64_t u) {
    ValueMap own = map;
    for (const OpRef op : scores_.body().ops()) {
      if (!is_copied(op)) continue;
      const OpRef made = clone(op, builder, own);
      walk(made, [&](OpRef inner) {
        replace_index(inner, scores_.index(), of.number);
        if (const ForRef loop = ForRef::from(inner); loop.valid() && !loop.index().name().empty())
          loop.index().set_name(fresh_name(rows_.op(), std::string(loop.index().name()) + "_" + std::to_string(u)));
      });
    }
    const Value made = own.find(score_);
    return made.valid() ? made : score_;
  }
  void replace_index(OpRef op, Value index, OpRef number) {
    bool reads = false;
    for (const Value v : op.operands()) reads = reads || v == index;
    if (reads) replace_in_subscripts(op, index, ApplyRef::from(number).value(), number);
  }

  Value weight(Builder& builder, Value score, Value shift) {
    return apply(builder, ScalarFn::Exp, {apply(builder, ScalarFn::Sub, {score, shift})});
  }
  Value divisor(Builder& builder, Value total) {
    if (!zero_becomes_one_) return total;
    return choose(builder, apply(builder, ScalarFn::Eq, {total, real(builder, 0)}), real(builder, 1), total);
  }

  // Of a column: from what the parts of its row give.
  void combine(Builder& builder, Value maxima, Value totals, Value results, IndexExpr count) {
    builder.set_location(sum_.op().location());
    builder.set_before(sum_.op());
    const Value low = real(builder, -HUGE_VAL), zero = real(builder, 0);
    const std::vector<IndexExpr> row = around_.place();
    // A loop over parts; `next` gives what it carries on, from what it carries and the place of a part.
    const auto over_parts = [&](std::string_view suffix, Value start, const auto& next) {
      const OpRef made =
          new_loop(builder, pool().constant(0), count,
                   fresh_name(rows_.op(), std::string(index_name(scores_)) + std::string(suffix)), {start});
      Builder inside(module_);
      inside.set_location(sum_.op().location());
      inside.set_end(made.region(0));
      std::vector<IndexExpr> place{of_value(made.region(0).argument(0))};
      place.insert(place.end(), row.begin(), row.end());
      yield(inside, {next(inside, made.region(0).argument(1), place)});
      return made.result(0);
    };
    const Value maximum = over_parts("_m", low, [&](Builder& in, Value carried, const std::vector<IndexExpr>& place) {
      return apply(in, ScalarFn::Max, {carried, load_of(in, maxima, place)});
    });
    const Value shift = choose(builder, apply(builder, ScalarFn::Eq, {maximum, low}), zero, maximum);
    const auto weighted = [&](Builder& in, Value carried, Value part, const std::vector<IndexExpr>& place) {
      const Value counts = weight(in, load_of(in, maxima, place), shift);
      return apply(in, ScalarFn::Add, {carried, apply(in, ScalarFn::Mul, {part, counts})});
    };
    const Value total = over_parts("_l", zero, [&](Builder& in, Value carried, const std::vector<IndexExpr>& place) {
      return weighted(in, carried, load_of(in, totals, place), place);
    });
    const Value sum = over_parts("_s", zero, [&](Builder& in, Value carried, const std::vector<IndexExpr>& place) {
      std::vector<IndexExpr> element = place;
      element.push_back(of_value(sums_.index()));
      return weighted(in, carried, load_of(in, results, element), place);
    });
    replace(apply(builder, ScalarFn::Div, {sum, divisor(builder, total)}));
  }

  std::int64_t at_a_time_, tiles_;
  AroundLoops around_;
  IndexExpr keys_;
};

}  // namespace

TransformResult split_keys(OpRef rows, std::int64_t at_a_time, std::int64_t tiles) {
  MLGC_ASSERT(ForRef::from(rows).valid(), "split_keys: no loop");
  if (at_a_time < 1 || at_a_time > kMostAtOnce)
    return refuse<kScheduleParameter>("the number of scores at a time", at_a_time,
                                      "from 1 to " + std::to_string(kMostAtOnce));
  if (tiles < 0) return refuse<kScheduleParameter>("the steps of a part", tiles, "0 or more");
  SplitKeys step(rows, at_a_time, tiles);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}
TransformResult may_split_keys(OpRef rows) { return SplitKeys(rows, 1, 1).check(); }
WeightedRow weighted_row(OpRef rows) {
  SplitKeys step(rows, 1, 1);
  MLGC_ASSERT(step.check(), "weighted_row: no such row");
  return step.row();
}

}  // namespace mlgc
