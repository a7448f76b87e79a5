// See expression_lowering.h: expressions as ops.
#include <algorithm>
#include <string>

#include "fusion/kernel_body.h"
#include "loopir/loop_ops.h"
#include "loops/expression_lowering.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

ExpressionLowering::ExpressionLowering(Builder& builder, const Formula& formula, const Facts& facts,
                                       const TensorBuffers& tensors)
    : builder_(builder),
      context_(builder.context()),
      index_(context_.index()),
      pool_(formulas(context_)),
      formula_(formula),
      tensors_(tensors),
      ops_(builder),
      guards_(pool_, formula, facts),
      accumulators_(ops_, pool_),
      values_(1) {}

// ---------------------------------------------------------------------------------------------------- indices

IndexExpr ExpressionLowering::over_values(IndexExpr e, SubscriptBuilder& builder) {
  const IndexExpr out = index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::IndexLabel) {
      const auto found = labels_.find(id);
      if (found == labels_.end() && is_unit(index_, id)) return index_.constant(0);
      MLGC_ASSERT(found != labels_.end(), "an index label outside its loop");
      return builder.atom(found->second);
    }
    if (atom.kind == AtomKind::Opaque) return builder.atom(emit(ExprId(atom.number)));
    return std::nullopt;
  });
  return out == index_.overflow() ? over_parts(e, builder) : out;
}

// Of values less is known than of index labels, so an expression may be too long over them, or take too many steps:
// then what is divided, and each side of a minimum, is a value of its own.
IndexExpr ExpressionLowering::over_parts(IndexExpr e, SubscriptBuilder& builder) {
  const auto part = [&](IndexExpr inside) {
    return index_.as_constant(inside) ? inside : builder.atom(applied(inside));
  };
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    switch (atom.kind) {
      case AtomKind::FloorDiv: return index_.floordiv(part(atom.a), over_values(atom.b, builder));
      case AtomKind::Mod: return index_.mod(part(atom.a), over_values(atom.b, builder));
      case AtomKind::Min: return index_.min(part(atom.a), part(atom.b));
      case AtomKind::Max: return index_.max(part(atom.a), part(atom.b));
      default: return over_values(index_.from_atom(id), builder);
    }
  });
}

Attribute ExpressionLowering::brackets(std::span<const IndexExpr> expressions, Values& operands) {
  SubscriptBuilder builder(context_, operands);
  std::vector<IndexExpr> over;
  for (const IndexExpr e : expressions) over.push_back(over_values(e, builder));
  return builder.numbered(std::move(over));
}

Value ExpressionLowering::applied(IndexExpr e) {
  Values operands;
  const Attribute value = brackets(std::span(&e, 1), operands);
  return ApplyRef::create(builder_, operands, value).op().result();
}

Value ExpressionLowering::guard(std::span<const IndexExpr> conditions) {
  Values operands;
  const Attribute all = brackets(conditions, operands);
  return GuardRef::create(builder_, operands, all).holds();
}

void ExpressionLowering::check(std::span<const IndexExpr> conditions, std::string_view message) {
  Values operands;
  const Attribute all = brackets(conditions, operands);
  CheckRef::create(builder_, operands, all, message);
}

Value ExpressionLowering::load(TensorId tensor, std::span<const IndexExpr> subscripts, bool checked) {
  Values operands{tensors_.buffer(tensor)};
  const Attribute at = brackets(tensors_.in_buffer(tensor, subscripts), operands);
  return LoadRef::create(builder_, operands, at, checked).value();
}

void ExpressionLowering::store(Value value, TensorId tensor, std::span<const IndexExpr> subscripts, bool checked) {
  Values operands{value, tensors_.buffer(tensor)};
  const Attribute at = brackets(tensors_.in_buffer(tensor, subscripts), operands);
  StoreRef::create(builder_, operands, at, checked);
}

// ---------------------------------------------------------------------------------------------------- values

Value ExpressionLowering::emit(ExprId e) {
  for (std::size_t i = values_.size(); i-- > 0;) {
    const auto found = values_[i].find(e);
    if (found != values_[i].end()) return found->second;
  }
  const Value value = emit_new(e);
  values_.back().emplace(e, value);
  return value;
}

Value ExpressionLowering::emit_new(ExprId e) {
  const ExprNode node = pool_.node(e);
  switch (node.kind) {
    case NodeKind::Literal:
      return ops_.constant(held(node.type), pool_.literal_real(e), is_float(node.type) ? 0 : pool_.literal_integer(e));
    case NodeKind::Index: return ops_.cast(applied(pool_.index_of(e)), held(node.type));
    case NodeKind::Read: return emit_read(e);
    case NodeKind::Select: return emit_select(e);
    case NodeKind::Reduce: return emit_reduce(e);
    case NodeKind::Stop: return emit(pool_.arguments(e)[0]);
    case NodeKind::Cast: {
      const Value from = emit(pool_.arguments(e)[0]);
      const bool rounds = held(node.type) != node.type && pool_.type(pool_.arguments(e)[0]) != node.type;
      return ops_.cast(rounds ? ops_.cast(from, node.type) : from, held(node.type));
    }
    case NodeKind::Call: break;
  }
  const std::vector<Conjunct> parts = guards_.conjuncts(e);
  if (parts.size() > 1 || parts[0].is_index) return emit_condition(parts);
  const std::vector<ExprId> args = pool_.arguments(e);
  const ScalarFn fn = pool_.fn(e);
  const Value a = emit(args[0]);
  if (args.size() == 1) return ops_.apply(fn, {a}, node.type);
  if (fn == ScalarFn::Or && !guards_.speculatable(args[1])) {
    const Type types[] = {ops_.type(Dtype::I1)};
    return branch(
        a, types, [&] { return Values{ops_.constant(Dtype::I1, 0, 1)}; }, [&] { return Values{emit(args[1])}; })[0];
  }
  return ops_.apply(fn, {a, emit(args[1])}, node.type);
}

