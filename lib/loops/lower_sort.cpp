// See lower_sort.h.
//
// Places of elements are merged, not elements: two buffers of a row's length hold them in turn. A round merges blocks
// of w places from one buffer to the other and then blocks of 2w back, until a block is the row. A merge is one loop
// over the places that it writes; it carries where its block begins and the next place of either half.
#include "loops/lower_sort.h"

#include <string>
#include <vector>

#include "fusion/known_values.h"
#include "ir/builder.h"
#include "ops/instantiate_op.h"
#include "ops/loop_ops.h"

namespace mlgc {

namespace {

class SortLowering {
 public:
  SortLowering(Module& module, OpRef sort)
      : context_(module.context()),
        index_(context_.index()),
        types_(context_.types()),
        sort_(sort),
        builder_(module),
        type_(sort.operand(0).type()),
        i64_(types_.scalar(Dtype::I64)),
        i1_(types_.scalar(Dtype::I1)) {
    const std::int64_t dim = *context_.attributes().as_int64(attribute("dim"));
    axis_ = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(types_.rank(type_)) : dim);
    count_ = types_.dims(type_)[axis_];
    const bool topk = sort.is("topk");
    descending_ = *context_.attributes().as_bool(attribute(topk ? "largest" : "descending"));
    kept_ = topk ? *context_.attributes().as_int(attribute("k")) : count_;
  }

  OpRef run(std::span<const std::size_t> results, std::string_view name) {
    std::vector<Type> types{types_.buffer(types_.dtype(type_), types_.dims(type_), Scope::Argument)};
    for (const std::size_t r : results)
      types.push_back(types_.buffer(sort_.result(r).dtype(), sort_.result(r).dims(), Scope::Argument));
    const OpRef func = builder_.func(name, types);
    const RegionRef body = func.region(0);
    x_ = body.argument(0);
    x_.set_name("x");
    for (std::size_t i = 0; i < results.size(); ++i)
      body.argument(i + 1).set_name(results[i] == 0 ? "values" : "indices");
    builder_.set_end(body);
    std::vector<OpRef> rows;
    for (std::size_t d = 0; d < types_.rank(type_); ++d) {
      row_.emplace_back();
      if (d == axis_) continue;
      rows.push_back(loop(types_.dims(type_)[d], "b" + std::to_string(d), {}, true));
      row_.back() = rows.back().region(0).argument(0);
    }
    const Type places = types_.buffer(Dtype::I64, std::span(&count_, 1), rows.empty() ? Scope::Arena : Scope::Thread);
    const Value order = named("alloc", {}, places, "order"), other = named("alloc", {}, places, "other");
    merge_all(order, other);
    each(kept_, [&](Value i) {
      const Value place = load(order, {i}, true);
      for (std::size_t r = 0; r < results.size(); ++r)
        store(results[r] == 0 ? load(x_, at(place), true) : place, body.argument(r + 1), at(i));
    });
    for (std::size_t r = rows.size(); r-- > 0;) {
      builder_.create("yield", {}, {});
      builder_.set_after(rows[r]);
    }
    builder_.create("return", {}, {});
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
  Value named(std::string_view op, std::initializer_list<Value> operands, Type type, std::string_view name) {
    const Value made = builder_.create(op, operands, {type}).result();
    made.set_name(name);
    return made;
  }
  Value scalar(std::string_view op, std::initializer_list<Value> operands, Type type) {
    return builder_.create(op, operands, {type}).result();
  }
  Value sum(Value a, Value b) { return scalar("add", {a, b}, i64_); }
  Value least(Value a, Value b) { return scalar("minimum", {a, b}, i64_); }
  Value both(Value a, Value b) { return scalar("logical_and", {a, b}, i1_); }
  Value either(Value a, Value b) { return scalar("logical_or", {a, b}, i1_); }
  Value opposite(Value a) { return scalar("logical_not", {a}, i1_); }
  Value less(Value a, Value b) { return scalar("lt", {a, b}, i1_); }
  Value choose(Value condition, Value yes, Value no) { return scalar("where", {condition, yes, no}, yes.type()); }
  Value number(std::int64_t value) {
    const AttrDict attrs = builder_.attrs(
        {{"dtype", context_.attributes().dtype(Dtype::I64)}, {"value", context_.attributes().integer(value)}});
    return builder_.create("literal", {}, {i64_}, attrs).result();
  }
  // The value of an expression over one value, which is its opaque atom 0.
  Value apply(IndexExpr e, Value v) {
    std::vector<Value> operands;
    const Type types[] = {i64_};
    const AttrDict attrs = builder_.attrs({{"value", subscripts({e}, v, operands)}});
    return builder_.create(context_.find_op("apply"), operands, attrs, types).result();
  }
  Attribute subscripts(std::initializer_list<IndexExpr> expressions, Value v, std::vector<Value>& operands) {
    SubscriptBuilder builder(context_, operands);
    std::vector<IndexExpr> over;
    for (const IndexExpr e : expressions)
      over.push_back(index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
        return index_.atom(id).kind == AtomKind::Opaque ? std::optional(builder.atom(v)) : std::nullopt;
      }));
    return builder.numbered(std::move(over));
  }
  // The subscripts of an element of the row.
  std::vector<Value> at(Value place) const {
    std::vector<Value> out = row_;
    out[axis_] = place;
    return out;
  }
  AttrDict places(const std::vector<Value>& values, std::vector<Value>& operands, bool checked) {
    SubscriptBuilder builder(context_, operands);
    std::vector<IndexExpr> over;
    for (const Value v : values) over.push_back(builder.atom(v));
    AttributePool& pool = context_.attributes();
    AttrDict attrs = builder_.attrs({{"at", builder.numbered(std::move(over))}});
    return checked ? pool.with(attrs, context_.strings().intern("checked"), pool.boolean(true)) : attrs;
  }
  Value load(Value buffer, const std::vector<Value>& from, bool checked) {
    std::vector<Value> operands{buffer};
    const AttrDict attrs = places(from, operands, checked);
    const Type types[] = {types_.scalar(buffer.dtype())};
    return builder_.create(context_.find_op("load"), operands, attrs, types).result();
  }
  void store(Value value, Value buffer, const std::vector<Value>& to) {
    std::vector<Value> operands{value, buffer};
    const AttrDict attrs = places(to, operands, false);
    builder_.create(context_.find_op("store"), operands, attrs, {});
  }
  OpRef loop(IndexExpr end, std::string_view name, std::initializer_list<Value> initial, bool parallel) {
    AttributePool& pool = context_.attributes();
    const IndexExpr bounds[] = {index_.constant(0), end};
    AttrDict attrs = builder_.attrs({{"bounds", pool.subscripts(bounds)}});
    if (parallel) attrs = pool.with(attrs, context_.strings().intern("kind"), pool.string("parallel"));
    const std::vector<Value> carried(initial);
    const std::vector<Type> types(carried.size(), i64_);
    const OpRef made = builder_.create(context_.find_op("for"), carried, attrs, types, 1);
    made.region(0).add_argument(types_.index()).set_name(name);
    for (const Type type : types) made.region(0).add_argument(type);
    builder_.set_end(made.region(0));
    return made;
  }
  template <class Body>
  void each(IndexExpr end, const Body& body) {
    const OpRef made = loop(end, "i", {}, false);
    body(made.region(0).argument(0));
    builder_.create("yield", {}, {});
    builder_.set_after(made);
  }

