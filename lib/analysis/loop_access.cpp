// See loop_access.h.
#include "analysis/loop_access.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostKnown = 48;     // of the facts that may bear on a question, the nearest are tried
constexpr std::size_t kMostLooked = 1024;  // of the facts at hand, the nearest are looked at for that
constexpr int kMostSteps = 2;              // facts that are taken together

// e = rest + min(a, b) for kind Min is at most rest + a and at most rest + b, and -max(a, b) likewise; for Max at
// least. These bounds, split as far as possible.
void bounds_of(IndexPool& pool, IndexExpr e, AtomKind kind, std::vector<IndexExpr>& out) {
  const AtomKind opposite = kind == AtomKind::Min ? AtomKind::Max : AtomKind::Min;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    if (term.factors.size() != 1) continue;
    const std::int64_t sign = term.coefficient;
    const AtomId id = term.factors[0];
    const Atom atom = pool.atom(id);
    if (!(atom.kind == kind && sign == 1) && !(atom.kind == opposite && sign == -1)) continue;
    const IndexExpr rest = pool.sub(e, pool.scale(pool.from_atom(id), sign));
    for (const IndexExpr part : {atom.a, atom.b}) bounds_of(pool, pool.add(rest, pool.scale(part, sign)), kind, out);
    return;
  }
  out.push_back(e);
}

std::size_t weight_of(const IndexPool& pool, IndexExpr e) {
  std::size_t weight = 0;
  pool.for_each_atom(e, [&](AtomId) { ++weight; });
  return weight;
}

IndexExpr simplest(const IndexPool& pool, const std::vector<IndexExpr>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [&](IndexExpr a, IndexExpr b) { return weight_of(pool, a) < weight_of(pool, b); });
}

// e = slope*atom + rest, where the atom stands nowhere else.
struct Linear {
  IndexExpr slope, rest;
};
std::optional<Linear> linear_in(IndexPool& pool, IndexExpr e, AtomId atom) {
  std::vector<std::pair<std::int64_t, std::vector<AtomId>>> terms;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    terms.emplace_back(term.coefficient, std::vector<AtomId>(term.factors.begin(), term.factors.end()));
  }
  Linear out{pool.constant(0), pool.constant(0)};
  for (const auto& [coefficient, factors] : terms) {
    IndexExpr product = pool.constant(coefficient);
    int powers = 0;
    for (const AtomId f : factors) {
      if (f == atom && powers++ == 0) continue;
      product = pool.mul(product, pool.from_atom(f));
    }
    (powers == 0 ? out.rest : out.slope) = pool.add(powers == 0 ? out.rest : out.slope, product);
  }
  if (pool.mentions(out.slope, atom) || pool.mentions(out.rest, atom)) return std::nullopt;
  return out;
}

bool is_false(Value v) {
  const auto literal = LiteralRef::from(v.definer());
  return literal.valid() && literal.integer() == 0;
}

// What 0 <= e says of integers: 0 <= 6*A - 1 is 0 <= A - 1.
IndexExpr divided(IndexPool& pool, IndexExpr e) {
  std::int64_t divisor = 0, constant = 0;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    if (term.factors.empty())
      constant = term.coefficient;
    else if (term.coefficient != std::numeric_limits<std::int64_t>::min())
      divisor = std::gcd(divisor, term.coefficient);
    else
      return e;
  }
  if (divisor < 2) return e;
  const IndexExpr rest = pool.sub(e, pool.constant(constant));
  IndexExpr out = pool.constant(constant / divisor - (constant % divisor < 0 ? 1 : 0));
  for (std::size_t i = 0; i < pool.term_count(rest); ++i) {
    const Term term = pool.term(rest, i);
    IndexExpr part = pool.constant(term.coefficient / divisor);
    for (const AtomId factor : term.factors) part = pool.mul(part, pool.from_atom(factor));
    out = pool.add(out, part);
  }
  return out == pool.overflow() ? e : out;
}

