// See loop_edit.h.
#include "schedule/loop_edit.h"

#include <array>

#include "ir/builder.h"
#include "ir/linear_coefficient.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "schedule/loop_transforms.h"

namespace mlgc::schedule {

void set_element(OpRef access, Value buffer, const std::vector<IndexExpr>& subscripts) {
  const AccessRef of = AccessRef::from(access);
  std::vector<Value> operands;
  if (of.is_store()) operands.push_back(of.value());
  operands.push_back(buffer);
  const Attribute where = brackets(access.module(), operands, subscripts);
  of.set_place(operands, where);
}
std::optional<std::int64_t> coefficient_of(IndexExpr e, Value v) {
  const IndexPool& pool = v.module().context().index();
  return linear_coefficient(pool, e, *pool.as_atom(of_value(v)));
}

bool is_size(const IndexPool& pool, IndexExpr e) {
  bool plain = e != pool.overflow();
  pool.for_each_atom(e, [&](AtomId id) { plain = plain && pool.atom(id).kind != AtomKind::Opaque; });
  return plain;
}

bool is_plain_size(const IndexPool& pool, IndexExpr e) {
  bool plain = is_size(pool, e);
  pool.for_each_atom(e, [&](AtomId id) {
    plain = plain && pool.atom(id).kind != AtomKind::Min && pool.atom(id).kind != AtomKind::Max;
  });
  return plain;
}

namespace {

// `each(e)`, taken to the operands of the minima and maxima in e. `each` keeps the order of its operands; a negative
// factor turns it.
template <class Each>
IndexExpr inside_extremes(IndexPool& pool, IndexExpr e, const Each& each) {
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    const std::int64_t times = term.coefficient;
    if (term.factors.size() != 1) continue;
    const AtomId id = term.factors[0];
    const Atom atom = pool.atom(id);
    if (atom.kind != AtomKind::Min && atom.kind != AtomKind::Max) continue;
    const IndexExpr rest = pool.sub(e, pool.scale(pool.from_atom(id), times));
    const IndexExpr a = inside_extremes(pool, pool.add(rest, pool.scale(atom.a, times)), each);
    const IndexExpr b = inside_extremes(pool, pool.add(rest, pool.scale(atom.b, times)), each);
    return (atom.kind == AtomKind::Min) == (times > 0) ? pool.min(a, b) : pool.max(a, b);
  }
  return each(e);
}

}  // namespace

IndexExpr quotient_of(IndexPool& pool, IndexExpr e, std::int64_t size) {
  return inside_extremes(pool, e, [&](IndexExpr part) { return pool.floordiv(part, pool.constant(size)); });
}

IndexExpr product_of(IndexPool& pool, IndexExpr e, std::int64_t size) {
  return inside_extremes(pool, e, [&](IndexExpr part) { return pool.scale(part, size); });
}

IndexExpr covered_by(IndexPool& pool, IndexExpr tiles, std::int64_t size) {
  const IndexExpr all = product_of(pool, tiles, size);
  const auto atom = pool.as_atom(all);
  return atom && pool.atom(*atom).kind == AtomKind::Min ? pool.max(all, pool.constant(0)) : all;
}

IndexExpr mapped(Module& module, IndexExpr over_values, const ValueMap& map) {
  IndexPool& pool = module.context().index();
  return pool.substitute(over_values, [&](AtomId id) -> std::optional<IndexExpr> {
    if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
    const Value to = map.find(Value(&module, ValueId(pool.atom(id).number)));
    return to.valid() ? std::optional(of_value(to)) : std::nullopt;
  });
}

Attribute brackets(Module& module, std::vector<Value>& operands, std::span<const IndexExpr> expressions) {
  IndexPool& pool = module.context().index();
  SubscriptBuilder builder(module.context(), operands);
  std::vector<IndexExpr> own;
  for (const IndexExpr e : expressions)
    own.push_back(pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
      return builder.atom(Value(&module, ValueId(pool.atom(id).number)));
    }));
  return builder.numbered(std::move(own));
}

std::string fresh_name(OpRef loop, const std::string& stem) {
  OpRef func = loop;
  while (!func.is(LoopOp::Func)) func = func.parent_op();
  std::string name = stem;
  for (int n = 2;; name = stem + std::to_string(n++)) {
    const bool free = walk(func, [&](OpRef op) {
      const ForRef other = ForRef::from(op);
      return other.valid() && other.index().name() == name ? WalkResult::Stop : WalkResult::Continue;
    });
    if (free) return name;
  }
}

