// See merge_sort.h.
//
// Keys of 32 bits stand with their places in one i64, those of 64 bits have their places beside them: so no two are
// equal, and the order of equal elements is kept.
#include "loops/merge_sort.h"

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "loopir/loop_ops.h"
#include "loops/sorted_rows.h"
#include "loops/sorting_network.h"

namespace mlgc::loops {
namespace {

// Elements that a block sorts: of more, a network takes too many steps, and its scratch is larger than a block has.
constexpr std::int64_t kTile = 8192, kWideTile = 4096;
// Elements that a block merges: nine bits are three rounds of a network, and few threads wait for each other.
constexpr std::int64_t kMergedTile = 512;
// Elements of a row of results that a block gives, and its threads.
constexpr std::int64_t kGivenTile = 1024, kGivingThreads = 256;
// Tiles of rows of unknown length, which may be short.
constexpr std::int64_t kSmallTiles[] = {256, 2048};
// Rounds in which tiles leave what is kept of them: of more, the row is sorted.
constexpr int kMostSelections = 4;

class MergeSort : SortedRows {
 public:
  MergeSort(Module& module, OpRef sort)
      : SortedRows(module, sort), known_(index_.as_constant(count_)), most_(wide_ ? kWideTile : kTile) {}

  OpRef run(std::span<const std::size_t> results, std::string_view name) {
    const OpRef func = open(results, name);
    if (known_ && *known_ <= most_) {
      sort_alone(count_, [&](Value i) { return key_at(i); });
    } else {
      if (!known_) sort_short_rows();
      if (const auto counts = selection_counts())
        select(*counts);
      else
        sort_tiles();
    }
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

 private:
  struct Key {
    Value key, place;  // without a place: the key has it
  };
  using Load = std::function<Key(Value place)>;
  // What a block holds: keys, and their places where they are beside them, as the network numbers them.
  struct Held {
    SortingNetwork& network;
    std::vector<Value> memory, parts;
  };
  using Give = std::function<void(const Held& from, Value i)>;
  // Buffers of keys of all rows.
  struct Keys {
    Value keys, places;
    IndexExpr size;  // of a row
  };
  // A part of a row of `count` elements, the one of that number.
  struct Tile {
    std::int64_t size;
    IndexExpr count;
    Value number;
  };

  // --- keys
  Key key_at(Value i) {
    const Value key = as(key_of(ops_.load(x_, at(i))), Dtype::I64);
    const Value place = ops_.apply(index_.opaque(0), {i});
    if (wide_) return {key, ops_.cast(place, Dtype::I32)};
    return {calculated("bitwise_or", calculated("bitwise_left_shift", key, ops_.number(32)), place), {}};
  }
  // The place in the row that an integer has: a key with its place, or a place.
  Value place_of(Value of) {
    if (wide_) return ops_.cast(of, Dtype::I64);
    return calculated("bitwise_and", of, ops_.number(std::numeric_limits<std::uint32_t>::max()));
  }
  // What comes after all keys.
  Key last_key() {
    const Value key = ops_.number(std::numeric_limits<std::int64_t>::max());
    if (!wide_) return {key, {}};
    return {key, ops_.literal(Dtype::I32, std::numeric_limits<std::int32_t>::max())};
  }
  Keys make_keys(IndexExpr size, const std::string& name) {
    std::vector<IndexExpr> dims = row_dims();
    dims.push_back(size);
    const auto made = [&](Dtype dtype, const std::string& called) {
      return ops_.named("alloc", {}, types_.buffer(dtype, dims, Scope::Arena), called);
    };
    return {made(Dtype::I64, name), wide_ ? made(Dtype::I32, name + "_places") : Value(), size};
  }
  // The subscripts of an element in such a buffer.
  [[nodiscard]] std::vector<Value> in_row(Value place) const {
    std::vector<Value> out;
    for (std::size_t d = 0; d < row_.size(); ++d)
      if (d != axis_) out.push_back(row_[d]);
    out.push_back(place);
    return out;
  }
  Key load(const Keys& from, Value place) {
    const std::vector<Value> where = in_row(place);
    return {ops_.load(from.keys, where), wide_ ? ops_.load(from.places, where) : Value()};
  }
  void store(const Key& key, const Keys& to, Value place) {
    const std::vector<Value> where = in_row(place);
    ops_.store(key.key, to.keys, where);
    if (wide_) ops_.store(key.place, to.places, where);
  }
  // The place itself, where it is less than the size. What is loaded from another one is not used.
  Value clamped(Value place, IndexExpr size) {
    const IndexExpr last = index_.sub(size, index_.constant(1));
    return ops_.apply(index_.min(index_.max(index_.opaque(0), index_.constant(0)), last), {place});
  }

  // --- a tile, in the scratch of a block
  Held scratch(SortingNetwork& network) {
    const IndexExpr dims[] = {index_.constant(network.room())};
    Held out{network, {ops_.named("alloc", {}, types_.buffer(Dtype::I64, dims, Scope::Thread), "held")}, {}};
    if (wide_)
      out.memory.push_back(ops_.named("alloc", {}, types_.buffer(Dtype::I32, dims, Scope::Thread), "held_places"));
    for (const Value part : out.memory) out.parts.push_back(network.view(part));
    return out;
  }
  Value load_part(const Held& from, std::size_t part, Value i) {
    return ops_.load_at(from.parts[part], from.network.place(), {i});
  }
  Key load(const Held& from, Value i) { return {load_part(from, 0, i), wide_ ? load_part(from, 1, i) : Value()}; }
  Value load_place(const Held& from, Value i) { return place_of(load_part(from, wide_ ? 1 : 0, i)); }
  void store(const Key& key, const Held& to, Value i) {
    ops_.store_at(key.key, to.parts[0], to.network.place(), {i}, false);
    if (wide_) ops_.store_at(key.place, to.parts[1], to.network.place(), {i}, false);
  }
  // Lanes over `first` to `last`, expressions over `values`.
  template <class Body>
  void lanes(SortingNetwork& network, IndexExpr first, IndexExpr last, const std::vector<Value>& values,
             const Body& body) {
    const OpRef made = ops_.loop(first, last, values, "i", {}, false);
    body(made.region(0).argument(0));
    ops_.end(made);
    set_lanes(made, network.lanes());
  }
  // Sorts a tile; `give` takes the first `kept` of it, by their number in the tile.
  void sort_tile(const Tile& tile, const Load& load, IndexExpr kept, const Give& give) {
    const IndexExpr none = index_.constant(0);
    const std::vector<Value> number =
        tile.number.valid() ? std::vector<Value>{tile.number} : std::vector<Value>();  // opaque atom 0 of bounds
    const IndexExpr size = tile.number.valid() ? left_in(tile, index_.opaque(0)) : tile.count;
    SortingNetwork network(context_, ops_, tile.number.valid() ? tile.size : *index_.as_constant(tile.count));
    const Held held = scratch(network);
    lanes(network, none, size, number, [&](Value i) { store(load(in_tile(tile, i)), held, i); });
    const IndexExpr all = index_.constant(network.keys());
    if (all != size) lanes(network, size, all, number, [&](Value i) { store(last_key(), held, i); });
    network.sort(held.memory);
    lanes(network, none, kept, number, [&](Value i) { give(held, i); });
  }
  // The elements of a tile of that number.
  IndexExpr left_in(const Tile& tile, IndexExpr number) {
    return index_.min(index_.constant(tile.size), index_.sub(tile.count, index_.scale(number, tile.size)));
  }
  // The place in the row of an element of a tile.
  Value in_tile(const Tile& tile, Value i) {
    if (!tile.number.valid()) return i;
    return ops_.apply(index_.add(index_.scale(index_.opaque(1), tile.size), index_.opaque(0)), {i, tile.number});
  }
  // Each tile of each row.
  void each_tile(std::int64_t size, IndexExpr count, const std::function<void(const Tile&)>& body) {
    each_of(index_.ceildiv(count, index_.constant(size)), size, count, body);
  }
  // The only tile of each row.
  void each_row(std::int64_t size, IndexExpr count, const std::function<void(const Tile&)>& body) {
    each_of(index_.min(index_.constant(1), count), size, count, body);
  }
  void each_of(IndexExpr tiles, std::int64_t size, IndexExpr count, const std::function<void(const Tile&)>& body) {
    const std::vector<OpRef> rows = open_rows();
    const OpRef made = loop(gated(tiles), "t", {}, true);
    body({size, count, made.region(0).argument(0)});
    ops_.end(made);
    close(rows);
  }
  // So many iterations, or none where rows are not sorted that way.
  IndexExpr gated(IndexExpr extent) {
    constexpr std::int64_t kMany = std::int64_t{1} << 62;
    return gate_ ? index_.min(extent, index_.scale(one_if_above_0(*gate_), kMany)) : extent;
  }
  IndexExpr one_if_above_0(IndexExpr e) { return index_.max(index_.constant(0), index_.min(index_.constant(1), e)); }
  // The place of a key that is no last_key() is in the row; the text does not show it.
  void give_result(Value place, Value i) { move(clamped(place, count_), i, false, false); }

  // --- rows of a block
  void sort_alone(IndexExpr count, const Load& load) {
    const std::vector<OpRef> rows = open_rows();
    sort_tile({0, count, {}}, load, kept_, [&](const Held& from, Value i) { give_result(load_place(from, i), i); });
    close(rows);
  }
  // Rows of unknown length that have few elements: a nest for each size of a tile, of which one has iterations.
  void sort_short_rows() {
    if (sort_.is(GraphOp::Topk) && !index_.as_constant(kept_)) return;
    const std::int64_t fewest = kept_ == count_ ? 0 : *index_.as_constant(kept_);
    std::int64_t least = -1;
    for (const std::int64_t size : kSmallTiles) {
      if (size < fewest) continue;
      // A row of `least` elements or less has its nest before.
      sort_rows_of(size, least);
      least = size;
    }
    if (least >= 0) gate_ = index_.sub(count_, index_.constant(least));
  }
  void sort_rows_of(std::int64_t size, std::int64_t least) {
    const IndexExpr not_more = index_.sub(index_.constant(size + 1), count_);
    gate_ = index_.min(not_more, index_.sub(count_, index_.constant(least)));
    each_row(size, count_, [&](const Tile& tile) { sort_last(tile, [&](Value i) { return key_at(i); }); });
    gate_.reset();
  }
  // The only tile of a row, from which the results are.
  void sort_last(const Tile& tile, const Load& load) {
    const bool whole = kept_ == count_;
    const IndexExpr kept = whole ? left_in(tile, index_.opaque(0)) : kept_;
    const IndexExpr pitch = whole ? index_.constant(tile.size) : kept_;
    sort_tile(tile, load, kept, [&](const Held& from, Value i) {
      const IndexExpr to = index_.add(index_.mul(index_.opaque(1), pitch), index_.opaque(0));
      give_result(load_place(from, i), ops_.apply(to, {i, tile.number}));
    });
  }

  // --- a few of many
  // How many elements are left before each round, and in the end, when they are a tile; nothing where it takes too
  // many.
  std::optional<std::vector<IndexExpr>> selection_counts() {
    const auto kept = index_.as_constant(kept_);
    if (!sort_.is(GraphOp::Topk) || !kept || *kept > most_ / 2) return std::nullopt;
    std::vector<IndexExpr> out{count_};
    for (std::int64_t most = known_.value_or(kMostElements); most > most_;) {
      if (static_cast<int>(out.size()) > kMostSelections) return std::nullopt;
      most = (most + most_ - 1) / most_ * *kept;
      out.push_back(index_.scale(index_.ceildiv(out.back(), index_.constant(most_)), *kept));
    }
    return out;
  }
  void select(const std::vector<IndexExpr>& counts) {
    Load from = [&](Value i) { return key_at(i); };
    for (std::size_t round = 1; round < counts.size(); ++round) {
      const Keys left = make_keys(counts[round], "left");
      each_tile(most_, counts[round - 1], [&](const Tile& tile) {
        if (round == 1) check_length();
        sort_tile(tile, from, kept_, [&](const Held& held, Value i) {
          const IndexExpr to = index_.add(index_.mul(index_.opaque(1), kept_), index_.opaque(0));
          store(load(held, i), left, ops_.apply(to, {i, tile.number}));
        });
      });
      from = [this, left](Value i) { return load(left, i); };
    }
    if (known_) return sort_alone(counts.back(), from);
    each_row(most_, counts.back(), [&](const Tile& tile) { sort_last(tile, from); });
  }

  // --- merges
  // Sorted tiles of so many elements are merged in pairs of passes, which write two buffers in turn: a pair for each
  // power of four of tiles that is not the row.
  IndexExpr pairs_of_passes(std::int64_t tile) {
    IndexExpr out = index_.constant(0);
    for (std::int64_t run = tile; run <= kMostElements; run *= 4)
      out = index_.add(out, index_.min(index_.constant(1), index_.floordiv(count_, index_.constant(run + 1))));
    return out;
  }
  // Where an odd number of passes would do, tiles are half as large, so that none of them only copies.
  [[nodiscard]] std::int64_t sorted_tile() const {
    if (!known_) return most_;
    int passes = 0;
    for (std::int64_t run = most_; run < *known_; run *= 2) ++passes;
    return passes % 2 == 0 ? most_ : most_ / 2;
  }
  void sort_tiles() {
    const std::int64_t size = sorted_tile();
    const Keys sorted = make_keys(count_, "sorted"), other = make_keys(count_, "other");
    std::vector<IndexExpr> dims = row_dims();
    dims.push_back(index_.ceildiv(count_, index_.constant(kMergedTile)));
    const Value ends = ops_.named("alloc", {}, types_.buffer(Dtype::I64, dims, Scope::Arena), "ends");
    each_tile(size, count_, [&](const Tile& tile) {
      check_length();
      sort_tile(
          tile, [&](Value i) { return key_at(i); }, left_in(tile, index_.opaque(0)),
          [&](const Held& from, Value i) { store(load(from, i), sorted, in_tile(tile, i)); });
    });
    const OpRef twice = loop(pairs_of_passes(size), "p", {}, false);
    const Value pass = twice.region(0).argument(0);
    for (const int half : {0, 1}) {
      const IndexExpr doublings = index_.add(index_.scale(index_.opaque(0), 2), index_.constant(half));
      const Keys& from = half == 0 ? sorted : other;
      const Keys& to = half == 0 ? other : sorted;
      const auto run = [&] {
        return calculated("bitwise_left_shift", ops_.number(size), ops_.apply(doublings, {pass}));
      };
      each_tile(kMergedTile, count_, [&](const Tile& tile) { find_end(tile, run(), from, ends); });
      each_tile(kMergedTile, count_, [&](const Tile& tile) { merge(tile, run(), from, to, ends); });
    }
    ops_.end(twice);
    each_tile(kGivenTile, kept_, [&](const Tile& tile) {
      const OpRef given = ops_.loop(index_.constant(0), left_in(tile, index_.opaque(0)), {tile.number}, "i", {}, false);
      const Value i = in_tile(tile, given.region(0).argument(0));
      give_result(place_of(ops_.load(wide_ ? sorted.places : sorted.keys, in_row(i))), i);
      ops_.end(given);
      set_lanes(given, kGivingThreads);
    });
  }

  // Two runs of which the merge has the tile: they begin at `first`, and the second one after `run` elements.
  struct Runs {
    Value start, first, of_first, both;  // the begin of the tile; elements of the first run, and of both
  };
  Runs runs_of(const Tile& tile, Value run) {
    const Value start = ops_.apply(index_.scale(index_.opaque(0), tile.size), {tile.number});
    const Value twice = ops_.sum(run, run), mask = difference(twice, ops_.number(1));
    const Value first = difference(start, calculated("bitwise_and", start, mask));
    const Value left = difference(ops_.apply(tile.count, {}), first);
    return {start, first, calculated("minimum", run, left), calculated("minimum", twice, left)};
  }
  // How many elements of the first run are before the end of the tile in the merge: a binary search, in which elements
  // of both runs are compared whose numbers add up to that of the end.
  void find_end(const Tile& tile, Value run, const Keys& from, Value ends) {
    const Runs runs = runs_of(tile, run);
    const Value one = ops_.number(1), zero = ops_.number(0);
    const Value tile_end = ops_.sum(difference(runs.start, runs.first), ops_.number(tile.size));
    const Value end = calculated("minimum", tile_end, runs.both);
    const Value of_second = difference(runs.both, runs.of_first);
    const Value initial[] = {calculated("maximum", zero, difference(end, of_second)),
                             calculated("minimum", end, runs.of_first)};
    Builder& builder = ops_.builder();
    const Type types[] = {ops_.i64(), ops_.i64()};
    const OpRef search = builder.create(context_.opcode(LoopOp::While), initial, {}, types, 2);
    std::vector<std::vector<Value>> arguments(2);
    for (std::size_t r = 0; r < 2; ++r) {
      for (const Type type : types) arguments[r].push_back(search.region(r).add_argument(type));
      arguments[r][0].set_name("low");
      arguments[r][1].set_name("high");
    }
    builder.set_end(search.region(0));
    builder.create(LoopOp::Condition, {ops_.less(arguments[0][0], arguments[0][1]), arguments[0][0], arguments[0][1]},
                   {});
    builder.set_end(search.region(1));
    const Value low = arguments[1][0], high = arguments[1][1];
    const Value middle = shifted(ops_.sum(low, high), 1);
    const Value second = ops_.sum(ops_.sum(runs.first, run), difference(difference(end, one), middle));
    // Of equal keys those of the first run are first: their places are.
    const Value before =
        ops_.scalar("le", {load_key(from, ops_.sum(runs.first, middle)), load_key(from, second)}, ops_.i1());
    ops_.end(search, {ops_.choose(before, ops_.sum(middle, one), low), ops_.choose(before, high, middle)});
    ops_.store(search.result(0), ends, in_row(tile.number));
  }
  Value load_key(const Keys& from, Value place) { return ops_.load(from.keys, in_row(clamped(place, from.size))); }

  // The tile of the merge: elements of the first run in their order, then those of the second one from the last on.
  void merge(const Tile& tile, Value run, const Keys& from, const Keys& to, Value ends) {
    const Runs runs = runs_of(tile, run);
    const IndexExpr before = index_.max(index_.sub(index_.opaque(0), index_.constant(1)), index_.constant(0));
    const Value end_before = ops_.load(ends, in_row(ops_.apply(before, {tile.number})));
    const Value is_first = ops_.scalar("eq", {runs.start, runs.first}, ops_.i1());
    const Value begin = ops_.choose(is_first, ops_.number(0), end_before);
    const Value of_first = difference(ops_.load(ends, in_row(tile.number)), begin);
    const Value of_second = difference(ops_.apply(left_in(tile, index_.opaque(0)), {tile.number}), of_first);
    const Value first = ops_.sum(runs.first, begin), second = difference(ops_.sum(runs.start, run), begin);
    SortingNetwork network(context_, ops_, tile.size);
    const Held held = scratch(network);
    const IndexExpr none = index_.constant(0);
    lanes(network, none, index_.constant(tile.size), {}, [&](Value i) {
      const Value number = ops_.apply(index_.opaque(0), {i}), back = difference(ops_.number(tile.size - 1), number);
      const Value is_of_first = ops_.less(number, of_first), is_of_second = ops_.less(back, of_second);
      const Value place = ops_.choose(is_of_first, ops_.sum(first, number), ops_.sum(second, back));
      const Key found = load(from, clamped(place, from.size)), last = last_key();
      const Value is_there = ops_.scalar("logical_or", {is_of_first, is_of_second}, ops_.i1());
      const Value place_there = wide_ ? ops_.choose(is_there, found.place, last.place) : Value();
      store({ops_.choose(is_there, found.key, last.key), place_there}, held, i);
    });
    network.merge(held.memory);
    lanes(network, none, left_in(tile, index_.opaque(0)), {tile.number},
          [&](Value i) { store(load(held, i), to, in_tile(tile, i)); });
  }

  std::optional<std::int64_t> known_;  // elements of a row
  std::int64_t most_;                  // elements of a tile
  std::optional<IndexExpr> gate_;      // above 0 for rows that are sorted by the nests that are made
};

}  // namespace

OpRef sort_by_merges(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name) {
  return MergeSort(module, sort).run(results, name);
}

}  // namespace mlgc::loops