// No more than the expression: without the index labels that it adds, which are not negative.
IndexExpr without_labels(IndexPool& pool, IndexExpr e) {
  IndexExpr out = e;
  for (std::size_t i = 0; i < pool.term_count(e); ++i)
    if (const Term term = pool.term(e, i);
        term.factors.size() == 1 && term.coefficient > 0 && pool.atom(term.factors[0]).kind == AtomKind::IndexLabel)
      out = pool.sub(out, pool.scale(pool.from_atom(term.factors[0]), term.coefficient));
  return out == pool.overflow() ? e : out;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- expressions

IndexExpr LoopAccess::value(Value v) {
  if (const auto found = values_.find(v.id()); found != values_.end()) return found->second;
  IndexExpr e = index_->opaque(v.id().value);
  if (const auto apply = ApplyRef::from(v.definer()); apply.valid()) e = over_loops(apply.op(), apply.value());
  if (const auto literal = LiteralRef::from(v.definer()); literal.valid())
    if (const auto constant = literal.integer()) e = index_->constant(*constant);
  values_.emplace(v.id(), e);
  return e;
}

IndexExpr LoopAccess::over_loops(OpRef op, IndexExpr e) {
  return index_->substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    if (index_->atom(id).kind != AtomKind::Opaque) return std::nullopt;
    return value(op.operand(index_->atom(id).number));
  });
}

IndexExpr LoopAccess::over_loops(Module& module, IndexExpr of_values) {
  return index_->substitute(of_values, [&](AtomId id) -> std::optional<IndexExpr> {
    if (index_->atom(id).kind != AtomKind::Opaque) return std::nullopt;
    return value(Value(&module, ValueId(index_->atom(id).number)));
  });
}

// A number that the expression does not exceed, as the facts say: 0 <= each of them.
static std::optional<std::int64_t> greatest(IndexPool& pool, IndexExpr e, std::span<const IndexExpr> known) {
  if (const auto number = pool.as_constant(e)) return number;
  if (const auto id = pool.as_atom(e)) {
    const Atom atom = pool.atom(*id);
    const auto by = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod ? pool.as_constant(atom.b)
                                                                                  : std::optional<std::int64_t>();
    if (by && *by > 0 && atom.kind == AtomKind::Mod) return *by - 1;
    if (by && *by > 0)
      if (const auto most = greatest(pool, atom.a, known); most && *most >= 0) return *most / *by;
    if (atom.kind == AtomKind::IndexLabel)
      if (const auto count = pool.as_constant(atom.a)) return *count - 1;
  }
  for (const IndexExpr fact : known)
    if (const auto most = pool.as_constant(pool.add(fact, e))) return most;
  return std::nullopt;
}

// A sum without quotients that this one does not exceed, as a fact says: what is divided is no more with a multiple of
// the fact added, which takes an index label off.
static std::optional<IndexExpr> without_label(IndexPool& pool, AtomId quotient, std::span<const IndexExpr> known) {
  const Atom atom = pool.atom(quotient);
  const auto by = pool.as_constant(atom.b);
  if (!by || *by <= 0) return std::nullopt;
  const auto coefficient_in = [&](IndexExpr e, AtomId label) {
    for (std::size_t i = 0; i < pool.term_count(e); ++i)
      if (const Term term = pool.term(e, i); term.factors.size() == 1 && term.factors[0] == label)
        return term.coefficient;
    return std::int64_t{0};
  };
  for (std::size_t i = 0; i < pool.term_count(atom.a); ++i) {
    const Term term = pool.term(atom.a, i);
    if (term.factors.size() != 1 || term.coefficient <= 0 || pool.atom(term.factors[0]).kind != AtomKind::IndexLabel)
      continue;
    for (const IndexExpr fact : known) {
      const std::int64_t own = -coefficient_in(fact, term.factors[0]);
      if (own <= 0 || term.coefficient % own != 0) continue;
      const IndexExpr most = pool.floordiv(pool.add(atom.a, pool.scale(fact, term.coefficient / own)), atom.b);
      bool divides = most == pool.overflow();
      pool.for_each_atom(most, [&](AtomId id) { divides |= pool.atom(id).kind == AtomKind::FloorDiv; });
      if (!divides) return most;
    }
  }
  return std::nullopt;
}

