// See lower_sort.h.
//
// Places of elements are merged, not elements: two buffers of a row's length hold them in turn. A round merges blocks
// of w places from one buffer to the other and then blocks of 2w back, until a block is the row. A merge is one loop
// over the places that it writes; it carries where its block begins and the next place of either half.
#include "loops/lower_sort.h"

#include <string>
#include <vector>

#include "fusion/known_values.h"
#include "loops/loop_builder.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

// Of more, rows are sorted: an element that goes in moves half of them.
constexpr std::int64_t kMostSelected = 32;

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
    const Type places = types_.buffer(Dtype::I64, std::span(&count_, 1), rows.empty() ? Scope::Arena : Scope::Thread);
    const Value order = ops_.named("alloc", {}, places, "order"), other = ops_.named("alloc", {}, places, "other");
    merge_all(order, other);
    each(kept_, [&](Value i) {
      const Value place = ops_.load(order, {i}, true);
      for (std::size_t r = 0; r < results.size(); ++r)
        ops_.store(results[r] == 0 ? ops_.load(x_, at(place), true) : place, body.argument(r + 1), at(i));
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
  Value least(Value a, Value b) { return ops_.scalar("minimum", {a, b}, ops_.i64()); }
  Value both(Value a, Value b) { return ops_.scalar("logical_and", {a, b}, ops_.i1()); }
  Value either(Value a, Value b) { return ops_.scalar("logical_or", {a, b}, ops_.i1()); }
  Value opposite(Value a) { return ops_.scalar("logical_not", {a}, ops_.i1()); }
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
  // The best k so far lie in their order in two buffers; an element that comes before the last of them goes in where
  // it belongs, and the others move on. The first k go in as they come.
  void select(std::int64_t k, std::span<const std::size_t> results, RegionRef body, bool alone) {
    const Scope scope = alone ? Scope::Arena : Scope::Thread;
    const IndexExpr dims[] = {kept_};
    const Dtype stored = types_.dtype(type_);
    const Dtype held = stored == Dtype::F16 || stored == Dtype::BF16 ? Dtype::F32 : stored;
    const Value best = ops_.named("alloc", {}, types_.buffer(held, dims, scope), "best");
    const Value places = ops_.named("alloc", {}, types_.buffer(Dtype::I64, dims, scope), "places");
    zero_ = ops_.number(0);
    one_ = ops_.number(1);
    const Value nothing = ops_.literal(held, 0);
    each(kept_, [&](Value i) {
      ops_.store(nothing, best, {i});
      ops_.store(zero_, places, {i});
    });
    const Value last = ops_.number(k - 1);
    if (k > 0)
      each(count_, [&](Value i) {
        const Value here = ops_.apply(index_.opaque(0), {i}), element = ops_.load(x_, at(i));
        const Value v = held == stored ? element : ops_.cast(element, held);
        const Value fills = opposite(ops_.less(last, here));
        const Value enters = either(fills, before(v, ops_.load(best, {last}, true)));
        const OpRef branch = ops_.builder().create(LoopOp::If, {enters}, {}, {}, 1);
        ops_.builder().set_end(branch.region(0));
        const OpRef moves = ops_.loop(index_.constant(0), kept_, {}, "j", {v, here, zero_}, false);
        const RegionRef inside = moves.region(0);
        const Value j = inside.argument(0), value = inside.argument(1), place = inside.argument(2);
        const Value there = ops_.apply(index_.opaque(0), {j}), old = ops_.load(best, {j}),
                    old_place = ops_.load(places, {j});
        const Value moved = ops_.scalar("eq", {inside.argument(3), one_}, ops_.i1());
        const Value free = both(fills, opposite(ops_.less(there, here)));
        const Value takes = either(either(moved, free), before(value, old));
        ops_.store(ops_.choose(takes, value, old), best, {j});
        ops_.store(ops_.choose(takes, place, old_place), places, {j});
        ops_.end(moves, {ops_.choose(takes, old, value), ops_.choose(takes, old_place, place),
                         ops_.choose(takes, one_, zero_)});
        ops_.end(branch);
      });
    each(kept_, [&](Value i) {
      for (std::size_t r = 0; r < results.size(); ++r) {
        const Value place = ops_.load(places, {i});
        ops_.store(results[r] == 0 ? ops_.load(x_, at(place), true) : place, body.argument(r + 1), at(i));
      }
    });
  }

  // --- merging
  // Whether an element stands strictly before another one. NaN is the largest.
  Value before(Value a, Value b) {
    if (descending_) std::swap(a, b);
    const Value smaller = ops_.less(a, b);
    if (!is_float(a.dtype())) return smaller;
    return either(smaller, both(ops_.scalar("isnan", {b}, ops_.i1()), opposite(ops_.scalar("isnan", {a}, ops_.i1()))));
  }

  void merge_all(Value order, Value other) {
    each(count_, [&](Value i) { ops_.store(ops_.apply(index_.opaque(0), {i}), order, {i}); });
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
    merge(order, other, blocks, twice);
    merge(other, order, twice, four);
    ops_.end(rounds, {four});
  }

  void merge(Value from, Value to, Value half, Value whole) {
    const OpRef made = loop(count_, "i", {zero_, zero_, least(half, count_value_)}, false);
    const RegionRef body = made.region(0);
    const Value i = body.argument(0), here = ops_.apply(index_.opaque(0), {i});
    const Value fresh = ops_.scalar("eq", {ops_.sum(body.argument(1), whole), here}, ops_.i1());
    const Value block = ops_.choose(fresh, here, body.argument(1));
    const Value middle = least(ops_.sum(block, half), count_value_), end = least(ops_.sum(block, whole), count_value_);
    const Value left = ops_.choose(fresh, here, body.argument(2)), right = ops_.choose(fresh, middle, body.argument(3));
    // A half that is used up is read at its last place, for nothing.
    const IndexExpr last = index_.sub(count_, index_.constant(1));
    const auto place = [&](Value next) {
      return ops_.load(from, {ops_.apply(index_.min(index_.opaque(0), last), {next})}, true);
    };
    const Value from_left = place(left), from_right = place(right);
    const auto element = [&](Value at_place) {
      const Value v = ops_.load(x_, at(at_place), true);
      if (v.dtype() != Dtype::F16 && v.dtype() != Dtype::BF16) return v;
      return ops_.cast(v, Dtype::F32);
    };
    // Of equal elements the left one comes first.
    const Value better = before(element(from_right), element(from_left));
    const Value takes_right = both(ops_.less(right, end), either(opposite(ops_.less(left, middle)), better));
    ops_.store(ops_.choose(takes_right, from_right, from_left), to, {i});
    ops_.end(made, {block, ops_.choose(takes_right, left, ops_.sum(left, one_)),
                    ops_.choose(takes_right, ops_.sum(right, one_), right)});
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
