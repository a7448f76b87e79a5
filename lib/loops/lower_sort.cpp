// See lower_sort.h.
//
// Short rows are sorted by counting for each key, in lanes, how many are less: that is its place, after equal ones
// before it. Longer ones are sorted by digits of the key, from the last one on, each time by counting how many elements
// have a digit and moving each to where its digit goes on. Both keep the order of equal elements, and nothing is
// compared in a branch.
#include "loops/lower_sort.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "fusion/known_values.h"
#include "loopir/loop_ops.h"
#include "loops/merge_sort.h"
#include "loops/sorted_rows.h"

namespace mlgc {

namespace {

// Of more, rows are sorted: an element that goes in moves all of them.
constexpr std::int64_t kMostSelected = 128;
// Elements of rows that are sorted by counting what is less: a compare for each pair, against passes over digits, each
// of which has all values of a digit to sum up.
constexpr std::int64_t kMostCounted = 192, kMostCountedWide = 128;
// Bits of a digit; more of them pay where a row has more elements than there are values.
constexpr std::int64_t kDigit = 8, kWideDigit = 11, kManyElements = 4000;

class SortLowering : loops::SortedRows {
 public:
  SortLowering(Module& module, OpRef sort) : SortedRows(module, sort) {}

  OpRef run(std::span<const std::size_t> results, std::string_view name) {
    const OpRef func = open(results, name);
    const std::vector<OpRef> rows = open_rows();
    const auto k = index_.as_constant(kept_);
    scope_ = rows.empty() ? Scope::Arena : Scope::Thread;
    if (sort_.is(GraphOp::Topk) && k && selects(*k))
      select(*k, rows.empty());
    else
      sort_row();
    close(rows);
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

 private:
  // --- ops
  // An element of the row as it is held; its place.
  Value element_at(Value i) { return as(ops_.load(x_, at(i)), held_); }
  Value place_of(Value i) { return as(ops_.apply(index_.opaque(0), {i}), place_); }
  template <class Body>
  void each(IndexExpr end, const Body& body) {
    const OpRef made = loop(end, "i", {}, false);
    body(made.region(0).argument(0));
    ops_.end(made);
  }

  // --- selection
  // The best k so far lie in their order, from place 1 on; in front of them is one that nothing comes before. An
  // element that comes before the last of them goes in where it belongs, and the others move on: each of the new ones
  // follows from two of the old ones, so they are lanes. The first k go in as they come.
  void select(std::int64_t k, bool alone) {
    const std::int64_t room = room_for(k);
    const auto scratch = [&](Dtype dtype, std::int64_t size, std::string_view name) {
      const IndexExpr dims[] = {index_.constant(size)};
      return ops_.named("alloc", {}, types_.buffer(dtype, dims, alone ? Scope::Arena : Scope::Thread), name);
    };
    const Value best = scratch(held_, room + 1, "best"), next = scratch(held_, room, "next");
    const Value places = scratch(place_, room + 1, "places"), next_places = scratch(place_, room, "next_places");
    // Of the place after j, and of the number.
    const auto load_behind = [&](Value buffer, Value j) {
      const IndexExpr at[] = {index_.add(index_.opaque(0), index_.constant(1))};
      return ops_.load_at(buffer, at, {j});
    };
    const auto store_behind = [&](Value v, Value buffer, Value j) {
      const IndexExpr at[] = {index_.add(index_.opaque(0), index_.constant(1))};
      ops_.store_at(v, buffer, at, {j}, false);
    };
    const auto first_of = [&](Value v, Value buffer) {
      const IndexExpr at[] = {index_.constant(0)};
      ops_.store_at(v, buffer, at, {}, false);
    };
    const auto each_of = [&](std::int64_t from, IndexExpr to, const auto& what) {
      const OpRef made = ops_.loop(index_.constant(from), to, {}, "j", {}, false);
      what(made.region(0).argument(0));
      ops_.end(made);
    };
    const auto insert = [&](Value v, Value here) {
      each_of(0, index_.constant(room), [&](Value j) {
        const Value before_it = ops_.load(best, {j}), old = load_behind(best, j);
        const Value moves = before(v, before_it), enters = before(v, old);
        ops_.store(ops_.choose(moves, before_it, ops_.choose(enters, v, old)), next, {j});
        const Value old_place = load_behind(places, j);
        ops_.store(ops_.choose(moves, ops_.load(places, {j}), ops_.choose(enters, here, old_place)), next_places, {j});
      });
      each_of(0, index_.constant(room), [&](Value j) {
        store_behind(ops_.load(next, {j}), best, j);
        store_behind(ops_.load(next_places, {j}), places, j);
      });
    };
    const Value nothing = ops_.literal(held_, 0), nowhere = ops_.literal(place_, 0);
    each_of(1, index_.constant(room + 1), [&](Value i) {
      ops_.store(nothing, best, {i});
      ops_.store(nowhere, places, {i});
    });
    first_of(first_of_all(), best);
    first_of(nowhere, places);
    if (k > 0) {
      each_of(0, kept_, [&](Value i) {
        const Value v = element_at(i), here = place_of(i);
        store_behind(v, best, i);
        store_behind(here, places, i);
        insert(v, here);
      });
      const IndexExpr last[] = {index_.constant(k)};
      const auto comes_before_last = [&](Value v) { return before(v, ops_.load_at(best, last, {})); };
      const auto take = [&](Value i) {
        const Value v = element_at(i);
        only_if(comes_before_last(v), [&] { insert(v, place_of(i)); });
      };
      if (axis_ + 1 < types_.rank(type_))
        each_of(k, count_, take);
      else
        each_in_blocks(k, comes_before_last, take);
    }
    each_of(0, kept_, [&](Value i) {
      for (std::size_t r = 0; r < results_.size(); ++r)
        give(load_behind(results_[r] == 0 ? best : places, i), results_[r], body_.argument(r + 1), i);
    });
  }

  // Whether that takes less than sorting the row: in a row in random order about k*ln(count/k) elements go in.
  [[nodiscard]] bool selects(std::int64_t k) {
    constexpr std::int64_t kFewOf = 12;
    const auto size = index_.as_constant(count_);
    return k <= kMostSelected && (!size || k <= 1 || *size >= kFewOf * k);
  }

  // Takes each element from the k-th on. Most of them go in nowhere, and of a block of them lanes tell that none does.
  template <class Test, class Take>
  void each_in_blocks(std::int64_t k, const Test& goes_in, const Take& take) {
    const IndexExpr left = index_.sub(count_, index_.constant(k)), width = index_.constant(kTestedElements);
    const OpRef blocks = loop(index_.ceildiv(left, width), "block", {}, false);
    const IndexExpr from = index_.add(index_.constant(k), index_.mul(width, index_.opaque(0)));
    const IndexExpr to = index_.min(index_.add(from, width), count_);
    const auto elements = [&](const std::vector<Value>& carried) {
      return ops_.loop(from, to, {blocks.region(0).argument(0)}, "i", carried, false);
    };
    const OpRef any = elements({ops_.literal(Dtype::I1, 0)});
    const Value i = any.region(0).argument(0), so_far = any.region(0).argument(1);
    ops_.end(any, {ops_.scalar("logical_or", {goes_in(element_at(i)), so_far}, ops_.i1())});
    only_if(any.result(0), [&] {
      const OpRef each = elements({});
      take(each.region(0).argument(0));
      ops_.end(each);
    });
    ops_.end(blocks);
  }
  template <class Body>
  void only_if(Value condition, const Body& body) {
    const OpRef branch = ops_.builder().create(LoopOp::If, {condition}, {}, {}, 1);
    ops_.builder().set_end(branch.region(0));
    body();
    ops_.end(branch);
  }

  // As many as are whole vectors, of more than a few.
  static std::int64_t room_for(std::int64_t k) {
    constexpr std::int64_t kFew = 4, kLanes = 32;
    if (k < kFew) return std::max<std::int64_t>(k, 1);
    if (k > kLanes) return (k + kLanes - 1) / kLanes * kLanes;
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(k)));
  }