// No more than the expression: quotients of which it has less than none are what they do not exceed, numbers alone or
// sums as well.
static IndexExpr with_greatest_quotients(IndexPool& pool, IndexExpr e, std::span<const IndexExpr> known, bool sums) {
  std::vector<std::pair<AtomId, std::int64_t>> quotients;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    if (term.factors.size() == 1 && term.coefficient < 0 && pool.atom(term.factors[0]).kind == AtomKind::FloorDiv)
      quotients.emplace_back(term.factors[0], term.coefficient);
  }
  for (const auto& [id, coefficient] : quotients) {
    const IndexExpr quotient = pool.from_atom(id);
    std::optional<IndexExpr> most;
    if (const auto number = greatest(pool, quotient, known)) most = pool.constant(*number);
    if (!most && sums) most = without_label(pool, id, known);
    if (most) e = pool.add(e, pool.scale(pool.sub(*most, quotient), coefficient));
  }
  return e;
}

// A quotient bounds what it divides, for q = a floordiv s: 0 <= q + r is 0 <= a + s*r, and 0 <= r - q is
// 0 <= s*r + s - 1 - a. For each quotient of `e` that stands alone, the other side of this.
std::vector<IndexExpr> LoopAccess::without_quotient(IndexExpr e) {
  std::vector<std::pair<AtomId, std::int64_t>> quotients;
  for (std::size_t i = 0; i < index_->term_count(e); ++i) {
    const Term term = index_->term(e, i);
    if (term.factors.size() == 1 && (term.coefficient == 1 || term.coefficient == -1))
      quotients.emplace_back(term.factors[0], term.coefficient);
  }
  std::vector<IndexExpr> out;
  for (const auto& [id, sign] : quotients) {
    const Atom q = index_->atom(id);
    // A divisor is positive where the quotient has a meaning.
    if (q.kind != AtomKind::FloorDiv || !index_->is_non_negative(q.b, *facts_)) continue;
    const IndexExpr r = index_->sub(e, index_->scale(index_->from_atom(id), sign));
    const IndexExpr scaled = index_->mul(q.b, r);
    out.push_back(sign == 1 ? index_->add(q.a, scaled)
                            : index_->sub(index_->add(scaled, index_->sub(q.b, index_->constant(1))), q.a));
  }
  return out;
}

void LoopAccess::know(IndexExpr e) {
  if (e == index_->overflow()) return;
  if (const auto value = index_->as_constant(e)) {
    if (*value < 0 && !never_.empty()) never_.back() = true;
    return;
  }
  known_.push_back(e);
  if (const IndexExpr tight = divided(*index_, e); tight != e) known_.push_back(tight);
  for (const IndexExpr part : without_quotient(e)) known_.push_back(part);
}

void LoopAccess::know_true(Value condition, int depth) {
  const OpRef op = condition.definer();
  if (!op.valid() || depth > 32) return;
  if (op.is(LoopOp::Guard)) {
    for (const IndexExpr e : subscripts_of(op)) know(over_loops(op, e));
    return;
  }
  if (op.is(LoopOp::If) && op.region_count() == 2) {
    // True only where the first arm gives true.
    const OpRef then = op.region(0).terminator(), otherwise = op.region(1).terminator();
    const std::size_t i = condition.number();
    if (!then.valid() || !otherwise.valid() || i >= otherwise.operand_count() || i >= then.operand_count()) return;
    if (!is_false(otherwise.operand(i))) return;
    know_true(op.operand(0), depth + 1);
    know_true(then.operand(i), depth + 1);
    return;
  }
  if (op.operand_count() != 2 || !has_formula(op.def())) return;
  const Type types[] = {op.operand(0).type(), op.operand(1).type()};
  const auto meaning = scalar_value(*context_, op.opcode(), types, op.attrs());
  const FormulaPool& pool = formulas(*context_);
  if (!meaning || !*meaning || pool.node(**meaning).kind != NodeKind::Call || pool.fn(**meaning) != ScalarFn::And)
    return;
  for (const Value part : op.operands()) know_true(part, depth + 1);
}

