// Interning and ring arithmetic of index expressions. Division is in index_division.cpp, the sign test in
// index_sign.cpp, printing in index_print.cpp.
#include "ir/index_expr.h"

#include <algorithm>
#include <array>

#include "ir/index_pool_impl.h"
#include "support/hash.h"
#include "support/result.h"

namespace mlgc {

bool monomial_before(const std::vector<AtomId>& a, const std::vector<AtomId>& b) {
  if (a.size() != b.size()) return a.size() > b.size();
  return a < b;
}

IndexPool::IndexPool() : impl_(std::make_unique<Impl>(*this)) {
  // The first two expressions have fixed ids: zero, and poison as an opaque atom that cannot be made elsewhere.
  (void)impl_->intern(Polynomial{});
  const AtomId poison = impl_->intern(Atom{AtomKind::Opaque, AtomId::kInvalid, {}, {}});
  (void)impl_->intern(Polynomial{{{poison}, 1}});
}

IndexPool::~IndexPool() = default;

AtomId IndexPool::Impl::intern(const Atom& atom) {
  const std::uint64_t hash = hash_mix(hash_mix(static_cast<std::uint64_t>(atom.kind), atom.number),
                                      (std::uint64_t{atom.a.id} << 32) | atom.b.id);
  const auto same = [&](std::uint32_t id) { return atoms[id] == atom; };
  const auto insert = [&] {
    atoms.push_back(atom);
    return static_cast<std::uint32_t>(atoms.size() - 1);
  };
  return AtomId(atom_table.find_or_insert(hash, same, insert));
}

IndexExpr IndexPool::Impl::intern(const Polynomial& sorted) {
  std::size_t nodes = sorted.size();
  for (const Monomial& m : sorted) {
    for (AtomId id : m.factors) {
      const Atom& atom = atoms[id.index()];
      nodes += 1 + (atom.kind < AtomKind::FloorDiv ? 0 : exprs[atom.a.id].nodes + exprs[atom.b.id].nodes);
    }
    if (nodes > kMaxIndexNodes) return kPoison;
  }
  std::uint64_t hash = sorted.size();
  for (const Monomial& m : sorted) {
    hash = hash_mix(hash, static_cast<std::uint64_t>(m.coefficient));
    for (AtomId atom : m.factors) hash = hash_mix(hash, atom.value);
  }
  const auto same = [&](std::uint32_t id) {
    const ExprData& e = exprs[id];
    if (e.term_count != sorted.size()) return false;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const TermData& t = terms[e.first_term + i];
      if (t.coefficient != sorted[i].coefficient || t.factor_count != sorted[i].factors.size()) return false;
      if (!std::equal(sorted[i].factors.begin(), sorted[i].factors.end(), factors.begin() + t.first_factor))
        return false;
    }
    return true;
  };
  const auto insert = [&] {
    const ExprData data{static_cast<std::uint32_t>(terms.size()), static_cast<std::uint32_t>(sorted.size()),
                        static_cast<std::uint32_t>(nodes)};
    for (const Monomial& m : sorted) {
      terms.push_back(
          {m.coefficient, static_cast<std::uint32_t>(factors.size()), static_cast<std::uint32_t>(m.factors.size())});
      factors.insert(factors.end(), m.factors.begin(), m.factors.end());
    }
    exprs.push_back(data);
    return static_cast<std::uint32_t>(exprs.size() - 1);
  };
  return IndexExpr{expr_table.find_or_insert(hash, same, insert)};
}

Polynomial IndexPool::Impl::polynomial(IndexExpr e) const {
  const ExprData data = exprs[e.id];
  Polynomial p(data.term_count);
  for (std::uint32_t i = 0; i < data.term_count; ++i) {
    const TermData& t = terms[data.first_term + i];
    p[i].coefficient = t.coefficient;
    p[i].factors.assign(factors.begin() + t.first_factor, factors.begin() + t.first_factor + t.factor_count);
  }
  return p;
}

