// See lower_sort.h.
//
// Elements are merged with their places: two pairs of buffers of a row's length hold them in turn, so that all that is
// compared is read in order. A round merges blocks of w from one pair to the other and then blocks of 2w back, until a
// block is the row. A merge is one loop over the places that it writes; it carries where its block begins and the next
// place of either half.
#include "loops/lower_sort.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "fusion/known_values.h"
#include "loopir/loop_ops.h"
#include "loops/loop_builder.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

// Of more, rows are sorted: an element that goes in moves all of them.
constexpr std::int64_t kMostSelected = 128;

class SortLowering {
 public:
  SortLowering(Module& module, OpRef sort)
      : context_(module.context()),
        index_(context_.index()),
        types_(context_.types()),
        sort_(sort),
        ops_(module),
        type_(sort.operand(0).type()) {
    const std::int64_t dim = *context_.attributes().as_int64(attribute("dim"));
    axis_ = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(types_.rank(type_)) : dim);
    count_ = types_.dims(type_)[axis_];
    const bool topk = sort.is(GraphOp::Topk);
    descending_ = *context_.attributes().as_bool(attribute(topk ? "largest" : "descending"));
    kept_ = topk ? *context_.attributes().as_int(attribute("k")) : count_;
    stored_ = types_.dtype(type_);
    held_ = stored_ == Dtype::F16 || stored_ == Dtype::BF16 ? Dtype::F32 : stored_;
    const auto most = index_.as_constant(count_);
    place_ = most && *most <= std::numeric_limits<std::int32_t>::max() ? Dtype::I32 : Dtype::I64;
  }

  OpRef run(std::span<const std::size_t> results, std::string_view name) {
    std::vector<Type> types{types_.buffer(types_.dtype(type_), types_.dims(type_), Scope::Argument)};
    for (const std::size_t r : results)
      types.push_back(types_.buffer(sort_.result(r).dtype(), sort_.result(r).dims(), Scope::Argument));
    const OpRef func = ops_.builder().func(name, types);
    const RegionRef body = func.region(0);
    x_ = body.argument(0);
    x_.set_name("x");
    for (std::size_t i = 0; i < results.size(); ++i)
      body.argument(i + 1).set_name(results[i] == 0 ? "values" : "indices");
    ops_.builder().set_end(body);
    std::vector<OpRef> rows;
    for (std::size_t d = 0; d < types_.rank(type_); ++d) {
      row_.emplace_back();
      if (d == axis_) continue;
      rows.push_back(loop(types_.dims(type_)[d], "b" + std::to_string(d), {}, true));
      row_.back() = rows.back().region(0).argument(0);
    }
    if (const auto k = index_.as_constant(kept_); sort_.is(GraphOp::Topk) && k && *k <= kMostSelected) {
      select(*k, results, body, rows.empty());
      for (std::size_t r = rows.size(); r-- > 0;) ops_.end(rows[r]);
      ops_.builder().create(LoopOp::Return, {}, {});
      return func;
    }
    const Scope scope = rows.empty() ? Scope::Arena : Scope::Thread;
    const auto pair = [&](std::string_view keys, std::string_view places) {
      const auto made = [&](Dtype dtype, std::string_view name_of) {
        return ops_.named("alloc", {}, types_.buffer(dtype, std::span(&count_, 1), scope), name_of);
      };
      return Ordered{made(held_, keys), made(place_, places)};
    };
    const Ordered sorted = pair("keys", "order"), other = pair("other_keys", "other");
    merge_all(sorted, other);
    each(kept_, [&](Value i) {
      for (std::size_t r = 0; r < results.size(); ++r)
        give(ops_.load(results[r] == 0 ? sorted.keys : sorted.places, {i}), results[r], body.argument(r + 1), i);
    });
    for (std::size_t r = rows.size(); r-- > 0;) ops_.end(rows[r]);
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

 private:
  // --- ops
  [[nodiscard]] Attribute attribute(std::string_view name) {
    const auto all = check_attributes(context_, sort_.def(), sort_.attrs());
    MLGC_ASSERT(all.ok(), "attributes that the verifier accepted");
    AttributePool& pool = context_.attributes();
    const AttrValue* const value = all->find(name);
    MLGC_ASSERT(value != nullptr, "an attribute without a fallback");
    if (const auto* flag = std::get_if<bool>(value)) return pool.boolean(*flag);
    return pool.integer(std::get<IndexExpr>(*value));
  }
  Value number_of(Value truth) { return ops_.cast(truth, Dtype::I64); }
  Value common(Value a, Value b) { return ops_.scalar("bitwise_and", {a, b}, ops_.i64()); }
  Value other_than(Value a) { return ops_.scalar("bitwise_xor", {a, one_}, ops_.i64()); }
  Value difference(Value a, Value b) { return ops_.scalar("sub", {a, b}, ops_.i64()); }
  Value least(Value a, Value b) { return ops_.scalar("minimum", {a, b}, ops_.i64()); }
  Value both(Value a, Value b) { return ops_.scalar("logical_and", {a, b}, ops_.i1()); }
  Value opposite(Value a) { return ops_.scalar("logical_not", {a}, ops_.i1()); }
  struct Ordered {
    Value keys, places;
  };
  [[nodiscard]] Value as(Value v, Dtype dtype) { return v.dtype() == dtype ? v : ops_.cast(v, dtype); }
  // An element of the row as it is held; its place.
  Value element_at(Value i) { return as(ops_.load(x_, at(i)), held_); }
  Value place_of(Value i) { return as(ops_.apply(index_.opaque(0), {i}), place_); }
  // Of the result of that number.
  void give(Value found, std::size_t result, Value to, Value i) {
    ops_.store(as(found, result == 0 ? stored_ : Dtype::I64), to, at(i));
  }
  // The subscripts of an element of the row.
  std::vector<Value> at(Value place) const {
    std::vector<Value> out = row_;
    out[axis_] = place;
    return out;
  }
  OpRef loop(IndexExpr end, std::string_view name, const std::vector<Value>& initial, bool parallel) {
    return ops_.loop(index_.constant(0), end, {}, name, initial, parallel);
  }
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
  void select(std::int64_t k, std::span<const std::size_t> results, RegionRef body, bool alone) {
    const std::int64_t room = room_for(k);
    const auto scratch = [&](Dtype dtype, std::int64_t size, std::string_view name) {
      const IndexExpr dims[] = {index_.constant(size)};
      return ops_.named("alloc", {}, types_.buffer(dtype, dims, alone ? Scope::Arena : Scope::Thread), name);
    };
    const Value best = scratch(held_, room + 1, "best"), next = scratch(held_, room, "next");
    const Value places = scratch(place_, room + 1, "places"), next_places = scratch(place_, room, "next_places");
    // Of the place behind j, and of the number.
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
      each_of(k, count_, [&](Value i) {
        const Value v = element_at(i);
        const OpRef branch = ops_.builder().create(LoopOp::If, {before(v, ops_.load_at(best, last, {}))}, {}, {}, 1);
        ops_.builder().set_end(branch.region(0));
        insert(v, place_of(i));
        ops_.end(branch);
      });
    }
    each_of(0, kept_, [&](Value i) {
      for (std::size_t r = 0; r < results.size(); ++r)
        give(load_behind(results[r] == 0 ? best : places, i), results[r], body.argument(r + 1), i);
    });
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

  // --- merging
  // Whether an element stands strictly before another one. NaN is the largest.
  Value before(Value a, Value b) {
    if (descending_) std::swap(a, b);
    if (!is_float(a.dtype())) return ops_.less(a, b);
    // Not at least b, and a number.
    return both(opposite(ops_.scalar("le", {b, a}, ops_.i1())), opposite(ops_.scalar("isnan", {a}, ops_.i1())));
  }

  // The same as a number.
  Value is_before(Value a, Value b) {
    if (descending_) std::swap(a, b);
    if (!is_float(a.dtype())) return number_of(ops_.less(a, b));
    const Value at_least = number_of(ops_.scalar("le", {b, a}, ops_.i1()));
    const Value is_nan = number_of(ops_.scalar("isnan", {a}, ops_.i1()));
    return other_than(ops_.scalar("bitwise_or", {at_least, is_nan}, ops_.i64()));
  }

  void merge_all(const Ordered& sorted, const Ordered& other) {
    each(count_, [&](Value i) {
      ops_.store(element_at(i), sorted.keys, {i});
      ops_.store(place_of(i), sorted.places, {i});
    });
    count_value_ = ops_.apply(count_, {});
    zero_ = ops_.number(0);
    one_ = ops_.number(1);
    const Type types[] = {ops_.i64()};
    const Value initial[] = {one_};
    Builder& builder = ops_.builder();
    const OpRef rounds = builder.create(context_.opcode(LoopOp::While), initial, {}, types, 2);
    const Value width = rounds.region(0).add_argument(ops_.i64()), blocks = rounds.region(1).add_argument(ops_.i64());
    builder.set_end(rounds.region(0));
    builder.create(LoopOp::Condition, {ops_.less(width, count_value_), width}, {});
    builder.set_end(rounds.region(1));
    const Value twice = ops_.sum(blocks, blocks), four = ops_.sum(twice, twice);
    merge(sorted, other, blocks, twice);
    merge(other, sorted, twice, four);
    ops_.end(rounds, {four});
  }

  void merge(const Ordered& from, const Ordered& to, Value half, Value whole) {
    const OpRef made = loop(count_, "i", {zero_, zero_, least(half, count_value_)}, false);
    const RegionRef body = made.region(0);
    const Value i = body.argument(0), here = ops_.apply(index_.opaque(0), {i});
    const Value fresh = ops_.scalar("eq", {ops_.sum(body.argument(1), whole), here}, ops_.i1());
    const Value block = ops_.choose(fresh, here, body.argument(1));
    const Value middle = least(ops_.sum(block, half), count_value_), end = least(ops_.sum(block, whole), count_value_);
    const Value left = ops_.choose(fresh, here, body.argument(2)), right = ops_.choose(fresh, middle, body.argument(3));
    // A half that is used up is read at its last place, for nothing.
    const IndexExpr last = index_.sub(count_, index_.constant(1));
    const auto element = [&](Value next) {
      return ops_.load(from.keys, {ops_.apply(index_.min(index_.opaque(0), last), {next})}, true);
    };
    const Value from_left = element(left), from_right = element(right);
    // Of equal elements the left one comes first. All by arithmetic: which half it is, machines cannot foresee, so a
    // branch would be dear.
    const Value in_left = number_of(ops_.less(left, middle)), in_right = number_of(ops_.less(right, end));
    const Value stays = common(in_left, other_than(is_before(from_right, from_left)));
    const Value step = common(in_right, other_than(stays));
    const Value taken = ops_.sum(left, common(difference(zero_, step), difference(right, left)));
    ops_.store(ops_.load(from.keys, {taken}, true), to.keys, {i});
    ops_.store(ops_.load(from.places, {taken}, true), to.places, {i});
    ops_.end(made, {block, ops_.sum(left, other_than(step)), ops_.sum(right, step)});
  }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  OpRef sort_;
  loops::LoopBuilder ops_;
  Type type_;
  std::size_t axis_ = 0;
  IndexExpr count_, kept_;
  bool descending_ = false;
  Dtype stored_{}, held_{}, place_{};  // of elements in memory and here, and of their places
  Value x_, count_value_, zero_, one_;
  std::vector<Value> row_;  // indices of the rows, by dim; none for the sorted one
};

}  // namespace

OpRef sorting_op(OpRef op, const Facts& facts) {
  OpRef found;
  if (op.is(GraphOp::Sort) || op.is(GraphOp::Topk)) {
    found = op;
  } else if (op.is(GraphOp::Fusion) && op.operand_count() == 1) {
    for (const OpRef inner : op.region().ops())
      if (!inner.has_trait(Traits::Terminator)) {
        if (found.valid() || !(inner.is(GraphOp::Sort) || inner.is(GraphOp::Topk))) return {};
        found = inner;
      }
  }
  if (!found.valid()) return {};
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

OpRef lower_sort(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name) {
  return SortLowering(module, sort).run(results, name);
}

}  // namespace mlgc