// Not 0 <= e is 0 <= -1 - e.
void LoopAccess::know_false(Value condition) {
  const OpRef op = condition.definer();
  if (!op.valid() || !op.is(LoopOp::Guard) || subscripts_of(op).size() != 1) return;
  know(index_->sub(index_->constant(-1), over_loops(op, subscripts_of(op)[0])));
}

// An index label that counts from a minimum would hide which multiple of other indices the bound is: it counts from a
// lower limit of the bound.
IndexExpr LoopAccess::without_minima(IndexExpr bound) {
  IndexExpr out = bound;
  for (std::size_t i = 0; i < index_->term_count(bound); ++i) {
    const Term term = index_->term(bound, i);
    if (term.factors.size() != 1 || index_->atom(term.factors[0]).kind != AtomKind::Min) continue;
    const IndexExpr part = index_->scale(index_->from_atom(term.factors[0]), term.coefficient);
    if (term.coefficient > 0 && is_known(index_->from_atom(term.factors[0]))) out = index_->sub(out, part);
  }
  return out;
}

void LoopAccess::enter_loop(ForRef loop) {
  const IndexExpr first = over_loops(loop.op(), loop.first()), last = over_loops(loop.op(), loop.last());
  std::vector<IndexExpr> from, to;
  bounds_of(*index_, first, AtomKind::Max, from);
  bounds_of(*index_, last, AtomKind::Min, to);
  // The label counts from the simplest first bound up to the simplest last one. All bounds are recorded as facts: the
  // sign test does not look into extents that are not constant.
  const IndexExpr base = without_minima(simplest(*index_, from)), end = simplest(*index_, to);
  const IndexExpr one = index_->constant(1);
  const IndexExpr label = index_->index_label(loop.index().id().value, index_->sub(end, base));
  labels_[loop.op().id()] = *index_->as_atom(label);
  const IndexExpr i = index_->add(base, label);
  values_[loop.index().id()] = i;
  for (const IndexExpr bound : from)
    if (bound != base) know(index_->sub(i, bound));
  for (const IndexExpr bound : to) know(index_->sub(index_->sub(bound, one), i));
  // The body runs, so the loop is not empty. Where it is, anything would follow from that.
  for (const IndexExpr low : from)
    for (const IndexExpr high : to) {
      know(index_->sub(index_->sub(high, low), one));
      if (index_->is_non_negative(index_->sub(low, high), *facts_)) never_.back() = true;
    }
}

void LoopAccess::enter(RegionRef region) {
  marks_.push_back(known_.size());
  never_.push_back(is_never());
  const OpRef op = region.parent_op();
  if (const ForRef loop = ForRef::from(op); loop.valid()) {
    enter_loop(loop);
  } else if (op.is(LoopOp::If)) {
    if (region == op.region(0))
      know_true(op.operand(0), 0);
    else
      know_false(op.operand(0));
  }
}

void LoopAccess::leave() {
  known_.resize(marks_.back());
  marks_.pop_back();
  never_.pop_back();
}

void LoopAccess::enter_around(OpRef op) {
  std::vector<RegionRef> outer;
  for (RegionRef r = op.parent(); r.valid() && !r.parent_op().is(GraphOp::Func); r = r.parent_op().parent())
    outer.push_back(r);
  for (std::size_t i = outer.size(); i-- > 0;) enter(outer[i]);
}

void LoopAccess::pass(OpRef op) {
  if (op.is(LoopOp::Check))
    for (const IndexExpr e : subscripts_of(op)) know(over_loops(op, e));
  const AccessRef access = AccessRef::from(op);
  if (!access.valid() || !access.checked()) return;
  const auto dims = access.buffer().dims();
  const auto subscripts = access.subscripts();
  for (std::size_t d = 0; d < std::min(dims.size(), subscripts.size()); ++d) {
    const IndexExpr at = over_loops(op, subscripts[d]);
    know(at);
    know(index_->sub(index_->sub(dims[d], index_->constant(1)), at));
  }
}

// ---------------------------------------------------------------------------------------------------- questions