  // --- merging
  // Whether an element stands strictly before another one. NaN is the largest.
  Value before(Value a, Value b) {
    if (descending_) std::swap(a, b);
    const Value smaller = less(a, b);
    if (!is_float(a.dtype())) return smaller;
    return either(smaller, both(scalar("isnan", {b}, i1_), opposite(scalar("isnan", {a}, i1_))));
  }

  void merge_all(Value order, Value other) {
    each(count_, [&](Value i) { store(apply(index_.opaque(0), i), order, {i}); });
    count_value_ = apply(count_, {});
    zero_ = number(0);
    one_ = number(1);
    const Type types[] = {i64_};
    const Value initial[] = {one_};
    const OpRef rounds = builder_.create(context_.find_op("while"), initial, {}, types, 2);
    const Value width = rounds.region(0).add_argument(i64_), blocks = rounds.region(1).add_argument(i64_);
    builder_.set_end(rounds.region(0));
    builder_.create("condition", {less(width, count_value_), width}, {});
    builder_.set_end(rounds.region(1));
    const Value twice = sum(blocks, blocks), four = sum(twice, twice);
    merge(order, other, blocks, twice);
    merge(other, order, twice, four);
    builder_.create("yield", {four}, {});
    builder_.set_after(rounds);
  }

  void merge(Value from, Value to, Value half, Value whole) {
    const OpRef made = loop(count_, "i", {zero_, zero_, least(half, count_value_)}, false);
    const RegionRef body = made.region(0);
    const Value i = body.argument(0), here = apply(index_.opaque(0), i);
    const Value fresh = scalar("eq", {sum(body.argument(1), whole), here}, i1_);
    const Value block = choose(fresh, here, body.argument(1));
    const Value middle = least(sum(block, half), count_value_), end = least(sum(block, whole), count_value_);
    const Value left = choose(fresh, here, body.argument(2)), right = choose(fresh, middle, body.argument(3));
    // A half that is used up is read at its last place, for nothing.
    const IndexExpr last = index_.sub(count_, index_.constant(1));
    const auto place = [&](Value next) { return load(from, {apply(index_.min(index_.opaque(0), last), next)}, true); };
    const Value from_left = place(left), from_right = place(right);
    const auto element = [&](Value at_place) {
      const Value v = load(x_, at(at_place), true);
      if (v.dtype() != Dtype::F16 && v.dtype() != Dtype::BF16) return v;
      const AttrDict to_f32 = builder_.attrs({{"dtype", context_.attributes().dtype(Dtype::F32)}});
      return builder_.create("cast", {v}, {types_.scalar(Dtype::F32)}, to_f32).result();
    };
    // Of equal elements the left one comes first.
    const Value better = before(element(from_right), element(from_left));
    const Value takes_right = both(less(right, end), either(opposite(less(left, middle)), better));
    store(choose(takes_right, from_right, from_left), to, {i});
    builder_.create(
        "yield", {block, choose(takes_right, left, sum(left, one_)), choose(takes_right, sum(right, one_), right)}, {});
    builder_.set_after(made);
  }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  OpRef sort_;
  Builder builder_;
  Type type_, i64_, i1_;
  std::size_t axis_ = 0;
  IndexExpr count_, kept_;
  bool descending_ = false;
  Value x_, count_value_, zero_, one_;
  std::vector<Value> row_;  // indices of the rows, by dim; none for the sorted one
};

}  // namespace

OpRef sorting_op(OpRef op, const Facts& facts) {
  OpRef found;
  if (op.is("sort") || op.is("topk")) {
    found = op;
  } else if (op.is("fusion") && op.operand_count() == 1) {
    for (const OpRef inner : op.region().ops())
      if (!inner.has_trait(Traits::Terminator)) {
        if (found.valid() || !(inner.is("sort") || inner.is("topk"))) return {};
        found = inner;
      }
  }
  if (!found.valid()) return {};
  Context& context = op.module().context();
  const Type type = found.operand(0).type();
  if (!context.types().is_tensor(type) || context.types().rank(type) == 0) return {};
  if (found.is("topk")) {
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
