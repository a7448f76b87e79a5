// online-softmax: a row that sums values weighted by a softmax of scores goes through tiles of scores once, with their
// maximum and sum so far. What was added before is scaled where the maximum grows.
//
//     %m = for (%j) { score, store %c; maximum }        %z = for (%j) { exp(%c - %m), store %e; sum }
//     for (%j) { %p = %e/%z }                           for (%f) { the sum of %p times a value, and what follows }
// becomes
//     for (%f) { %o = 0 }
//     %m, %z = for (%t) { scores of a tile; exponentials of these; for (%f) { %o = %o*change + their sum } }
//     for (%f) { %o/%z, and what follows }
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/attention_nest.h"
#include "ir/clone.h"
#include "schedule/loop_transforms.h"
#include "schedule/weighted_softmax.h"

namespace mlgc {

using namespace schedule;

namespace {

class OnlineSoftmax : public WeightedSoftmax {
 public:
  OnlineSoftmax(OpRef rows, std::int64_t tile) : WeightedSoftmax(rows), tile_(tile) {}

  TransformResult check() {
    if (auto may = find(); !may) return may;
    const Dtype dtype = value_.result().dtype();
    if (dtype != Dtype::BF16 && dtype != Dtype::F16)
      return refuse<kScheduleNotApplicable>(index_name(rows_),
                                            "become an online softmax: its values are not of 16 bits");
    return {};
  }

  void run() {
    Builder builder(module_);
    builder.set_location(sums_.op().location());
    builder.set_before(scores_.op());
    const Value results = scratch(builder, Dtype::F32, width_, "o");
    const Value low = real(builder, -HUGE_VAL), zero = real(builder, 0);
    const ForRef clear = loop(builder, sums_, "_z", {});
    builder.set_end(clear.body());
    store_of(builder, zero, results, std::array{of_value(clear.index())});
    yield(builder, {});
    builder.set_before(scores_.op());
    const OpRef tiles = new_loop(builder, pool().constant(0), tile_count(),
                                 fresh_name(rows_.op(), std::string(index_name(scores_)) + "_o"), {low, zero});
    go_through(ForRef::from(tiles), results, low, zero);
    builder.set_after(tiles);
    builder.set_location(sums_.op().location());
    Value total = tiles.result(1);
    if (zero_becomes_one_)
      total = choose(builder, apply(builder, ScalarFn::Eq, {total, zero}), real(builder, 1), total);
    finish(results, total);
  }

 private:
  IndexExpr tile_count() {
    IndexExpr keys = over_values(scores_.op(), scores_.last());
    if (const auto causal = causal_score(score_, rows_.index(), scores_.index())) {  // what no query sees is left out
      const IndexExpr seen = pool().add(over_values(rows_.op(), rows_.last()), causal->seen);
      keys = pool().max(pool().min(keys, seen), pool().constant(0));
    }
    return pool().ceildiv(keys, pool().constant(tile_));
  }

  // A loop over the keys of a tile, in the place where scores and sums run over all.
  ForRef over_tile(Builder& builder, ForRef tiles, ForRef of, std::string_view suffix,
                   const std::vector<Value>& initial) {
    const IndexExpr first = pool().scale(of_value(tiles.index()), tile_);
    const IndexExpr last = over_values(scores_.op(), scores_.last());
    const IndexExpr end = pool().add(first, pool().constant(tile_));
    const auto count = pool().as_constant(last);
    const bool full = count && *count % tile_ == 0;
    return ForRef::from(new_loop(builder, first, full ? end : pool().min(end, last),
                                 fresh_name(of.op(), std::string(index_name(of)) + std::string(suffix)), initial));
  }
  [[nodiscard]] IndexExpr in_tile(ForRef loop) const {
    return pool().sub(of_value(loop.index()), over_values(loop.op(), loop.first()));
  }