  // What no element comes before.
  Value first_of_all() {
    const double infinity = std::numeric_limits<double>::infinity();
    const double real = descending_ ? std::numeric_limits<double>::quiet_NaN() : -infinity;
    const auto [least, most] = extreme_integers(held_);
    return LiteralRef::create(ops_.builder(), held_, real, descending_ ? most : least).op().result();
  }

  // --- order
  // Whether an element stands strictly before another one. NaN is the largest.
  Value before(Value a, Value b) {
    if (descending_) std::swap(a, b);
    if (!is_float(a.dtype())) return ops_.less(a, b);
    // Not at least b, and a number.
    return both(opposite(ops_.scalar("le", {b, a}, ops_.i1())), opposite(ops_.scalar("isnan", {a}, ops_.i1())));
  }

  Value buffer(Dtype dtype, std::vector<IndexExpr> dims, std::string_view name) {
    return ops_.named("alloc", {}, types_.buffer(dtype, dims, scope_), name);
  }
  // A loop over 0 .. end-1 that carries values.
  template <class Body>
  std::vector<Value> carry(IndexExpr end, std::string_view name, const std::vector<Value>& initial, const Body& body) {
    const OpRef made = loop(end, name, initial, false);
    const RegionRef region = made.region(0);
    std::vector<Value> carried, results;
    for (std::size_t i = 0; i < initial.size(); ++i) carried.push_back(region.argument(i + 1));
    ops_.end(made, body(region.argument(0), carried));
    for (std::size_t i = 0; i < initial.size(); ++i) results.push_back(made.result(i));
    return results;
  }