Value ExpressionLowering::emit_read(ExprId e) {
  const ReadParts parts = pool_.read_of(e);
  const Dtype dtype = pool_.type(e);
  // An element that was computed here is the one that is meant, if there is any: other subscripts than its own can only
  // be those of dims of size 1.
  const Value here = tensors_.element(parts.tensor);
  const auto value = [&](bool checked) {
    return here.valid() ? here : ops_.cast(load(parts.tensor, parts.subscripts, checked), held(dtype));
  };
  const std::vector<IndexExpr> open = guards_.open_bounds(parts.tensor, parts.subscripts);
  if (open.empty()) return value(false);
  if (!parts.fill.valid()) {
    if (!here.valid()) return value(true);
    check(open, "a subscript of `" + formula_.tensor(parts.tensor).name + "` lies outside");
    return here;
  }
  const Value inside = guard(open);
  const Type types[] = {ops_.type(held(dtype))};
  return branch(
      inside, types, [&] { return Values{value(false)}; }, [&] { return Values{emit(parts.fill)}; })[0];
}

// select(x <= c, select(x < c, a, b), b), as activations say it for their slopes, is the inner selection; nothing: it
// is another one.
std::optional<ExprId> ExpressionLowering::inner_selection(std::span<const ExprId> args) const {
  ExprId inner = args[1];
  while (pool_.node(inner).kind == NodeKind::Stop) inner = pool_.arguments(inner)[0];
  if (pool_.node(inner).kind != NodeKind::Select) return std::nullopt;
  const std::vector<ExprId> of = pool_.arguments(inner);
  const auto compares = [&](ExprId condition, ScalarFn fn) {
    return pool_.node(condition).kind == NodeKind::Call && pool_.fn(condition) == fn;
  };
  if (of[2] != args[2] || !compares(args[0], ScalarFn::Le) || !compares(of[0], ScalarFn::Lt)) return std::nullopt;
  if (pool_.arguments(args[0]) != pool_.arguments(of[0])) return std::nullopt;
  return inner;
}

Value ExpressionLowering::emit_select(ExprId e) {
  const std::vector<ExprId> args = pool_.arguments(e);
  if (const auto inner = inner_selection(args)) return emit(*inner);
  const Value condition = emit(args[0]);
  if (guards_.speculatable(args[1]) && guards_.speculatable(args[2]))
    return ops_.choose(condition, emit(args[1]), emit(args[2]));
  // Inside the arm that is taken where they hold, indices are known to be what the condition says.
  const std::vector<Conjunct> parts = guards_.conjuncts(args[0]);
  const Type types[] = {ops_.type(held(pool_.type(e)))};
  return branch(
      condition, types,
      [&] {
        const auto holds = guards_.assume(GuardAnalysis::indices_of(parts));
        return Values{emit(args[1])};
      },
      [&] {
        // Not 0 <= i is 0 <= -1 - i.
        std::vector<IndexExpr> known;
        if (parts.size() == 1 && parts[0].is_index) known.push_back(index_.sub(index_.constant(-1), parts[0].index));
        const auto holds = guards_.assume(known);
        return Values{emit(args[2])};
      })[0];
}

// ---------------------------------------------------------------------------------------------------- reductions

Accumulator ExpressionLowering::start_reduce(ExprId e) {
  const ReduceParts parts = pool_.reduce_of(e);
  if (Accumulators::must_have_elements(parts)) {
    std::vector<IndexExpr> some;
    for (const AtomId l : parts.labels) {
      const IndexExpr least = index_.sub(index_.atom(l).a, index_.constant(1));
      if (!guards_.is_known(least)) some.push_back(least);
    }
    if (!some.empty()) check(some, "`" + std::string(reduction_name(parts.reduction)) + "` over an empty extent");
  }
  return accumulators_.start(e);
}

Values ExpressionLowering::step_reduce(const Accumulator& of, const Values& carried) {
  return accumulators_.step(
      of, emit(of.parts.body), [&] { return applied(of.position); }, carried);
}

Value ExpressionLowering::emit_reduce(ExprId e) {
  const Accumulator of = start_reduce(e);
  return end_reduce(of, nest(of.parts.labels, of.parts.guard, false, of.initial,
                             [&](const Values& carried) { return step_reduce(of, carried); }));
}

}  // namespace mlgc::loops