IndexExpr IndexPool::Impl::normalise(Polynomial p, bool overflowed) {
  std::size_t factor_count = p.size();
  for (const Monomial& m : p) factor_count += m.factors.size();
  if (!spend(factor_count)) return kPoison;
  auto merge = [&] {
    std::sort(p.begin(), p.end(),
              [](const Monomial& a, const Monomial& b) { return monomial_before(a.factors, b.factors); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (kept > 0 && p[kept - 1].factors == p[i].factors) {
        overflowed |= !checked_add(p[kept - 1].coefficient, p[i].coefficient, p[kept - 1].coefficient);
      } else {
        if (kept != i) p[kept] = std::move(p[i]);
        ++kept;
      }
    }
    p.resize(kept);
    std::erase_if(p, [](const Monomial& m) { return m.coefficient == 0; });
  };
  merge();

  // k*m*floordiv(x,m) + k*mod(x,m) is k*x. The quotient is looked up in its canonical form, which need not be the
  // atom floordiv(x,m) itself (a nested quotient merges its divisors).
  for (bool again = true; again && !overflowed;) {
    again = false;
    for (std::size_t i = 0; i < p.size() && !again; ++i) {
      for (std::size_t f = 0; !again && f < p[i].factors.size(); ++f) {
        const Atom atom = atoms[p[i].factors[f].index()];
        if (atom.kind != AtomKind::Mod) continue;
        if (!spend(p.size())) return kPoison;
        const IndexExpr quotient = pool.floordiv(atom.a, atom.b);
        std::vector<AtomId> rest = p[i].factors;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(f));
        IndexExpr k = intern(Polynomial{{rest, p[i].coefficient}});
        const Polynomial partner = polynomial(pool.mul(k, pool.mul(atom.b, quotient)));
        // All terms of the partner must be present with exactly these coefficients.
        std::vector<std::size_t> found;
        for (const Monomial& wanted : partner)
          for (std::size_t j = 0; j < p.size(); ++j)
            if (p[j].factors == wanted.factors && p[j].coefficient == wanted.coefficient) found.push_back(j);
        if (partner.empty() || found.size() != partner.size()) continue;
        found.push_back(i);
        std::sort(found.rbegin(), found.rend());
        for (std::size_t j : found) p.erase(p.begin() + static_cast<std::ptrdiff_t>(j));
        for (Monomial& m : polynomial(pool.mul(k, atom.a))) p.push_back(std::move(m));
        merge();
        again = true;
      }
    }
  }
  return overflowed || steps_left <= 0 ? kPoison : intern(p);
}

IndexExpr IndexPool::overflow() const { return Impl::kPoison; }

IndexExpr IndexPool::constant(std::int64_t value) {
  if (value == 0) return Impl::kZero;
  constexpr std::int64_t kSmall = 4096;
  if (value < 0 || value > kSmall) return impl_->intern(Polynomial{{{}, value}});
  std::vector<IndexExpr>& known = impl_->small_constants;
  const auto at = static_cast<std::size_t>(value);
  if (known.size() <= at) known.resize(at + 1, Impl::kPoison);
  if (known[at] == Impl::kPoison) known[at] = impl_->intern(Polynomial{{{}, value}});
  return known[at];
}

IndexExpr IndexPool::symbol(std::string_view name) {
  auto [it, inserted] =
      impl_->symbol_numbers.try_emplace(std::string(name), static_cast<std::uint32_t>(impl_->symbol_names.size()));
  if (inserted) impl_->symbol_names.emplace_back(name);
  return from_atom(impl_->intern(Atom{AtomKind::Symbol, it->second, {}, {}}));
}

IndexExpr IndexPool::index_label(std::uint32_t number, IndexExpr extent) {
  return from_atom(impl_->intern(Atom{AtomKind::IndexLabel, number, extent, {}}));
}

IndexExpr IndexPool::opaque(std::uint32_t payload) {
  return from_atom(impl_->intern(Atom{AtomKind::Opaque, payload, {}, {}}));
}

IndexExpr IndexPool::from_atom(AtomId atom) {
  std::vector<IndexExpr>& known = impl_->of_atoms;
  if (known.size() <= atom.index()) known.resize(impl_->atoms.size(), Impl::kPoison);
  if (known[atom.index()] == Impl::kPoison) known[atom.index()] = impl_->intern(Polynomial{{{atom}, 1}});
  return known[atom.index()];
}

IndexExpr IndexPool::add(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  if (a == Impl::kZero) return b;
  if (b == Impl::kZero) return a;
  const Impl::Operation operation(*impl_);
  Polynomial p = impl_->polynomial(a);
  for (Monomial& m : impl_->polynomial(b)) p.push_back(std::move(m));
  return impl_->normalise(std::move(p), false);
}

