// Scalar expressions as ops. Each expression becomes one value per region in which it is needed and visible.
#include <algorithm>

#include "loopir/subscripts.h"
#include "loops/lowering.h"

namespace mlgc::loops {

IndexExpr Lowering::over_values(IndexExpr e, SubscriptBuilder& builder) {
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::Letter) {
      const auto found = letters_.find(id);
      if (found == letters_.end() && index_.as_constant(atom.a) == 1) return index_.constant(0);
      MLGC_ASSERT(found != letters_.end(), "a letter outside its loop");
      return builder.atom(found->second);
    }
    if (atom.kind == AtomKind::Opaque) return builder.atom(emit(ExprId(atom.number)));
    return std::nullopt;
  });
}

Attribute Lowering::brackets(std::span<const IndexExpr> expressions, Values& operands) {
  SubscriptBuilder builder(context_, operands);
  std::vector<IndexExpr> over;
  for (const IndexExpr e : expressions) over.push_back(over_values(e, builder));
  return builder.numbered(std::move(over));
}

bool Lowering::is_known(IndexExpr e) {
  if (index_.is_non_negative(e, facts_)) return true;
  return std::any_of(known_.begin(), known_.end(),
                     [&](IndexExpr k) { return index_.is_non_negative(index_.sub(e, k), facts_); });
}

std::vector<IndexExpr> Lowering::open_bounds(TensorId tensor, std::span<const IndexExpr> subscripts) {
  std::vector<IndexExpr> open;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const IndexExpr last = index_.sub(formula_.tensor(tensor).shape[d], index_.constant(1));
    for (const IndexExpr bound : {subscripts[d], index_.sub(last, subscripts[d])})
      if (!is_known(bound)) open.push_back(bound);
  }
  return open;
}

bool Lowering::speculatable(IndexExpr e) {
  bool fine = true;
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::Opaque) fine = fine && speculatable(ExprId(atom.number));
    if (atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod)
      fine = fine && is_known(index_.sub(atom.b, index_.constant(1)));
  });
  return fine;
}

bool Lowering::speculatable(ExprId e) {
  switch (pool_.node(e).kind) {
    case NodeKind::Literal: return true;
    case NodeKind::Index: return speculatable(pool_.index_of(e));
    case NodeKind::Read: {
      const ReadParts parts = pool_.read_of(e);
      return std::all_of(parts.subscripts.begin(), parts.subscripts.end(),
                         [&](IndexExpr s) { return speculatable(s); }) &&
             open_bounds(parts.tensor, parts.subscripts).empty();
    }
    case NodeKind::Reduce: return false;
    default: break;
  }
  const std::vector<ExprId> args = pool_.arguments(e);
  if (pool_.node(e).kind == NodeKind::Call && !is_float(pool_.type(args[0]))) {
    const ScalarFn fn = pool_.fn(e);
    const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
    if (divides && (pool_.node(args[1]).kind != NodeKind::Literal || pool_.literal_integer(args[1]) == 0)) return false;
  }
  return std::all_of(args.begin(), args.end(), [&](ExprId a) { return speculatable(a); });
}

Value Lowering::emit(ExprId e) {
  for (std::size_t i = values_.size(); i-- > 0;) {
    const auto found = values_[i].find(e);
    if (found != values_[i].end()) return found->second;
  }
  const Value value = emit_new(e);
  values_.back().emplace(e, value);
  return value;
}

Value Lowering::emit_new(ExprId e) {
  const ExprNode node = pool_.node(e);
  switch (node.kind) {
    case NodeKind::Literal:
      return constant(held(node.type), pool_.literal_real(e), is_float(node.type) ? 0 : pool_.literal_integer(e));
    case NodeKind::Index: return cast(applied(pool_.index_of(e)), held(node.type));
    case NodeKind::Read: return emit_read(e);
    case NodeKind::Select: return emit_select(e);
    case NodeKind::Reduce: return emit_reduce(e);
    case NodeKind::Stop: return emit(pool_.arguments(e)[0]);
    case NodeKind::Cast: {
      const Value from = emit(pool_.arguments(e)[0]);
      const bool rounds = held(node.type) != node.type && pool_.type(pool_.arguments(e)[0]) != node.type;
      return cast(rounds ? cast(from, node.type) : from, held(node.type));
    }
    case NodeKind::Call: break;
  }
  std::vector<Conjunct> parts;
  conjuncts(e, parts);
  if (parts.size() > 1 || parts[0].is_index) return emit_condition(parts);
  const std::vector<ExprId> args = pool_.arguments(e);
  const ScalarFn fn = pool_.fn(e);
  const Value a = emit(args[0]);
  if (args.size() == 1) return apply(fn, {a}, node.type);
  if (fn == ScalarFn::Or && !speculatable(args[1])) {
    const Type types[] = {scalar(Dtype::I1)};
    return branch(
        a, types, [&] { return Values{constant(Dtype::I1, 0, 1)}; }, [&] { return Values{emit(args[1])}; })[0];
  }
  return apply(fn, {a, emit(args[1])}, node.type);
}

Value Lowering::emit_read(ExprId e) {
  const ReadParts parts = pool_.read_of(e);
  const Dtype dtype = pool_.type(e);
  // An element that was computed here is the one that is meant, if there is any: other subscripts than its own can only
  // be those of dims of size 1.
  const auto here = elements_.find(parts.tensor);
  const auto value = [&](bool checked) {
    return here != elements_.end() ? here->second : cast(load(parts.tensor, parts.subscripts, checked), held(dtype));
  };
  const std::vector<IndexExpr> open = open_bounds(parts.tensor, parts.subscripts);
  if (open.empty()) return value(false);
  if (!parts.fill.valid()) {
    if (here == elements_.end()) return value(true);
    check(open, "a subscript of `" + formula_.tensor(parts.tensor).name + "` lies outside");
    return here->second;
  }
  const Value inside = guard(open);
  const Type types[] = {scalar(held(dtype))};
  return branch(
      inside, types, [&] { return Values{value(false)}; }, [&] { return Values{emit(parts.fill)}; })[0];
}

// select(x <= c, select(x < c, a, b), b), as activations say it for their slopes, is the inner selection; nothing: it
// is another one.
std::optional<ExprId> Lowering::inner_selection(std::span<const ExprId> args) const {
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

Value Lowering::emit_select(ExprId e) {
  const std::vector<ExprId> args = pool_.arguments(e);
  if (const auto inner = inner_selection(args)) return emit(*inner);
  const Value condition = emit(args[0]);
  if (speculatable(args[1]) && speculatable(args[2])) return choose(condition, emit(args[1]), emit(args[2]));
  // Inside the arm that is taken where they hold, indices are known to be what the condition says.
  std::vector<Conjunct> parts;
  conjuncts(args[0], parts);
  const Type types[] = {scalar(held(pool_.type(e)))};
  return branch(
      condition, types,
      [&] {
        const std::size_t known = known_.size();
        for (const Conjunct& c : parts)
          if (c.is_index) known_.push_back(c.index);
        Values result{emit(args[1])};
        known_.resize(known);
        return result;
      },
      [&] {
        const std::size_t known = known_.size();
        // Not 0 <= i is 0 <= -1 - i.
        if (parts.size() == 1 && parts[0].is_index) known_.push_back(index_.sub(index_.constant(-1), parts[0].index));
        Values result{emit(args[2])};
        known_.resize(known);
        return result;
      })[0];
}

}  // namespace mlgc::loops
