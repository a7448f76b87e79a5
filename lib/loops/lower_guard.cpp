// Conditions, and where they act in a nest.
//
// A conjunct `0 <= a*l + rest` whose rest is known outside the loop over l is a bound of that loop. Every other
// conjunct is tested as far outside as its letters allow. Conjuncts whose evaluation may fail stay innermost, in their
// order, behind all others, so that nothing is read that the formula guards.
#include <algorithm>

#include "loops/lowering.h"

namespace mlgc::loops {

void Lowering::conjuncts(ExprId condition, std::vector<Conjunct>& out) {
  const ExprNode node = pool_.node(condition);
  const auto index_under = [&](ExprId e) -> std::optional<IndexExpr> {
    if (pool_.node(e).kind == NodeKind::Cast && pool_.type(e) == Dtype::I64) e = pool_.arguments(e)[0];
    if (pool_.node(e).kind == NodeKind::Index && !is_float(pool_.type(e))) return pool_.index_of(e);
    if (pool_.node(e).kind == NodeKind::Literal && pool_.type(e) == Dtype::I64)
      return index_.constant(pool_.literal_integer(e));
    return std::nullopt;
  };
  if (node.kind == NodeKind::Call) {
    const ScalarFn fn = pool_.fn(condition);
    const std::vector<ExprId> args = pool_.arguments(condition);
    if (fn == ScalarFn::And) {
      conjuncts(args[0], out);
      conjuncts(args[1], out);
      return;
    }
    if (fn == ScalarFn::Le || fn == ScalarFn::Eq) {
      const auto a = index_under(args[0]), b = index_under(args[1]);
      if (a && b) {
        out.push_back({true, index_.sub(*b, *a), condition});
        if (fn == ScalarFn::Eq) out.push_back({true, index_.sub(*a, *b), condition});
        return;
      }
    }
  }
  out.push_back({false, {}, condition});
}

Value Lowering::emit_condition(std::span<const Conjunct> conjuncts) {
  // What cannot fail comes first, all tests of indices in one guard.
  std::vector<IndexExpr> indices;
  std::vector<Conjunct> plain, careful;
  for (const Conjunct& c : conjuncts) {
    if (c.is_index && speculatable(c.index))
      indices.push_back(c.index);
    else if (!c.is_index && speculatable(c.condition))
      plain.push_back(c);
    else
      careful.push_back(c);
  }
  Value all;
  if (!indices.empty()) all = guard(indices);
  for (const Conjunct& c : plain) {
    const Value next = emit(c.condition);
    all = all.valid() ? apply(ScalarFn::And, {all, next}, Dtype::I1) : next;
  }
  for (const Conjunct& c : careful) {
    const auto test = [&] {
      const IndexExpr index[] = {c.index};
      return Values{c.is_index ? guard(index) : emit(c.condition)};
    };
    if (!all.valid()) {
      all = test()[0];
      continue;
    }
    const Type types[] = {scalar(Dtype::I1)};
    all = branch(all, types, test, [&] { return Values{constant(Dtype::I1, 0, 0)}; })[0];
  }
  return all;
}

Nest Lowering::plan_nest(std::span<const AtomId> letters, ExprId guard) {
  Nest plan;
  plan.letters.assign(letters.begin(), letters.end());
  for (const AtomId l : letters) plan.levels.push_back({index_.constant(0), index_.atom(l).a, {}, {}});
  if (!guard.valid() || pool_.is_literal(guard, 1)) return plan;
  std::vector<Conjunct> all, last;
  conjuncts(guard, all);
  for (const Conjunct& c : all) {
    if (c.is_index ? !speculatable(c.index) : !speculatable(c.condition)) {
      last.push_back(c);
      continue;
    }
    // The innermost letter that it mentions.
    const std::vector<AtomId> free = c.is_index ? pool_.free_letters(c.index) : pool_.free_letters(c.condition);
    std::size_t level = letters.size();
    while (level > 0 && std::find(free.begin(), free.end(), letters[level - 1]) == free.end()) --level;
    if (level == 0) {
      plan.outside.push_back(c);
      continue;
    }
    Nest::Level& place = plan.levels[level - 1];
    if (!c.is_index) {
      place.guards.push_back(c);
      continue;
    }
    const AtomId letter = letters[level - 1];
    std::int64_t slope = 0;
    for (std::size_t t = 0; t < index_.term_count(c.index); ++t) {
      const Term term = index_.term(c.index, t);
      if (term.factors.size() == 1 && term.factors[0] == letter) slope = term.coefficient;
    }
    const IndexExpr rest = index_.sub(c.index, index_.scale(index_.from_atom(letter), slope));
    const std::vector<AtomId> in_rest = pool_.free_letters(rest);
    if (slope == 0 || std::find(in_rest.begin(), in_rest.end(), letter) != in_rest.end()) {
      place.guards.push_back(c);
    } else if (slope > 0) {
      const IndexExpr least = index_.ceildiv(index_.scale(rest, -1), index_.constant(slope));
      place.from = index_.max(place.from, least);
      place.known.push_back(c.index);
    } else {
      const IndexExpr most = index_.floordiv(rest, index_.constant(-slope));
      place.to = index_.min(place.to, index_.add(most, index_.constant(1)));
      place.known.push_back(c.index);
    }
  }
  std::vector<Conjunct>& innermost = plan.levels.empty() ? plan.outside : plan.levels.back().guards;
  innermost.insert(innermost.end(), last.begin(), last.end());
  return plan;
}

Lowering::Values Lowering::guarded(std::span<const Conjunct> guards, const Values& carried,
                                   const std::function<Values()>& then) {
  if (guards.empty()) return then();
  const Value condition = emit_condition(guards);
  return branch(condition, carried, [&] {
    const std::size_t known = known_.size();
    for (const Conjunct& c : guards)
      if (c.is_index) known_.push_back(c.index);
    Values result = then();
    known_.resize(known);
    return result;
  });
}

Lowering::Values Lowering::nest(const Nest& plan, bool parallel, const Values& initial, const Body& body) {
  return guarded(plan.outside, initial, [&] { return nest_level(plan, 0, parallel, initial, body); });
}

Lowering::Values Lowering::nest_level(const Nest& plan, std::size_t level, bool parallel, const Values& carried,
                                      const Body& body) {
  if (level == plan.letters.size()) return body(carried);
  const Nest::Level& place = plan.levels[level];
  return loop(plan.letters[level], place.from, place.to, parallel, carried, [&](const Values& inner) {
    const std::size_t known = known_.size();
    known_.insert(known_.end(), place.known.begin(), place.known.end());
    Values result = guarded(place.guards, inner, [&] { return nest_level(plan, level + 1, parallel, inner, body); });
    known_.resize(known);
    return result;
  });
}

}  // namespace mlgc::loops