// 0 <= e follows from 0 <= e - m*k for a known k and m > 0. Of several facts, those but the last one each take a term
// away that stands there when they are at their turn: some order of them does, whatever they show.
bool LoopAccess::follows(IndexExpr e, std::span<const IndexExpr> known, int depth) {
  if (index_->is_non_negative(e, *facts_)) return true;
  for (std::size_t i = depth == 0 ? 0 : known.size(); i-- > 0;) {
    const IndexExpr k = known[i];
    std::vector<std::int64_t> factors{1};
    bool takes = depth == 1;
    for (std::size_t a = 0; a < index_->term_count(k); ++a) {
      const Term of_k = index_->term(k, a);
      for (std::size_t b = 0; b < index_->term_count(e) && !of_k.factors.empty(); ++b) {
        const Term of_e = index_->term(e, b);
        if (!std::equal(of_k.factors.begin(), of_k.factors.end(), of_e.factors.begin(), of_e.factors.end())) continue;
        takes = takes || (of_e.coefficient > 0) == (of_k.coefficient > 0);
        if (of_e.coefficient % of_k.coefficient == 0 && of_e.coefficient / of_k.coefficient > 1)
          factors.push_back(of_e.coefficient / of_k.coefficient);
      }
    }
    if (!takes) continue;
    for (const std::int64_t m : factors)
      if (follows(index_->sub(e, index_->scale(k, m)), known, depth - 1)) return true;
  }
  return false;
}

// The facts that bear on e, each once: they mention an atom that e mentions, or that another one of them does. Each
// access that is checked leaves facts on what was loaded as an index, and repeats those on the loops around it; these
// would leave no room for the bounds of loops.
std::vector<IndexExpr> LoopAccess::facts_on(IndexExpr e, std::span<const IndexExpr> known) const {
  std::unordered_set<AtomId> atoms;
  index_->for_each_atom(e, [&](AtomId id) { atoms.insert(id); });
  std::vector<bool> taken(known.size(), false), repeated(known.size(), false);
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t i = known.size(); i-- > 0;) repeated[i] = !seen.insert(known[i].id).second;
  // A chain of facts is no longer than those that are taken together.
  for (int round = 0; round < kMostSteps; ++round)
    for (std::size_t i = known.size(); i-- > 0;) {
      if (taken[i] || repeated[i]) continue;
      index_->for_each_atom(known[i], [&](AtomId id) { taken[i] = taken[i] || atoms.contains(id); });
      if (taken[i]) index_->for_each_atom(known[i], [&](AtomId id) { atoms.insert(id); });
    }
  std::vector<IndexExpr> out;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (taken[i]) out.push_back(known[i]);
  return out;
}

bool LoopAccess::is_known(IndexExpr e, std::span<const IndexExpr> known) {
  if (e == index_->overflow()) return false;
  std::vector<IndexExpr> near;
  if (known.size() > kMostKnown) {
    near = facts_on(e, known.last(std::min(known.size(), kMostLooked)));
    known = near;
  }
  const auto shown_as_is = [&](IndexExpr part) {
    // One fact is enough nearly always, and looked for among all that are near.
    return follows(part, known.last(std::min(known.size(), kMostKnown)), 1) ||
           follows(part, known.last(std::min(known.size(), kMostKnown / 4)), kMostSteps);
  };
  // Each form has proofs that the others lack: a bound of 2*(M floordiv 2) by M wants the divisor as a coefficient.
  // What holds of a loop's first index holds of all that are counted from it.
  const auto shown = [&](IndexExpr part) {
    if (shown_as_is(part)) return true;
    const IndexExpr tight = divided(*index_, part), least = divided(*index_, without_labels(*index_, part));
    return (tight != part && shown_as_is(tight)) || (least != part && least != tight && shown_as_is(least));
  };
  const auto shown_either_way = [&](IndexExpr part) {
    if (shown(part)) return true;
    const std::vector<IndexExpr> others = without_quotient(part);
    if (std::any_of(others.begin(), others.end(), shown)) return true;
    return std::ranges::any_of(std::array{false, true}, [&](bool sums) {
      const IndexExpr bounded = with_greatest_quotients(*index_, part, known, sums);
      return bounded != part && shown(bounded);
    });
  };
  // A minimum is at least 0 where both sides are, a maximum where one is.
  std::vector<IndexExpr> all;
  bounds_of(*index_, e, AtomKind::Min, all);
  return std::all_of(all.begin(), all.end(), [&](IndexExpr side) {
    std::vector<IndexExpr> any;
    bounds_of(*index_, side, AtomKind::Max, any);
    return shown_either_way(side) || std::any_of(any.begin(), any.end(), shown_either_way);
  });
}