std::vector<Value> initial_values(ForRef loop) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) out.push_back(loop.initial(i));
  return out;
}

void set_loop(OpRef loop, IndexExpr first, IndexExpr last, const std::vector<Value>& initial) {
  std::vector<IndexExpr> expressions{first, last};
  if (const auto skew = skew_over_values(ForRef::from(loop))) expressions.push_back(*skew);
  std::vector<Value> operands;
  const Attribute bounds = brackets(loop.module(), operands, expressions);
  ForRef::from(loop).set_bounds(std::move(operands), bounds, initial);
}

OpRef wrap(OpRef inner, IndexExpr last, std::string_view name) {
  Module& module = inner.module();
  IndexPool& pool = module.context().index();
  const ForRef of_inner = ForRef::from(inner);
  std::vector<Value> operands;
  Builder builder(module);
  builder.set_location(inner.location());
  builder.set_before(inner);
  const Attribute bounds = brackets(module, operands, std::array{pool.constant(0), last});
  const OpRef outer = ForRef::create(builder, std::move(operands), bounds, initial_values(of_inner), name).op();
  const RegionRef body = outer.region(0);
  for (std::size_t i = 0; i < outer.result_count(); ++i) inner.result(i).replace_all_uses_with(outer.result(i));
  inner.move_to_end(body);
  builder.set_end(body);
  std::vector<Value> next(inner.results().begin(), inner.results().end());
  builder.create(module.context().opcode(LoopOp::Yield), next, {}, {});
  return outer;
}

Value neutral_literal(Builder& builder, ScalarFn fn, Dtype dtype) {
  const NeutralElement neutral = neutral_element(fn, dtype);
  return LiteralRef::create(builder, dtype, neutral.real, neutral.integer).op().result();
}

OpRef new_loop(Builder& builder, IndexExpr first, IndexExpr last, const std::string& name,
               const std::vector<Value>& initial) {
  std::vector<Value> operands;
  const Attribute bounds = brackets(builder.module(), operands, std::array{first, last});
  return ForRef::create(builder, std::move(operands), bounds, initial, name).op();
}

Value load_of(Builder& builder, Value buffer, std::span<const IndexExpr> subscripts) {
  std::vector<Value> operands{buffer};
  const Attribute at = brackets(builder.module(), operands, subscripts);
  return LoadRef::create(builder, operands, at).value();
}

void store_of(Builder& builder, Value value, Value buffer, std::span<const IndexExpr> subscripts) {
  std::vector<Value> operands{value, buffer};
  const Attribute at = brackets(builder.module(), operands, subscripts);
  StoreRef::create(builder, operands, at);
}

AccessRef access_like(Builder& builder, AccessRef of, std::vector<Value> operands,
                      std::span<const IndexExpr> subscripts) {
  const Attribute at = brackets(builder.module(), operands, subscripts);
  std::vector<Type> results;
  for (const Value v : of.op().results()) results.push_back(v.type());
  const AccessRef made = AccessRef::from(builder.create(of.op().opcode(), operands, of.op().attrs(), results));
  made.set_place(operands, at);
  OpRef op = made.op();
  op.set_location(of.op().location());
  return made;
}

Value step_like(Builder& builder, ForRef loop, std::size_t i, OpRef step, Value carried, Value other) {
  // What other loops carried is no product: it is added.
  if (FmaRef::from(step).valid()) return builder.create(GraphOp::Add, {carried, other}, {carried.type()}).result();
  const bool carried_first = step.operand(0) == loop.carried(i);
  const Value operands[] = {carried_first ? carried : other, carried_first ? other : carried};
  return builder.create(step.opcode(), operands, step.attrs(), std::array{carried.type()}).result();
}

std::vector<Value> carried_values(ForRef loop) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) out.push_back(loop.carried(i));
  return out;
}

ForRef loop_like(Builder& builder, ForRef of, std::string_view suffix, const ValueMap& map) {
  const auto bound = [&](IndexExpr e) { return mapped(builder.module(), over_values(of.op(), e), map); };
  const std::string name = fresh_name(of.op(), std::string(of.index().name()) + std::string(suffix));
  return ForRef::from(new_loop(builder, bound(of.first()), bound(of.last()), name, {}));
}

void move_strategy(OpRef from, OpRef to) {
  const Attribute note = from.attr(kStrategyAttribute);
  if (!note.valid()) return;
  from.remove_attr(kStrategyAttribute);
  if (!to.attr(kStrategyAttribute).valid()) to.set_attr(kStrategyAttribute, note);
}

}  // namespace mlgc::schedule