IndexExpr IndexPool::scale(IndexExpr a, std::int64_t factor) {
  if (a == Impl::kPoison || factor == 1) return a;
  if (factor == 0) return Impl::kZero;
  Polynomial p = impl_->polynomial(a);
  bool overflowed = false;
  for (Monomial& m : p) overflowed |= !checked_mul(m.coefficient, factor, m.coefficient);
  return overflowed ? Impl::kPoison : impl_->intern(p);
}

IndexExpr IndexPool::sub(IndexExpr a, IndexExpr b) {
  return a == b && a != Impl::kPoison ? Impl::kZero : add(a, scale(b, -1));
}

IndexExpr IndexPool::mul(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  if (auto c = as_constant(a)) return scale(b, *c);
  if (auto c = as_constant(b)) return scale(a, *c);
  const Impl::Operation operation(*impl_);
  const Polynomial left = impl_->polynomial(a), right = impl_->polynomial(b);
  if (left.size() * right.size() > kMaxIndexNodes) return Impl::kPoison;
  Polynomial p;
  p.reserve(left.size() * right.size());
  bool overflowed = false;
  for (const Monomial& l : left) {
    for (const Monomial& r : right) {
      Monomial m;
      overflowed |= !checked_mul(l.coefficient, r.coefficient, m.coefficient);
      m.factors.resize(l.factors.size() + r.factors.size());
      std::merge(l.factors.begin(), l.factors.end(), r.factors.begin(), r.factors.end(), m.factors.begin());
      p.push_back(std::move(m));
    }
  }
  return impl_->normalise(std::move(p), overflowed);
}

IndexExpr IndexPool::min(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  Impl::Operation operation(*impl_);
  if (!operation.spend(1)) return Impl::kPoison;
  if (is_non_negative(sub(b, a))) return a;
  if (is_non_negative(sub(a, b))) return b;
  if (!operation.spend(1)) return Impl::kPoison;
  if (b < a) std::swap(a, b);
  return from_atom(impl_->intern(Atom{AtomKind::Min, 0, a, b}));
}

IndexExpr IndexPool::max(IndexExpr a, IndexExpr b) {
  if (a == Impl::kPoison || b == Impl::kPoison) return Impl::kPoison;
  Impl::Operation operation(*impl_);
  if (!operation.spend(1)) return Impl::kPoison;
  if (is_non_negative(sub(b, a))) return b;
  if (is_non_negative(sub(a, b))) return a;
  if (!operation.spend(1)) return Impl::kPoison;
  if (b < a) std::swap(a, b);
  return from_atom(impl_->intern(Atom{AtomKind::Max, 0, a, b}));
}

std::optional<std::int64_t> IndexPool::as_constant(IndexExpr e) const {
  if (e == Impl::kPoison) return std::nullopt;
  const auto& data = impl_->exprs[e.id];
  if (data.term_count == 0) return 0;
  const auto& t = impl_->terms[data.first_term];
  if (data.term_count == 1 && t.factor_count == 0) return t.coefficient;
  return std::nullopt;
}

std::optional<AtomId> IndexPool::as_atom(IndexExpr e) const {
  const auto& data = impl_->exprs[e.id];
  if (data.term_count != 1 || e == Impl::kPoison) return std::nullopt;
  const auto& t = impl_->terms[data.first_term];
  if (t.coefficient != 1 || t.factor_count != 1) return std::nullopt;
  return impl_->factors[t.first_factor];
}

std::size_t IndexPool::term_count(IndexExpr e) const { return impl_->exprs[e.id].term_count; }
std::size_t IndexPool::node_count(IndexExpr e) const { return impl_->exprs[e.id].nodes; }

Term IndexPool::term(IndexExpr e, std::size_t i) const {
  const auto& t = impl_->terms[impl_->exprs[e.id].first_term + i];
  return {t.coefficient, std::span<const AtomId>(impl_->factors).subspan(t.first_factor, t.factor_count)};
}

const Atom& IndexPool::atom(AtomId id) const { return impl_->atoms[id.index()]; }

std::string_view IndexPool::symbol_name(AtomId id) const {
  const Atom& a = atom(id);
  MLGC_ASSERT(a.kind == AtomKind::Symbol, "symbol_name of an atom that is not a symbol");
  return impl_->symbol_names[a.number];
}

