// Floor division and remainder of index expressions in canonical form.
//
// Rules, all for a positive divisor b:
//   1  a = b*q + r by long division            floordiv = q + floordiv(r, b)      mod = mod(r, b)
//   2  0 <= r < b                              floordiv = q                       mod = r
//      -b <= r < 0                             floordiv = q - 1                   mod = r + b
//   3  r = g*e + s, b = g*d, 0 <= s < g        floordiv = q + floordiv(e, d)      mod = g*mod(e, d) + s
//      the same with -g <= s < 0               floordiv = q + floordiv(e-1, d)    mod = g*mod(e-1, d) + s + g
//   4  r = floordiv(x, c) + s                  floordiv = q + floordiv(x + c*s, c*b)
//   5  r = k*mod(x, n) + s, b divides k*n                                         mod = mod(k*x + s, b)
#include <algorithm>
#include <numeric>

#include "ir/index_pool_impl.h"

namespace mlgc {
namespace {

// Removes the factors of `divisor` from `factors`; nothing when they are not all there.
std::optional<std::vector<AtomId>> factors_without(const std::vector<AtomId>& factors,
                                                   const std::vector<AtomId>& divisor) {
  if (!std::includes(factors.begin(), factors.end(), divisor.begin(), divisor.end())) return std::nullopt;
  std::vector<AtomId> rest;
  std::set_difference(factors.begin(), factors.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
  return rest;
}

// The multiple of m nearest to c, halves downwards: the remainder lies in (-m/2, m/2].
std::int64_t nearest_quotient(std::int64_t c, std::int64_t m) {
  const std::int64_t q = floor_div(c, m);
  const std::int64_t r = c - q * m;
  return r > m - r ? q + 1 : q;
}

// Divisors are positive, so the symbols of a one-term divisor are at least 1.
Facts facts_of_divisor(const IndexPool& pool, IndexExpr b) {
  Facts facts;
  if (pool.term_count(b) == 1)
    for (AtomId id : pool.term(b, 0).factors)
      if (pool.atom(id).kind == AtomKind::Symbol) facts.set_lower(id, 1);
  return facts;
}

}  // namespace

IndexPool::Impl::Division IndexPool::Impl::divide(IndexExpr a, IndexExpr b) {
  const Polynomial divisor = polynomial(b);
  const Monomial& lead = divisor.front();
  const bool single = divisor.size() == 1;
  IndexExpr quotient = kZero, rest = a;
  // Each round removes the leading divisible terms; what it brings back is smaller in the monomial order.
  for (bool again = true; again;) {
    if (!spend(exprs[rest.id].nodes)) return {kPoison, kPoison};
    Polynomial q;
    for (const Monomial& m : polynomial(rest)) {
      auto factors = factors_without(m.factors, lead.factors);
      if (!factors) continue;
      std::int64_t c = 0;
      if (m.coefficient % lead.coefficient == 0) {
        c = m.coefficient / lead.coefficient;
      } else if (single && lead.coefficient > 1) {
        // The constant term of a constant divisor goes to 0 .. m-1, other coefficients to (-m/2, m/2].
        c = m.factors.empty() && lead.factors.empty() ? floor_div(m.coefficient, lead.coefficient)
                                                      : nearest_quotient(m.coefficient, lead.coefficient);
      }
      if (c != 0) q.push_back({std::move(*factors), c});
    }
    if (q.empty()) break;
    const IndexExpr step = normalise(std::move(q), false);
    quotient = pool.add(quotient, step);
    rest = pool.sub(rest, pool.mul(step, b));
    if (quotient == kPoison || rest == kPoison) return {kPoison, kPoison};
    again = !single && rest != kZero;
  }
  return {quotient, rest};
}

std::optional<IndexExpr> IndexPool::Impl::divide_by_common_factor(IndexExpr remainder, IndexExpr b, bool want_mod) {
  const Polynomial divisor = polynomial(b);
  if (divisor.size() != 1) return std::nullopt;
  const Polynomial r = polynomial(remainder);
  // Candidates for g: what b shares with one term of r. The largest that works wins; ties by first appearance.
  std::vector<Monomial> candidates;
  for (const Monomial& m : r) {
    if (m.factors.empty() && r.size() > 1) continue;
    Monomial g;
    g.coefficient = std::gcd(m.coefficient, divisor[0].coefficient);
    std::set_intersection(m.factors.begin(), m.factors.end(), divisor[0].factors.begin(), divisor[0].factors.end(),
                          std::back_inserter(g.factors));
    if (g.coefficient == 1 && g.factors.empty()) continue;
    candidates.push_back(std::move(g));
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Monomial& x, const Monomial& y) {
    return std::pair(x.factors.size(), x.coefficient) > std::pair(y.factors.size(), y.coefficient);
  });
  const Facts facts = facts_of_divisor(pool, b);
  for (const Monomial& g : candidates) {
    Polynomial multiple, rest;
    for (const Monomial& m : r) {
      auto factors = factors_without(m.factors, g.factors);
      if (factors && m.coefficient % g.coefficient == 0) {
        multiple.push_back({std::move(*factors), m.coefficient / g.coefficient});
      } else if (m.factors.empty() && g.factors.empty()) {
        const std::int64_t q = floor_div(m.coefficient, g.coefficient);
        if (q != 0) multiple.push_back({{}, q});
        rest.push_back({{}, m.coefficient - q * g.coefficient});
      } else {
        rest.push_back(m);
      }
    }
    const IndexExpr ge = intern(Polynomial{g});
    IndexExpr e = normalise(std::move(multiple), false);
    IndexExpr s = normalise(std::move(rest), false);
    if (!pool.is_non_negative(s, facts)) {
      // -g <= s < 0 borrows one g.
      if (!pool.is_non_negative(pool.add(s, ge), facts) || !pool.is_non_negative(pool.sub(pool.constant(-1), s), facts))
        continue;
      e = pool.sub(e, pool.constant(1));
      s = pool.add(s, ge);
    } else if (!pool.is_non_negative(pool.sub(pool.sub(ge, pool.constant(1)), s), facts)) {
      continue;
    }
    const IndexExpr d = divide(b, ge).quotient;
    return want_mod ? pool.add(pool.mul(ge, pool.mod(e, d)), s) : pool.floordiv(e, d);
  }
  return std::nullopt;
}

IndexExpr IndexPool::floordiv(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  if (auto c = as_constant(b)) {
    if (*c <= 0) return Impl::kPoison;
    if (*c == 1) return a;
    if (auto n = as_constant(a)) return constant(floor_div(*n, *c));
  }
  Impl::Operation operation(*impl_);
  if (!operation.spend(impl_->exprs[a.id].nodes + impl_->exprs[b.id].nodes)) return Impl::kPoison;
  const auto [q, r] = impl_->divide(a, b);
  if (q == Impl::kPoison || r == Impl::kPoison) return Impl::kPoison;
  if (r == Impl::kZero) return q;
  const Facts facts = facts_of_divisor(*this, b);
  if (is_non_negative(r, facts)) {
    if (is_non_negative(sub(sub(b, constant(1)), r), facts)) return q;
  } else if (is_non_negative(add(r, b), facts) && is_non_negative(sub(constant(-1), r), facts)) {
    return sub(q, constant(1));
  }
  if (auto reduced = impl_->divide_by_common_factor(r, b, false)) return add(q, *reduced);

  // Rule 4, for the first quotient of coefficient 1.
  for (const Monomial& m : impl_->polynomial(r)) {
    if (m.coefficient != 1 || m.factors.size() != 1) continue;
    const Atom inner = atom(m.factors[0]);
    if (inner.kind != AtomKind::FloorDiv) continue;
    const IndexExpr s = sub(r, from_atom(m.factors[0]));
    return add(q, floordiv(add(inner.a, mul(inner.b, s)), mul(inner.b, b)));
  }
  if (!operation.spend(0)) return Impl::kPoison;
  return add(q, from_atom(impl_->intern(Atom{AtomKind::FloorDiv, 0, r, b})));
}

IndexExpr IndexPool::mod(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  if (auto c = as_constant(b)) {
    if (*c <= 0) return Impl::kPoison;
    if (*c == 1) return Impl::kZero;
    if (auto n = as_constant(a)) return constant(floor_mod(*n, *c));
  }
  Impl::Operation operation(*impl_);
  if (!operation.spend(impl_->exprs[a.id].nodes + impl_->exprs[b.id].nodes)) return Impl::kPoison;
  const auto [q, r] = impl_->divide(a, b);
  if (q == Impl::kPoison || r == Impl::kPoison) return Impl::kPoison;
  if (r == Impl::kZero) return r;
  const Facts facts = facts_of_divisor(*this, b);
  if (is_non_negative(r, facts)) {
    if (is_non_negative(sub(sub(b, constant(1)), r), facts)) return r;
  } else if (is_non_negative(add(r, b), facts) && is_non_negative(sub(constant(-1), r), facts)) {
    return add(r, b);
  }
  if (auto reduced = impl_->divide_by_common_factor(r, b, true)) return *reduced;

  // Rule 5, for the first remainder.
  for (const Monomial& m : impl_->polynomial(r)) {
    const auto inner = std::ranges::find_if(m.factors, [&](AtomId id) { return atom(id).kind == AtomKind::Mod; });
    if (inner == m.factors.end()) continue;
    const Atom remainder = atom(*inner);
    Monomial rest = m;
    rest.factors.erase(rest.factors.begin() + (inner - m.factors.begin()));
    const IndexExpr k = impl_->intern(Polynomial{rest});
    if (impl_->divide(mul(k, remainder.b), b).remainder != Impl::kZero) continue;
    const IndexExpr whole = add(mul(k, remainder.a), sub(r, impl_->intern(Polynomial{m})));
    if (whole != Impl::kPoison) return mod(whole, b);
  }
  if (!operation.spend(0)) return Impl::kPoison;
  return from_atom(impl_->intern(Atom{AtomKind::Mod, 0, r, b}));
}

IndexExpr IndexPool::ceildiv(IndexExpr a, IndexExpr b) { return scale(floordiv(scale(a, -1), b), -1); }

}  // namespace mlgc