  void sort_row() {
    const std::int64_t most = wide_ ? kMostCountedWide : kMostCounted;
    if (const auto size = index_.as_constant(count_)) return *size <= most ? count_less() : by_digits();
    const Value few = ops_.scalar("le", {ops_.apply(count_, {}), ops_.number(most)}, ops_.i1());
    const OpRef branch = ops_.builder().create(LoopOp::If, {few}, {}, {}, 2);
    ops_.builder().set_end(branch.region(0));
    count_less();
    ops_.builder().create(context_.opcode(LoopOp::Yield), {}, {}, {});
    ops_.builder().set_end(branch.region(1));
    by_digits();
    ops_.end(branch);
  }

  // --- short rows
  void count_less() {
    const Dtype dtype = wide_ ? Dtype::I64 : Dtype::I32;
    const Value keys = buffer(dtype, {count_}, "keys"), less = buffer(Dtype::I32, {count_}, "less");
    const Value equal = buffer(Dtype::I32, {count_}, "equal");
    each(count_, [&](Value i) { ops_.store(key_of(ops_.load(x_, at(i))), keys, {i}); });
    const Value zero = ops_.literal(Dtype::I32, 0), one = ops_.literal(Dtype::I32, 1);
    each(count_, [&](Value i) {
      const auto found = carry(count_, "j", {zero}, [&](Value j, const std::vector<Value>& counted) {
        const Value is_less = ops_.cast(ops_.less(ops_.load(keys, {j}), ops_.load(keys, {i})), Dtype::I32);
        return std::vector{calculated("add", counted[0], is_less)};
      });
      ops_.store(found[0], less, {i});
      ops_.store(zero, equal, {i});
    });
    // Equal elements become contiguous, in the order that they had.
    each(count_, [&](Value i) {
      const Value first = ops_.cast(ops_.load(less, {i}), Dtype::I64);
      const Value before_it = ops_.load(equal, {first}, true);
      ops_.store(calculated("add", before_it, one), equal, {first}, true);
      const Value to = ops_.sum(first, ops_.cast(before_it, Dtype::I64)), from = ops_.apply(index_.opaque(0), {i});
      if (kept_ == count_) return move(from, to, false, true);
      only_if(ops_.less(to, ops_.apply(kept_, {})), [&] { move(from, to, false, true); });
    });
  }