void IndexPool::for_each_atom(IndexExpr e, const std::function<void(AtomId)>& visit) const {
  // Most expressions have a few atoms without others inside: those take no memory.
  constexpr std::size_t kFew = 8;
  std::array<AtomId, kFew> few{};
  std::size_t count = 0;
  std::vector<AtomId> many;
  const auto is_new = [&](AtomId id) {
    const auto end = few.begin() + static_cast<std::ptrdiff_t>(std::min(count, kFew));
    if (std::find(few.begin(), end, id) != end || std::find(many.begin(), many.end(), id) != many.end()) return false;
    if (count < kFew)
      few[count] = id;
    else
      many.push_back(id);
    ++count;
    return true;
  };
  std::vector<IndexExpr> work;
  for (IndexExpr at = e;;) {
    const auto data = impl_->exprs[at.id];
    for (std::uint32_t t = 0; t < data.term_count; ++t) {
      const auto term_data = impl_->terms[data.first_term + t];
      for (std::uint32_t f = 0; f < term_data.factor_count; ++f) {
        const AtomId id = impl_->factors[term_data.first_factor + f];
        if (!is_new(id)) continue;
        visit(id);
        const Atom a = impl_->atoms[id.index()];
        if (a.kind >= AtomKind::FloorDiv) {
          work.push_back(a.a);
          work.push_back(a.b);
        }
      }
    }
    if (work.empty()) return;
    at = work.back();
    work.pop_back();
  }
}

bool IndexPool::mentions(IndexExpr e, AtomId wanted) const {
  bool found = false;
  for_each_atom(e, [&](AtomId id) { found |= id == wanted; });
  return found;
}

IndexExpr IndexPool::substitute(IndexExpr e, const std::function<std::optional<IndexExpr>(AtomId)>& replace) {
  if (e == Impl::kPoison) return e;
  Impl::Operation operation(*impl_);
  if (!operation.spend(impl_->exprs[e.id].nodes)) return Impl::kPoison;
  // Most are an index label.
  if (const auto only = as_atom(e); only && atom(*only).kind < AtomKind::FloorDiv) return replace(*only).value_or(e);
  bool touched = false;
  for_each_atom(e, [&](AtomId id) { touched |= replace(id).has_value(); });
  if (!touched) return e;
  IndexExpr sum = Impl::kZero;
  for (const Monomial& m : impl_->polynomial(e)) {
    IndexExpr product = constant(m.coefficient);
    for (AtomId id : m.factors) {
      IndexExpr factor;
      if (auto replacement = replace(id)) {
        factor = *replacement;
      } else {
        const Atom a = atom(id);
        auto inner = [&](IndexExpr x) { return substitute(x, replace); };
        switch (a.kind) {
          case AtomKind::FloorDiv: factor = floordiv(inner(a.a), inner(a.b)); break;
          case AtomKind::Mod: factor = mod(inner(a.a), inner(a.b)); break;
          case AtomKind::Min: factor = min(inner(a.a), inner(a.b)); break;
          case AtomKind::Max: factor = max(inner(a.a), inner(a.b)); break;
          default: factor = from_atom(id);
        }
      }
      product = mul(product, factor);
    }
    sum = add(sum, product);
  }
  return sum;
}

std::optional<std::int64_t> IndexPool::evaluate(
    IndexExpr e, const std::function<std::optional<std::int64_t>(AtomId)>& value_of) const {
  if (e == Impl::kPoison) return std::nullopt;
  const auto data = impl_->exprs[e.id];
  std::int64_t sum = 0;
  for (std::uint32_t t = 0; t < data.term_count; ++t) {
    const auto& term_data = impl_->terms[data.first_term + t];
    std::int64_t product = term_data.coefficient;
    for (std::uint32_t f = 0; f < term_data.factor_count; ++f) {
      const AtomId id = impl_->factors[term_data.first_factor + f];
      const Atom& a = impl_->atoms[id.index()];
      std::optional<std::int64_t> value;
      if (a.kind < AtomKind::FloorDiv) {
        value = value_of(id);
      } else {
        const auto x = evaluate(a.a, value_of), y = evaluate(a.b, value_of);
        if (!x || !y) return std::nullopt;
        switch (a.kind) {
          case AtomKind::FloorDiv:
            if (*y > 0) value = floor_div(*x, *y);
            break;
          case AtomKind::Mod:
            if (*y > 0) value = floor_mod(*x, *y);
            break;
          case AtomKind::Min: value = std::min(*x, *y); break;
          default: value = std::max(*x, *y);
        }
      }
      if (!value || !checked_mul(product, *value, product)) return std::nullopt;
    }
    if (!checked_add(sum, product, sum)) return std::nullopt;
  }
  return sum;
}

}  // namespace mlgc