AccessVerdict LoopAccess::place(OpRef access) {
  using Place = AccessVerdict::Place;
  const auto dims = AccessRef::from(access).buffer().dims();
  const auto subscripts = subscripts_of(access);
  AccessVerdict verdict;
  if (is_never()) return verdict;
  for (std::size_t d = 0; d < std::min(dims.size(), subscripts.size()); ++d) {
    const IndexExpr at = over_loops(access, subscripts[d]);
    const IndexExpr above = index_->sub(at, dims[d]), below = index_->sub(index_->constant(-1), at);
    const IndexExpr room = index_->sub(index_->constant(-1), above);
    if (is_known(at) && is_known(room)) continue;
    if (is_known(below) || is_known(above)) return {Place::Outside, d};
    if (verdict.place == Place::Inside) verdict = {Place::Open, d};
  }
  return verdict;
}

// ---------------------------------------------------------------------------------------------------- conflicts

namespace {

struct Access {
  OpRef op;
  Value buffer;  // as the access names it, a view or not
  std::vector<IndexExpr> at;
  std::vector<IndexExpr> known;  // where it is reached
};

// Finds what separates the iterations of one loop.
class Conflicts {
 public:
  Conflicts(ForRef loop, const Facts& facts, OpRef within)
      : loop_(loop),
        frame_(within.valid() ? within : loop.op()),
        context_(loop.op().module().context()),
        pool_(context_.index()),
        walk_(context_, facts) {}

  // Looks at two buffers alone, which are the same memory.
  void take_as_one(Value a, Value b) { as_one_ = {a, b}; }