  // --- long rows
  // Keys of 32 bits stand with their places in one integer, others beside them. Two rows of them are written in turn.
  // Places and counts have 32 bits.
  void by_digits() {
    const auto size = index_.as_constant(count_);
    const std::int64_t digit = size && *size >= kManyElements ? kWideDigit : kDigit, values = std::int64_t{1} << digit;
    check_length();
    const IndexExpr two = index_.constant(2);
    const Dtype dtype = wide_ ? Dtype::I64 : Dtype::I32;
    const Value held = buffer(Dtype::I64, {two, count_}, "held");
    const Value places = wide_ ? buffer(place_, {two, count_}, "places") : Value();
    const Value starts = buffer(Dtype::I32, {index_.constant(values)}, "starts");
    const auto [lowest, highest] = extreme_integers(dtype);
    const IndexExpr first_side[] = {index_.constant(0), index_.opaque(0)};
    const Value place_bits = ops_.number(32);
    const auto ends =
        carry(count_, "i", {ops_.literal(dtype, highest), ops_.literal(dtype, lowest)},
              [&](Value i, const std::vector<Value>& so_far) {
                const Value key = key_of(ops_.load(x_, at(i))), here = ops_.apply(index_.opaque(0), {i});
                if (wide_) {
                  ops_.store_at(key, held, first_side, {i}, false);
                  ops_.store_at(as(here, place_), places, first_side, {i}, false);
                } else {
                  const Value high = calculated("bitwise_left_shift", ops_.cast(key, Dtype::I64), place_bits);
                  ops_.store_at(calculated("bitwise_or", high, here), held, first_side, {i}, false);
                }
                return std::vector{calculated("minimum", key, so_far[0]), calculated("maximum", key, so_far[1])};
              });
    const Value low = as(ends[0], Dtype::I64), range = difference(as(ends[1], Dtype::I64), low);
    const Value base = wide_ ? low : calculated("bitwise_left_shift", low, place_bits);
    const Value zero = ops_.number(0), none = ops_.literal(Dtype::I32, 0), one = ops_.literal(Dtype::I32, 1);

    // As long as keys less the least one have a digit.
    Builder& builder = ops_.builder();
    const Type types[] = {ops_.i64(), ops_.i64()};
    const Value initial[] = {zero, zero};
    const OpRef rounds = builder.create(context_.opcode(LoopOp::While), initial, {}, types, 2);
    const RegionRef test = rounds.region(0), round = rounds.region(1);
    const Value tested = test.add_argument(ops_.i64()), tested_side = test.add_argument(ops_.i64());
    const Value shift = round.add_argument(ops_.i64()), side = round.add_argument(ops_.i64());
    builder.set_end(test);
    Value more = ops_.scalar("ne", {calculated("bitwise_right_shift", range, tested), zero}, ops_.i1());
    if (wide_) more = both(more, ops_.less(tested, ops_.number(64)));  // the range may have the sign of an i64
    builder.create(LoopOp::Condition, {more, tested, tested_side}, {});
    builder.set_end(round);
    const Value by = wide_ ? shift : ops_.sum(shift, place_bits);
    const Value other = calculated("bitwise_xor", side, ops_.number(1));
    const IndexExpr at_side[] = {index_.mod(index_.opaque(0), two), index_.opaque(1)};
    const auto digit_of = [&](Value element) {
      return calculated("bitwise_right_shift", difference(element, base), by);
    };
    const IndexExpr at_digit[] = {index_.mod(index_.opaque(0), index_.constant(values))};
    each(index_.constant(values), [&](Value j) { ops_.store(none, starts, {j}); });
    each(count_, [&](Value i) {
      const Value found = digit_of(ops_.load_at(held, at_side, {side, i}));
      ops_.store_at(calculated("add", ops_.load_at(starts, at_digit, {found}), one), starts, at_digit, {found}, false);
    });
    carry(index_.constant(values), "j", {none}, [&](Value j, const std::vector<Value>& before_it) {
      const Value counted = ops_.load(starts, {j});
      ops_.store(before_it[0], starts, {j});
      return std::vector{calculated("add", before_it[0], counted)};
    });
    each(count_, [&](Value i) {
      const Value element = ops_.load_at(held, at_side, {side, i}), found = digit_of(element);
      const Value next = ops_.load_at(starts, at_digit, {found}), to = ops_.cast(next, Dtype::I64);
      ops_.store_at(calculated("add", next, one), starts, at_digit, {found}, false);
      ops_.store_at(element, held, at_side, {other, to}, true);
      if (wide_) ops_.store_at(ops_.load_at(places, at_side, {side, i}), places, at_side, {other, to}, true);
    });
    ops_.end(rounds, {ops_.sum(shift, ops_.number(digit)), other});

    const Value last = rounds.result(1);
    each(kept_, [&](Value i) {
      Value from;
      if (wide_)
        from = as(ops_.load_at(places, at_side, {last, i}), Dtype::I64);
      else
        from = calculated("bitwise_and", ops_.load_at(held, at_side, {last, i}),
                          ops_.number(std::numeric_limits<std::uint32_t>::max()));
      move(from, i, true, false);
    });
  }

  Scope scope_ = Scope::Thread;
};

}  // namespace

OpRef lone_op(OpRef op) {
  if (!op.is(GraphOp::Fusion)) return op;
  OpRef found;
  if (op.operand_count() != 1) return found;
  for (const OpRef inner : op.region().ops())
    if (!inner.has_trait(Traits::Terminator)) {
      if (found.valid()) return {};
      found = inner;
    }
  return found;
}

OpRef sorting_op(OpRef op, const Facts& facts) {
  const OpRef found = lone_op(op);
  if (!found.valid() || !(found.is(GraphOp::Sort) || found.is(GraphOp::Topk))) return {};
  Context& context = op.module().context();
  const Type type = found.operand(0).type();
  if (!context.types().is_tensor(type) || context.types().rank(type) == 0) return {};
  if (found.is(GraphOp::Topk)) {
    // More than there are would be zeros.
    const auto kept = context.attributes().as_int(found.attr("k"));
    const auto dim = context.attributes().as_int64(found.attr("dim")).value_or(-1);
    const auto rank = static_cast<std::int64_t>(context.types().rank(type));
    const IndexExpr size = context.types().dims(type)[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
    if (!kept || !context.index().is_non_negative(context.index().sub(size, *kept), facts)) return {};
  }
  return found;
}

OpRef lower_sort(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name, SortBy by) {
  return by == SortBy::Merges ? loops::sort_by_merges(module, sort, results, name)
                              : SortLowering(module, sort).run(results, name);
}

}  // namespace mlgc
