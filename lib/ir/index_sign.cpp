// The sign test of index expressions, and what rests on it: equality and order.
//
// A variable that occurs linearly with a coefficient of known sign is replaced by the end of its range that makes the
// expression smallest; quotients are cleared by multiplying with their (positive) divisor; min and max split into
// cases. What is left is non-negative when every coefficient is, once each symbol is shifted by its lower bound.
// Sound, incomplete, and bounded by a budget of steps.
#include <algorithm>
#include <numeric>

#include "ir/index_pool_impl.h"

namespace mlgc {

Facts::Bound& Facts::bound(AtomId symbol) {
  for (Bound& b : bounds_)
    if (b.symbol == symbol) return b;
  bounds_.push_back({symbol, std::nullopt, std::nullopt});
  return bounds_.back();
}

void Facts::set_lower(AtomId symbol, std::int64_t value) {
  auto& lower = bound(symbol).lower;
  lower = lower ? std::max(*lower, value) : value;
}

void Facts::set_upper(AtomId symbol, std::int64_t value) {
  auto& upper = bound(symbol).upper;
  upper = upper ? std::min(*upper, value) : value;
}

void Facts::define(AtomId symbol, IndexExpr value) { definitions_.emplace_back(symbol, value); }

std::optional<std::int64_t> Facts::lower(AtomId symbol) const {
  for (const Bound& b : bounds_)
    if (b.symbol == symbol) return b.lower;
  return std::nullopt;
}

std::optional<std::int64_t> Facts::upper(AtomId symbol) const {
  for (const Bound& b : bounds_)
    if (b.symbol == symbol) return b.upper;
  return std::nullopt;
}

std::optional<IndexExpr> Facts::definition(AtomId symbol) const {
  for (const auto& [name, value] : definitions_)
    if (name == symbol) return value;
  return std::nullopt;
}

struct IndexPool::Impl::SignTest {
  Impl& impl;
  IndexPool& pool;
  Facts facts;
  int& budget;

  // e = coefficient*v + rest when v occurs only linearly and outside quotients, min and max.
  struct Linear {
    IndexExpr coefficient, rest;
  };
  std::optional<Linear> linear_in(IndexExpr e, AtomId v) {
    Polynomial coefficient, rest;
    for (Monomial& m : impl.polynomial(e)) {
      const auto count = std::count(m.factors.begin(), m.factors.end(), v);
      if (count > 1) return std::nullopt;
      for (AtomId f : m.factors) {
        const Atom a = impl.atoms[f.index()];
        if (f != v && a.kind >= AtomKind::FloorDiv && (pool.mentions(a.a, v) || pool.mentions(a.b, v)))
          return std::nullopt;
      }
      if (count == 0) {
        rest.push_back(std::move(m));
      } else {
        m.factors.erase(std::find(m.factors.begin(), m.factors.end(), v));
        coefficient.push_back(std::move(m));
      }
    }
    return Linear{impl.normalise(std::move(coefficient), false), impl.normalise(std::move(rest), false)};
  }

  // The largest (least) value of a sum of multiples of index labels, symbols and quotients of such by numbers; nothing
  // where one has no constant end on that side.
  std::optional<std::int64_t> extreme(IndexExpr e, bool largest) {
    if (--budget <= 0) return std::nullopt;
    std::int64_t sum = 0;
    for (const Monomial& m : impl.polynomial(e)) {
      std::optional<std::int64_t> end = 1;
      if (m.factors.size() > 1) return std::nullopt;
      if (m.factors.size() == 1) end = extreme_of(m.factors[0], largest == (m.coefficient > 0));
      std::int64_t part = 0;
      if (!end || __builtin_mul_overflow(m.coefficient, *end, &part) || __builtin_add_overflow(sum, part, &sum))
        return std::nullopt;
    }
    return sum;
  }

  std::optional<std::int64_t> extreme_of(AtomId v, bool largest) {
    const Atom a = impl.atoms[v.index()];
    if (a.kind == AtomKind::Symbol) return largest ? facts.upper(v) : facts.lower(v).value_or(0);
    if (a.kind == AtomKind::IndexLabel) {
      if (!largest) return 0;
      const auto extent = extreme(a.a, true);
      return extent ? std::optional(*extent - 1) : std::nullopt;
    }
    if (a.kind != AtomKind::FloorDiv) return std::nullopt;
    const auto divisor = pool.as_constant(a.b);
    const auto divided = divisor && *divisor > 0 ? extreme(a.a, largest) : std::nullopt;
    return divided ? std::optional(floor_div(*divided, *divisor)) : std::nullopt;
  }

