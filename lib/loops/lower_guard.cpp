// Conditions, and where they act in a nest.
//
// A conjunct `0 <= a*l + rest` whose rest is known outside the loop over l is a bound of that loop, also where l stands
// in a quotient by a number, and so is a comparison of l with a number that data say outside of it. Every other
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

// `l < e` or `e <= l` of an integer e in which the letter l does not stand: a bound of the loop over l.
bool Lowering::bound_by_data(ExprId condition, AtomId letter, Nest::Level& place) {
  if (pool_.node(condition).kind != NodeKind::Call) return false;
  const ScalarFn fn = pool_.fn(condition);
  if (fn != ScalarFn::Lt && fn != ScalarFn::Le) return false;
  const std::vector<ExprId> args = pool_.arguments(condition);
  const auto is_letter = [&](ExprId e) {
    if (pool_.node(e).kind == NodeKind::Cast && pool_.type(e) == Dtype::I64) e = pool_.arguments(e)[0];
    return pool_.node(e).kind == NodeKind::Index && !is_float(pool_.type(e)) &&
           pool_.index_of(e) == index_.from_atom(letter);
  };
  const bool from_above = is_letter(args[0]);
  if (!from_above && !is_letter(args[1])) return false;
  const ExprId limit = args[from_above ? 1 : 0];
  const std::vector<AtomId> free = pool_.free_letters(limit);
  if (pool_.type(limit) != Dtype::I64 || std::find(free.begin(), free.end(), letter) != free.end()) return false;
  // Where nothing is read that lies outside, it may be computed although no iteration follows.
  const bool filled = pool_.node(limit).kind == NodeKind::Read && pool_.read_of(limit).fill.valid();
  if (filled) {
    const ReadParts parts = pool_.read_of(limit);
    for (const IndexExpr s : parts.subscripts)
      if (!speculatable(s)) return false;
  }
  if (!speculatable(filled ? pool_.read_of(limit).fill : limit)) return false;
  // Cut to the range of the letter, so that nothing that is made of the bounds overflows.
  const IndexExpr zero = index_.constant(0);
  const IndexExpr at = index_.min(index_.max(index_.opaque(limit.value), zero), index_.atom(letter).a);
  if (from_above && fn == ScalarFn::Lt)
    place.to = index_.min(place.to, at);
  else if (!from_above && fn == ScalarFn::Le)
    place.from = index_.max(place.from, at);
  else
    return false;
  return true;
}

// What is at least 0 where `e` is, without the quotient by a number in which the letter stands, if that is all that it
// has of them: the windows of an adaptive pool that hold an element.
IndexExpr Lowering::without_quotient(IndexExpr e, AtomId letter) {
  for (std::size_t t = 0; t < index_.term_count(e); ++t) {
    const Term term = index_.term(e, t);
    if (term.factors.size() != 1 || (term.coefficient != 1 && term.coefficient != -1)) continue;
    const Atom atom = index_.atom(term.factors[0]);
    const auto divisor = atom.kind == AtomKind::FloorDiv ? index_.as_constant(atom.b) : std::nullopt;
    const std::vector<AtomId> inside = pool_.free_letters(index_.from_atom(term.factors[0]));
    if (divisor.value_or(0) < 1 || std::find(inside.begin(), inside.end(), letter) == inside.end()) continue;
    const IndexExpr rest = index_.sub(e, index_.scale(index_.from_atom(term.factors[0]), term.coefficient));
    // -rest <= a floordiv m where 0 <= a + m*rest, and a floordiv m <= rest where a <= m*rest + m - 1.
    const IndexExpr scaled = index_.add(index_.scale(rest, *divisor), index_.scale(atom.a, term.coefficient));
    const IndexExpr out = term.coefficient > 0 ? scaled : index_.add(scaled, index_.constant(*divisor - 1));
    return out == index_.overflow() ? e : out;
  }
  return e;
}

Nest Lowering::plan_nest(std::span<const AtomId> letters, ExprId guard) {
  Nest plan;
  plan.letters.assign(letters.begin(), letters.end());
  for (const AtomId l : letters) plan.levels.push_back({index_.constant(0), index_.atom(l).a, {}, {}});
  if (!guard.valid() || pool_.is_literal(guard, 1)) return plan;
  std::vector<Conjunct> all, last;
  conjuncts(guard, all);
  for (const Conjunct& c : all) {
    // The innermost letter that it mentions.
    const std::vector<AtomId> free = c.is_index ? pool_.free_letters(c.index) : pool_.free_letters(c.condition);
    std::size_t level = letters.size();
    while (level > 0 && std::find(free.begin(), free.end(), letters[level - 1]) == free.end()) --level;
    if (!c.is_index && level > 0 && bound_by_data(c.condition, letters[level - 1], plan.levels[level - 1])) continue;
    if (c.is_index ? !speculatable(c.index) : !speculatable(c.condition)) {
      last.push_back(c);
      continue;
    }
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
    const IndexExpr solved = without_quotient(c.index, letter);
    std::int64_t slope = 0;
    for (std::size_t t = 0; t < index_.term_count(solved); ++t) {
      const Term term = index_.term(solved, t);
      if (term.factors.size() == 1 && term.factors[0] == letter) slope = term.coefficient;
    }
    const IndexExpr rest = index_.sub(solved, index_.scale(index_.from_atom(letter), slope));
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