  void go_through(ForRef tiles, Value results, Value low, Value zero) {
    Builder builder(module_);
    builder.set_location(scores_.op().location());
    builder.set_end(tiles.body());
    const Value scores = scratch(builder, Dtype::F32, tile_, "s");
    const Value exponentials = scratch(builder, value_.result().dtype(), tile_, "p");
    const Value before = tiles.carried(0);
    const Value maximum = tile_scores(builder, tiles, scores, before);
    const Value shift = choose(builder, apply(builder, ScalarFn::Eq, {maximum, low}), zero, maximum);
    const Value change = apply(builder, ScalarFn::Exp, {apply(builder, ScalarFn::Sub, {before, shift})});
    const Value start = apply(builder, ScalarFn::Mul, {tiles.carried(1), change});
    const ForRef of_tile = over_tile(builder, tiles, exponentials_, "_t", {start});
    builder.set_end(of_tile.body());
    const Value score = load_of(builder, scores, std::array{in_tile(of_tile)});
    const Value e = apply(builder, ScalarFn::Exp, {apply(builder, ScalarFn::Sub, {score, shift})});
    store_of(builder, cast(builder, e, value_.result().dtype()), exponentials, std::array{in_tile(of_tile)});
    yield(builder, {apply(builder, ScalarFn::Add, {of_tile.carried(0), e})});
    builder.set_end(tiles.body());
    add_values(builder, tiles, results, exponentials, change);
    builder.set_end(tiles.body());
    yield(builder, {maximum, of_tile.op().result(0)});
  }

  Value tile_scores(Builder& builder, ForRef tiles, Value scores, Value before) {
    const ForRef made = over_tile(builder, tiles, scores_, "_t", {before});
    ValueMap map;
    map.set(scores_.index(), made.index());
    map.set(scores_.carried(0), made.carried(0));
    Builder inside(module_);
    inside.set_end(made.body());
    clone_ops(scores_.body(), inside, map);
    for (const OpRef op : made.body().ops())
      if (op.is(LoopOp::Store)) set_element(op, scores, {in_tile(made)});
    return made.op().result(0);
  }

  void add_values(Builder& builder, ForRef tiles, Value results, Value exponentials, Value change) {
    const ForRef columns = loop(builder, sums_, "_t", {});
    builder.set_end(columns.body());
    const Value zero = real(builder, 0);
    const ForRef terms = over_tile(builder, tiles, sum_, "_t", {zero});
    builder.set_end(terms.body());
    const Value e = cast(builder, load_of(builder, exponentials, std::array{in_tile(terms)}), Dtype::F32);
    ValueMap map;
    map.set(sums_.index(), columns.index());
    map.set(sum_.index(), terms.index());
    const Value value = cast(builder, clone(value_, builder, map).result(), Dtype::F32);
    yield(builder, {apply(builder, ScalarFn::Add, {terms.carried(0), apply(builder, ScalarFn::Mul, {e, value})})});
    builder.set_end(columns.body());
    const std::array at{of_value(columns.index())};
    const Value scaled = apply(builder, ScalarFn::Mul, {load_of(builder, results, at), change});
    store_of(builder, apply(builder, ScalarFn::Add, {scaled, terms.op().result(0)}), results, at);
    yield(builder, {});
  }

  void finish(Value results, Value total) {
    Builder builder(module_);
    builder.set_location(sum_.op().location());
    builder.set_before(sum_.op());
    const Value sum = load_of(builder, results, std::array{of_value(sums_.index())});
    replace(apply(builder, ScalarFn::Div, {sum, total}));
  }

  std::int64_t tile_;
};

}  // namespace

TransformResult online_softmax(OpRef rows, std::int64_t tile) {
  MLGC_ASSERT(ForRef::from(rows).valid(), "online_softmax: no loop");
  if (tile < 1) return refuse<kScheduleParameter>("the tile size", tile, "1 or more");
  OnlineSoftmax step(rows, tile);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}
TransformResult is_weighted_by_softmax(OpRef rows) { return OnlineSoftmax(rows, 1).check(); }

}  // namespace mlgc