  bool non_negative(IndexExpr e) {
    if (e == kPoison || --budget <= 0) return false;
    Operation operation(impl);
    if (!operation.spend(impl.exprs[e.id].nodes)) return false;
    if (auto c = pool.as_constant(e)) return *c >= 0;

    std::vector<AtomId> atoms;
    for (const Monomial& m : impl.polynomial(e))
      for (AtomId f : m.factors)
        if (std::find(atoms.begin(), atoms.end(), f) == atoms.end()) atoms.push_back(f);

    for (AtomId v : atoms) {
      const Atom a = impl.atoms[v.index()];
      if (a.kind != AtomKind::Min && a.kind != AtomKind::Max) continue;
      auto with = [&](IndexExpr x) {
        return pool.substitute(e, [&](AtomId id) { return id == v ? std::optional(x) : std::nullopt; });
      };
      // A maximum is at least either side, and so is what it is added to.
      if (auto parts = linear_in(e, v)) {
        const IndexExpr c = parts->coefficient;
        if (non_negative(a.kind == AtomKind::Max ? c : pool.scale(c, -1)))
          return non_negative(with(a.a)) || non_negative(with(a.b));
      }
      return non_negative(with(a.a)) && non_negative(with(a.b));
    }
    for (AtomId v : atoms) {
      const Atom a = impl.atoms[v.index()];
      if (a.kind != AtomKind::FloorDiv && a.kind != AtomKind::Mod) continue;
      auto parts = linear_in(e, v);
      if (!parts) continue;
      const auto [c, rest] = *parts;
      const bool up = non_negative(c);
      const bool down = !up && non_negative(pool.scale(c, -1));
      if (!up && !down) continue;
      const IndexExpr one = pool.constant(1);
      if (a.kind == AtomKind::Mod) {
        const IndexExpr worst = up ? rest : pool.add(rest, pool.mul(c, pool.sub(a.b, one)));
        if (non_negative(worst)) return true;
        continue;
      }
      const IndexExpr scaled_rest = pool.mul(a.b, rest);
      const auto constant = pool.as_constant(c);
      if (up) {
        if (non_negative(a.a) && non_negative(rest)) return true;
        // floordiv(x,m) >= -rest  <=>  x + m*rest >= 0; with a coefficient other than 1 the rounding is given away.
        const IndexExpr low = constant == 1 ? a.a : pool.sub(a.a, pool.sub(a.b, one));
        if (non_negative(pool.add(pool.mul(c, low), scaled_rest))) return true;
      } else {
        // floordiv(x,m) <= rest  <=>  m*rest + m-1 - x >= 0
        const IndexExpr slack = constant == -1 ? pool.sub(a.b, one) : kZero;
        if (non_negative(pool.add(pool.add(pool.mul(c, a.a), scaled_rest), slack))) return true;
      }
      // The rounding counts where several of the quotient are taken, and its end is a number.
      if (constant && *constant != 1 && *constant != -1)
        if (const auto end = extreme_of(v, down))
          if (non_negative(pool.add(rest, pool.scale(pool.constant(*end), *constant)))) return true;
    }
    // Labels before symbols: a label's range ends at its extent, which mentions symbols.
    if (auto answer = eliminate(AtomKind::IndexLabel, e, atoms)) return *answer;
    if (auto answer = eliminate(AtomKind::Symbol, e, atoms)) return *answer;
    return shifted_coefficients_non_negative(e, atoms);
  }

  // Replaces one variable of `kind` by the end of its range that makes e smallest; nothing when no variable qualifies.
  std::optional<bool> eliminate(AtomKind kind, IndexExpr e, const std::vector<AtomId>& atoms) {
    for (AtomId v : atoms) {
      const Atom a = impl.atoms[v.index()];
      if (a.kind != kind) continue;
      auto parts = linear_in(e, v);
      if (!parts) continue;
      const auto [c, rest] = *parts;
      if (non_negative(c)) {
        const std::int64_t low = kind == AtomKind::IndexLabel ? 0 : facts.lower(v).value_or(0);
        return non_negative(pool.add(rest, pool.scale(c, low)));
      }
      IndexExpr high;
      if (kind == AtomKind::IndexLabel) {
        high = pool.sub(a.a, pool.constant(1));
      } else if (auto bound = facts.upper(v)) {
        high = pool.constant(*bound);
      } else {
        continue;
      }
      if (non_negative(pool.scale(c, -1))) return non_negative(pool.add(rest, pool.mul(c, high)));
    }
    return std::nullopt;
  }

  // Every symbol s is replaced by s' + lower(s), s' >= 0; then no coefficient may be negative.
  bool shifted_coefficients_non_negative(IndexExpr e, const std::vector<AtomId>& atoms) {
    for (AtomId v : atoms) {
      const Atom& a = impl.atoms[v.index()];
      if (a.kind == AtomKind::Opaque) return false;
      if (a.kind == AtomKind::FloorDiv && !(non_negative(Atom(a).a))) return false;
    }
    const IndexExpr shifted = pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (impl.atoms[id.index()].kind != AtomKind::Symbol) return std::nullopt;
      const std::int64_t low = facts.lower(id).value_or(0);
      return low == 0 ? std::nullopt : std::optional(pool.add(pool.from_atom(id), pool.constant(low)));
    });
    if (shifted == kPoison) return false;
    for (std::size_t i = 0; i < pool.term_count(shifted); ++i)
      if (pool.term(shifted, i).coefficient < 0) return false;
    return true;
  }
};