  std::optional<LoopConflict> run() {
    walk_.enter_around(loop_.op());
    collect(loop_.body());
    for (std::vector<Access>& group : groups_) {
      by_place_in_memory(group);
      const auto is_store = [](const Access& a) { return a.op.is(LoopOp::Store); };
      const auto store = std::find_if(group.begin(), group.end(), is_store);
      if (store == group.end() || separated(group)) continue;
      for (const Access& one : group)
        if (is_store(one) && std::all_of(one.at.begin(), one.at.end(), [&](IndexExpr e) { return is_fixed(e); }))
          return LoopConflict{one.op, one.op, true};
      for (const Access& other : group)
        if (!separated({*store, other})) return LoopConflict{store->op, other.op, false};
      return LoopConflict{store->op, store->op, false};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_outside(RegionRef scope) const {
    return !(scope == frame_.region(0)) && !scope.parent_op().is_inside(frame_);
  }

  // The accesses to buffers from outside, a group for each buffer.
  void collect(RegionRef region) {
    walk_.enter(region);
    for (const OpRef op : region.ops()) {
      if (const AccessRef touched = AccessRef::from(op); touched.valid() && !walk_.is_never()) {
        const Value named = touched.buffer();
        Value buffer = underlying_buffer(named);
        const bool of_pair = as_one_ && (buffer == as_one_->first || buffer == as_one_->second);
        if (of_pair) buffer = as_one_->first;
        if (is_outside(buffer.scope()) && (of_pair || !as_one_)) {
          Access access{op, named, {}, walk_.known()};
          for (const IndexExpr e : subscripts_of(op)) access.at.push_back(walk_.over_loops(op, e));
          const auto [place, fresh] = numbers_.try_emplace(buffer.id(), groups_.size());
          if (fresh) groups_.emplace_back();
          groups_[place->second].push_back(std::move(access));
        }
      }
      for (const RegionRef inner : op.regions()) collect(inner);
      walk_.pass(op);
    }
    walk_.leave();
  }

  // How many elements of row-major memory one step along each axis passes.
  std::vector<IndexExpr> strides_of(const Access& access) {
    const std::span<const IndexExpr> dims = access.buffer.dims();
    std::vector<IndexExpr> strides(dims.size(), pool_.constant(1));
    for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = pool_.mul(strides[d], dims[d]);
    return strides;
  }

  // Accesses by several views of one memory get subscripts that mean the same in all of them: axes are merged, in
  // row-major order, but where each view has an axis of one stride. A subscript is within its axis, so two accesses
  // meet only where all merged ones are equal.
  void by_place_in_memory(std::vector<Access>& group) {
    const auto same = [&](const Access& a) { return a.buffer.type() == group[0].buffer.type(); };
    if (std::all_of(group.begin(), group.end(), same)) return;
    std::vector<IndexExpr> common = strides_of(group[0]);
    std::erase(common, pool_.overflow());
    for (const Access& access : group) {
      const std::vector<IndexExpr> strides = strides_of(access);
      std::erase_if(common, [&](IndexExpr s) { return std::find(strides.begin(), strides.end(), s) == strides.end(); });
    }
    for (Access& access : group) {
      const std::span<const IndexExpr> dims = access.buffer.dims();
      const std::vector<IndexExpr> strides = strides_of(access);
      std::vector<IndexExpr> merged;
      IndexExpr number = pool_.constant(0);
      for (std::size_t d = 0; d < dims.size(); ++d) {
        number = pool_.add(pool_.mul(number, dims[d]), access.at[d]);
        // An axis of size 1 after it has the same stride, and belongs to it.
        const bool last = d + 1 == dims.size() || strides[d + 1] != strides[d];
        if (!last || std::find(common.begin(), common.end(), strides[d]) == common.end()) continue;
        merged.push_back(number);
        number = pool_.constant(0);
      }
      if (common.empty()) merged = {number};
      access.at = std::move(merged);
    }
  }

  // Every iteration has the same value.
  [[nodiscard]] bool is_fixed(IndexExpr e) const {
    bool fixed = true;
    pool_.for_each_atom(e, [&](AtomId id) {
      const Atom& atom = pool_.atom(id);
      if (atom.kind != AtomKind::IndexLabel && atom.kind != AtomKind::Opaque) return;
      fixed = fixed && is_outside(Value(&loop_.op().module(), ValueId(atom.number)).scope());
    });
    return fixed;
  }

  // Some axis alone tells iterations apart, for any two of the accesses, or several axes together.
  [[nodiscard]] bool separated(const std::vector<Access>& group) {
    for (std::size_t axis = 0; axis < group[0].at.size(); ++axis)
      if (separated_by(group, axis)) return true;
    return separated_by_digits(group);
  }

  // Subscripts hold quotients and remainders of the index from which it follows: `i floordiv 8` and `i mod 8`. Accesses
  // of which one axis has different numbers never meet; all others have the same subscripts.
  bool separated_by_digits(const std::vector<Access>& group) {
    std::vector<const Access*> planes;  // one of each
    const auto meets = [&](const Access& a, const Access& b) {
      for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
        const auto at = pool_.as_constant(a.at[axis]), other = pool_.as_constant(b.at[axis]);
        if (at && other && *at != *other) return false;
      }
      return true;
    };
    for (const Access& access : group) {
      bool is_new = true;
      for (const Access* plane : planes) {
        if (!meets(access, *plane)) continue;
        if (access.at != plane->at) return false;
        is_new = false;
      }
      if (is_new) planes.push_back(&access);
    }
    const IndexExpr index = walk_.over_loops(loop_.op().module(), of_value(loop_.index()));
    return std::all_of(planes.begin(), planes.end(), [&](const Access* plane) { return is_told(index, plane->at); });
  }

  // Whether equal subscripts mean equal values of the expression.
  bool is_told(IndexExpr e, const std::vector<IndexExpr>& at) {
    const auto has = [&](IndexExpr digit) {
      return std::any_of(at.begin(), at.end(), [&](IndexExpr axis) {
        return pool_.as_constant(pool_.sub(axis, digit)) || pool_.as_constant(pool_.add(axis, digit));
      });
    };
    if (pool_.as_constant(e) || has(e)) return true;
    std::vector<IndexExpr> divisors;
    for (const IndexExpr axis : at)
      pool_.for_each_atom(axis, [&](AtomId id) {
        const Atom& atom = pool_.atom(id);
        if (atom.kind == AtomKind::Mod && pool_.as_constant(atom.b).value_or(0) > 1) divisors.push_back(atom.b);
      });
    for (const IndexExpr by : divisors) {
      const IndexExpr quotient = pool_.floordiv(e, by);
      if (quotient != e && has(pool_.mod(e, by)) && is_told(quotient, at)) return true;
    }
    return false;
  }

  // Each subscript is slope*label + base + r with one slope and one base that no iteration changes, and all r lie in a
  // window that is no wider than the slope.
  bool separated_by(const std::vector<Access>& group, std::size_t axis) {
    const IndexExpr one = pool_.constant(1);
    const AtomId label = walk_.label_of(loop_);
    std::optional<IndexExpr> slope, base;
    bool negative = false;
    std::vector<IndexExpr> rests;
    std::vector<std::int64_t> offsets;
    for (const Access& access : group) {
      auto linear = linear_in(pool_, access.at[axis], label);
      if (!linear || !is_fixed(linear->slope)) return false;
      if (!slope) negative = walk_.is_known(pool_.sub(pool_.scale(linear->slope, -1), one), access.known);
      if (negative) linear = Linear{pool_.scale(linear->slope, -1), pool_.scale(linear->rest, -1)};
      const IndexExpr fixed = fixed_part(linear->rest);
      if ((slope && linear->slope != *slope) || (base && fixed != *base)) return false;
      slope = linear->slope;
      base = fixed;
      rests.push_back(pool_.sub(linear->rest, fixed));
      offsets.push_back(constant_of(rests.back()));
    }
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    for (const std::int64_t offset : offsets) {
      bool fits = true;
      for (std::size_t i = 0; fits && i < group.size(); ++i) {
        const IndexExpr r = pool_.sub(rests[i], pool_.constant(offset));
        fits =
            walk_.is_known(r, group[i].known) && walk_.is_known(pool_.sub(pool_.sub(*slope, one), r), group[i].known);
      }
      if (fits) return true;
    }
    return false;
  }

  [[nodiscard]] std::int64_t constant_of(IndexExpr e) const {
    const std::size_t count = pool_.term_count(e);
    return count > 0 && pool_.term(e, count - 1).factors.empty() ? pool_.term(e, count - 1).coefficient : 0;
  }

  // The terms that no iteration changes, without the constant.
  [[nodiscard]] IndexExpr fixed_part(IndexExpr e) {
    std::vector<IndexExpr> parts;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      if (term.factors.empty()) continue;
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      IndexExpr product = pool_.constant(term.coefficient);
      for (const AtomId f : factors) product = pool_.mul(product, pool_.from_atom(f));
      parts.push_back(product);
    }
    IndexExpr out = pool_.constant(0);
    for (const IndexExpr part : parts)
      if (is_fixed(part)) out = pool_.add(out, part);
    return out;
  }

  ForRef loop_;
  OpRef frame_;  // what comes from outside of it is the same for all iterations that are told apart
  Context& context_;
  IndexPool& pool_;
  LoopAccess walk_;
  std::vector<std::vector<Access>> groups_;
  std::unordered_map<ValueId, std::size_t> numbers_;
  std::optional<std::pair<Value, Value>> as_one_;
};

}  // namespace

std::optional<LoopConflict> find_conflict(ForRef loop, const Facts& facts, OpRef within) {
  return Conflicts(loop, facts, within).run();
}

bool keep_apart_as_one(ForRef loop, const Facts& facts, Value a, Value b) {
  Conflicts conflicts(loop, facts, {});
  conflicts.take_as_one(a, b);
  return !conflicts.run();
}

}  // namespace mlgc
