// See guard_analysis.h.
#include "loops/guard_analysis.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mlgc::loops {

bool GuardAnalysis::is_known(IndexExpr e) const {
  if (index_.is_non_negative(e, facts_)) return true;
  return std::any_of(known_.begin(), known_.end(),
                     [&](IndexExpr k) { return index_.is_non_negative(index_.sub(e, k), facts_); });
}

std::vector<IndexExpr> GuardAnalysis::open_bounds(TensorId tensor, std::span<const IndexExpr> subscripts) const {
  std::vector<IndexExpr> open;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const IndexExpr last = index_.sub(formula_.tensor(tensor).shape[d], index_.constant(1));
    for (const IndexExpr bound : {subscripts[d], index_.sub(last, subscripts[d])})
      if (!is_known(bound)) open.push_back(bound);
  }
  return open;
}

bool GuardAnalysis::speculatable(IndexExpr e) const {
  bool fine = true;
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::Opaque) fine = fine && speculatable(ExprId(atom.number));
    if (atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod)
      fine = fine && is_known(index_.sub(atom.b, index_.constant(1)));
  });
  return fine;
}

bool GuardAnalysis::speculatable(ExprId e) const {
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

std::vector<Conjunct> GuardAnalysis::conjuncts(ExprId condition) const {
  std::vector<Conjunct> out;
  add_conjuncts(condition, out);
  return out;
}

void GuardAnalysis::add_conjuncts(ExprId condition, std::vector<Conjunct>& out) const {
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
      add_conjuncts(args[0], out);
      add_conjuncts(args[1], out);
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

std::vector<IndexExpr> GuardAnalysis::indices_of(std::span<const Conjunct> conjuncts) {
  std::vector<IndexExpr> out;
  for (const Conjunct& c : conjuncts)
    if (c.is_index) out.push_back(c.index);
  return out;
}

// `l < e` or `e <= l` of an integer e in which the index label l does not stand: a bound of the loop over l.
bool GuardAnalysis::bound_by_data(ExprId condition, AtomId label, Nest::Level& place) const {
  if (pool_.node(condition).kind != NodeKind::Call) return false;
  const ScalarFn fn = pool_.fn(condition);
  if (fn != ScalarFn::Lt && fn != ScalarFn::Le) return false;
  const std::vector<ExprId> args = pool_.arguments(condition);
  const auto is_label = [&](ExprId e) {
    if (pool_.node(e).kind == NodeKind::Cast && pool_.type(e) == Dtype::I64) e = pool_.arguments(e)[0];
    return pool_.node(e).kind == NodeKind::Index && !is_float(pool_.type(e)) &&
           pool_.index_of(e) == index_.from_atom(label);
  };
  const bool from_above = is_label(args[0]);
  if (!from_above && !is_label(args[1])) return false;
  const ExprId limit = args[from_above ? 1 : 0];
  const std::vector<AtomId> free = pool_.free_labels(limit);
  if (pool_.type(limit) != Dtype::I64 || std::find(free.begin(), free.end(), label) != free.end()) return false;
  // Where nothing is read that lies outside, it may be computed although no iteration follows.
  const bool filled = pool_.node(limit).kind == NodeKind::Read && pool_.read_of(limit).fill.valid();
  if (filled) {
    const ReadParts parts = pool_.read_of(limit);
    for (const IndexExpr s : parts.subscripts)
      if (!speculatable(s)) return false;
  }
  if (!speculatable(filled ? pool_.read_of(limit).fill : limit)) return false;
  // Cut to the range of the index label, so that nothing that is made of the bounds overflows.
  const IndexExpr zero = index_.constant(0);
  const IndexExpr at = index_.min(index_.max(index_.opaque(limit.value), zero), index_.atom(label).a);
  if (from_above && fn == ScalarFn::Lt)
    place.to = index_.min(place.to, at);
  else if (!from_above && fn == ScalarFn::Le)
    place.from = index_.max(place.from, at);
  else
    return false;
  return true;
}

// What is at least 0 where `e` is, without the quotient by a number in which the index label stands, if that is all
// that it has of them: the windows of an adaptive pool that hold an element.
IndexExpr GuardAnalysis::without_quotient(IndexExpr e, AtomId label) const {
  for (std::size_t t = 0; t < index_.term_count(e); ++t) {
    const Term term = index_.term(e, t);
    if (term.factors.size() != 1 || (term.coefficient != 1 && term.coefficient != -1)) continue;
    const Atom atom = index_.atom(term.factors[0]);
    const auto divisor = atom.kind == AtomKind::FloorDiv ? index_.as_constant(atom.b) : std::nullopt;
    const std::vector<AtomId> inside = pool_.free_labels(index_.from_atom(term.factors[0]));
    if (divisor.value_or(0) < 1 || std::find(inside.begin(), inside.end(), label) == inside.end()) continue;
    const IndexExpr rest = index_.sub(e, index_.scale(index_.from_atom(term.factors[0]), term.coefficient));
    // -rest <= a floordiv m where 0 <= a + m*rest, and a floordiv m <= rest where a <= m*rest + m - 1.
    const IndexExpr scaled = index_.add(index_.scale(rest, *divisor), index_.scale(atom.a, term.coefficient));
    const IndexExpr out = term.coefficient > 0 ? scaled : index_.add(scaled, index_.constant(*divisor - 1));
    return out == index_.overflow() ? e : out;
  }
  return e;
}

// A bound of the loop over the index label, where it can be solved for it; else a test in the loop.
void GuardAnalysis::place_index(const Conjunct& conjunct, AtomId label, Nest::Level& place) const {
  const IndexExpr solved = without_quotient(conjunct.index, label);
  std::int64_t slope = 0;
  for (std::size_t t = 0; t < index_.term_count(solved); ++t) {
    const Term term = index_.term(solved, t);
    if (term.factors.size() == 1 && term.factors[0] == label) slope = term.coefficient;
  }
  const IndexExpr rest = index_.sub(solved, index_.scale(index_.from_atom(label), slope));
  const std::vector<AtomId> in_rest = pool_.free_labels(rest);
  if (slope == 0 || std::find(in_rest.begin(), in_rest.end(), label) != in_rest.end()) {
    place.guards.push_back(conjunct);
  } else if (slope > 0) {
    const IndexExpr least = index_.ceildiv(index_.scale(rest, -1), index_.constant(slope));
    place.from = index_.max(place.from, least);
    place.known.push_back(conjunct.index);
  } else {
    const IndexExpr most = index_.floordiv(rest, index_.constant(-slope));
    place.to = index_.min(place.to, index_.add(most, index_.constant(1)));
    place.known.push_back(conjunct.index);
  }
}

Nest GuardAnalysis::plan_nest(std::span<const AtomId> labels, ExprId guard) const {
  Nest plan;
  plan.labels.assign(labels.begin(), labels.end());
  for (const AtomId l : labels) plan.levels.push_back({index_.constant(0), index_.atom(l).a, {}, {}});
  if (!guard.valid() || pool_.is_literal(guard, 1)) return plan;
  std::vector<Conjunct> last;
  for (const Conjunct& c : conjuncts(guard)) {
    // The innermost index label that it mentions.
    const std::vector<AtomId> free = c.is_index ? pool_.free_labels(c.index) : pool_.free_labels(c.condition);
    std::size_t level = labels.size();
    while (level > 0 && std::find(free.begin(), free.end(), labels[level - 1]) == free.end()) --level;
    if (!c.is_index && level > 0 && bound_by_data(c.condition, labels[level - 1], plan.levels[level - 1])) continue;
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
    place_index(c, labels[level - 1], place);
  }
  std::vector<Conjunct>& innermost = plan.levels.empty() ? plan.outside : plan.levels.back().guards;
  innermost.insert(innermost.end(), last.begin(), last.end());
  return plan;
}

}  // namespace mlgc::loops