namespace {

// Definitions may mention defined symbols; three rounds resolve every chain that `where` clauses produce in practice,
// and a chain that is longer only makes the answer less precise.
IndexExpr apply_definitions(IndexPool& pool, IndexExpr e, const Facts& facts) {
  if (facts.empty()) return e;
  for (int round = 0; round < 3; ++round) {
    const IndexExpr next = pool.substitute(e, [&](AtomId id) { return facts.definition(id); });
    if (next == e) break;
    e = next;
  }
  return e;
}

// Every minimum and maximum as the maximum of one difference and 0: max(a, b) = b + max(a - b, 0), min(a, b) = a -
// max(a - b, 0), with the sign of the difference chosen by its first term. Two forms of one clamp then cancel.
IndexExpr one_sided(IndexPool& pool, IndexExpr e) {
  return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = pool.atom(id);
    if (atom.kind != AtomKind::Min && atom.kind != AtomKind::Max) return std::nullopt;
    IndexExpr a = one_sided(pool, atom.a), b = one_sided(pool, atom.b);
    IndexExpr d = pool.sub(a, b);
    if (d != pool.overflow() && pool.term_count(d) > 0 && pool.term(d, 0).coefficient < 0) {
      std::swap(a, b);
      d = pool.scale(d, -1);
    }
    const IndexExpr excess = pool.max(d, pool.constant(0));
    return atom.kind == AtomKind::Max ? pool.add(b, excess) : pool.sub(a, excess);
  });
}

}  // namespace

bool IndexPool::is_non_negative(IndexExpr e, const Facts& facts) {
  if (e == Impl::kPoison) return false;
  if (auto c = as_constant(e)) return *c >= 0;
  const Impl::Operation operation(*impl_);
  e = apply_definitions(*this, e, facts);
  Facts known = facts;
  // An index label exists only where its extent is at least 1, and a quotient only where its divisor is.
  for_each_atom(e, [&](AtomId id) {
    const Atom& a = atom(id);
    std::optional<AtomId> positive;
    if (a.kind == AtomKind::IndexLabel) positive = as_atom(a.a);
    if (a.kind == AtomKind::FloorDiv || a.kind == AtomKind::Mod) positive = as_atom(a.b);
    if (positive && atom(*positive).kind == AtomKind::Symbol) known.set_lower(*positive, 1);
  });
  // Divisions that a test makes ask for tests in their turn: all of them together have what the outermost one may take.
  if (impl_->sign_budget != nullptr)
    return Impl::SignTest{*impl_, *this, std::move(known), *impl_->sign_budget}.non_negative(e);
  constexpr int kBudget = 300;
  constexpr std::int64_t kSteps = kMaxIndexSteps >> 6;
  int budget = kBudget;
  const std::int64_t kept = std::max<std::int64_t>(impl_->steps_left - kSteps, 0);
  impl_->steps_left -= kept;
  impl_->sign_budget = &budget;
  const bool answer = Impl::SignTest{*impl_, *this, std::move(known), budget}.non_negative(e);
  impl_->sign_budget = nullptr;
  impl_->steps_left += kept;
  return answer;
}

Truth IndexPool::equal(IndexExpr a, IndexExpr b, const Facts& facts) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Truth::Unknown;
  const Impl::Operation operation(*impl_);
  IndexExpr d = apply_definitions(*this, sub(a, b), facts);
  if (const IndexExpr other = one_sided(*this, d); other != Impl::kPoison && term_count(other) < term_count(d))
    d = other;
  if (d == Impl::kPoison) return Truth::Unknown;
  if (auto c = as_constant(d)) return *c == 0 ? Truth::Yes : Truth::No;
  // All atoms are integers: a constant that the other coefficients' divisor does not divide cannot be cancelled.
  std::int64_t divisor = 0, rest = 0;
  for (std::size_t i = 0; i < term_count(d); ++i) {
    const Term t = term(d, i);
    if (t.factors.empty())
      rest = t.coefficient;
    else
      divisor = std::gcd(divisor, t.coefficient);
  }
  if (divisor > 1 && rest % divisor != 0) return Truth::No;
  const IndexExpr one = constant(1);
  if (is_non_negative(sub(d, one), facts) || is_non_negative(sub(scale(d, -1), one), facts)) return Truth::No;
  if (is_non_negative(d, facts) && is_non_negative(scale(d, -1), facts)) return Truth::Yes;
  return Truth::Unknown;
}

Truth IndexPool::less(IndexExpr a, IndexExpr b, const Facts& facts) {
  if (is_non_negative(sub(sub(b, a), constant(1)), facts)) return Truth::Yes;
  if (is_non_negative(sub(a, b), facts)) return Truth::No;
  return Truth::Unknown;
}

}  // namespace mlgc
