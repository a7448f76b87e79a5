// Scatter forms to gather forms. The equations `subscript = j` are solved one at a time; a solved index label is
// replaced everywhere.
//
//   bare label                      l := j
//   no unknown label                guard  subscript == j
//   floordiv(e, m) = j              e = j*m + q, q a fresh label below m
//   mod(e, m) = j                   e = q*m + j, q a fresh label over the quotients that e can have
//   mixed radix                     all labels at once by quotients and remainders
//   coefficient +-1                 that label, the largest extent first; its range becomes a guard
//   coefficient m                   guard  (j - rest) mod m == 0,  l := (j - rest) floordiv m
#include "formula/invert.h"

#include <algorithm>

namespace mlgc {
namespace {

class Inversion {
 public:
  Inversion(FormulaPool& pool, Formula& into) : pool_(pool), index_(pool.index()), into_(into) {}

  std::optional<ExprId> run(const Push& push, std::span<const AtomId> output) {
    body_ = push.body;
    guard_ = push.guard;
    // The labels are renamed first: the same scatter may be inverted twice, and sums must own their labels.
    std::vector<std::pair<AtomId, IndexExpr>> renamed;
    for (AtomId l : push.labels) {
      const Atom atom = index_.atom(l);
      const AtomId copy = into_.fresh_label(index_, into_.label_names.at(atom.number), atom.a);
      renamed.emplace_back(l, index_.from_atom(copy));
      unknown_.push_back(copy);
    }
    auto rename = [&](AtomId l) -> std::optional<IndexExpr> {
      for (const auto& [from, to] : renamed)
        if (from == l) return to;
      return std::nullopt;
    };
    body_ = copy_expression(pool_, into_, body_, into_, rename, {});
    if (guard_.valid()) guard_ = copy_expression(pool_, into_, guard_, into_, rename, {});
    guard_reads_ = guard_.valid() && reads(guard_);
    for (std::size_t d = 0; d < push.subscripts.size(); ++d) {
      FormulaPool::Rewrite how;
      how.labels = rename;
      equations_.push_back({pool_.rewrite(push.subscripts[d], how), index_.from_atom(output[d])});
    }
    while (!equations_.empty())
      if (!step()) return std::nullopt;
    guard_ = pool_.both(first_, guard_);

    if (unknown_.empty()) {
      if (!guard_.valid()) return body_;
      return pool_.select(guard_, body_, pool_.real(0));
    }
    return pool_.reduce(Reduction::Sum, unknown_, guard_, body_);
  }

 private:
  struct Equation {
    IndexExpr left, right;
  };
  // left without its constant, as coefficient * label terms; nothing when it is anything else.
  struct LinearTerm {
    IndexExpr coefficient;
    AtomId label;
  };

  bool is_unknown(AtomId l) const { return std::find(unknown_.begin(), unknown_.end(), l) != unknown_.end(); }

  bool mentions_unknown(IndexExpr e) const {
    for (AtomId l : pool_.free_labels(e))
      if (is_unknown(l)) return true;
    return false;
  }

  bool reads(ExprId e) const {
    bool found = false;
    pool_.visit(e, [&](ExprId part) { found = found || pool_.node(part).kind == NodeKind::Read; });
    return found;
  }

  // Guards are lazy: a guard with a read is evaluated only where solved labels are in range.
  void require(ExprId condition) {
    ExprId& guard = guard_reads_ && !reads(condition) ? first_ : guard_;
    guard = pool_.both(guard, condition);
  }

  void assume_range(AtomId label, IndexExpr value) {
    const IndexExpr extent = index_.atom(label).a;
    require(pool_.non_negative(value));
    require(pool_.non_negative(index_.sub(index_.sub(extent, index_.constant(1)), value)));
  }

  void solve(AtomId label, IndexExpr value) {
    FormulaPool::Rewrite how;
    how.labels = [&](AtomId l) { return l == label ? std::optional(value) : std::nullopt; };
    for (Equation& e : equations_) {
      e.left = pool_.rewrite(e.left, how);
      e.right = pool_.rewrite(e.right, how);
    }
    body_ = pool_.rewrite(body_, how);
    if (guard_.valid()) guard_ = pool_.rewrite(guard_, how);
    if (first_.valid()) first_ = pool_.rewrite(first_, how);
    std::erase(unknown_, label);
  }

  void remove(std::size_t i) { equations_.erase(equations_.begin() + static_cast<std::ptrdiff_t>(i)); }

  // Solves one equation, the easiest kind first.
  bool step() {
    using Rule = bool (Inversion::*)(std::size_t);
    for (Rule rule : {&Inversion::bare, &Inversion::known, &Inversion::quotient, &Inversion::remainder,
                      &Inversion::mixed_radix, &Inversion::unit_coefficient, &Inversion::coefficient})
      for (std::size_t i = 0; i < equations_.size(); ++i)
        if ((this->*rule)(i)) return true;
    return false;
  }

  bool bare(std::size_t i) {
    const auto atom = index_.as_atom(equations_[i].left);
    if (!atom || index_.atom(*atom).kind != AtomKind::IndexLabel || !is_solvable(*atom, i)) return false;
    const IndexExpr value = equations_[i].right;
    remove(i);
    assume_range(*atom, value);
    solve(*atom, value);
    return true;
  }

  bool known(std::size_t i) {
    if (mentions_solvable(equations_[i].left, i)) return false;
    const Equation e = equations_[i];
    remove(i);
    require(pool_.is_zero(index_.sub(e.left, e.right)));
    return true;
  }

  std::optional<Atom> single(IndexExpr e, AtomKind kind) const {
    const auto atom = index_.as_atom(e);
    if (!atom || index_.atom(*atom).kind != kind) return std::nullopt;
    return index_.atom(*atom);
  }

  bool quotient(std::size_t i) {
    const auto atom = single(equations_[i].left, AtomKind::FloorDiv);
    if (!atom || mentions_unknown(atom->b)) return false;
    const AtomId q = into_.fresh_label(index_, "q", atom->b);
    equations_[i] = {atom->a, index_.add(index_.mul(equations_[i].right, atom->b), index_.from_atom(q))};
    unknown_.push_back(q);
    return true;
  }

  // Smallest or largest value of a sum of index labels with coefficients of known sign.
  std::optional<IndexExpr> bound(IndexExpr e, bool upper) {
    IndexExpr out = index_.constant(0);
    for (std::size_t t = 0; t < index_.term_count(e); ++t) {
      const Term term = index_.term(e, t);
      const std::int64_t coefficient = term.coefficient;
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      IndexExpr product = index_.constant(coefficient);
      for (AtomId id : factors) {
        const Atom a = index_.atom(id);
        if (a.kind == AtomKind::IndexLabel) {
          product = index_.mul(product,
                               (coefficient > 0) == upper ? index_.sub(a.a, index_.constant(1)) : index_.constant(0));
        } else if (a.kind == AtomKind::Symbol) {
          product = index_.mul(product, index_.from_atom(id));
        } else {
          return std::nullopt;
        }
      }
      out = index_.add(out, product);
    }
    return out;
  }

  bool remainder(std::size_t i) {
    const auto atom = single(equations_[i].left, AtomKind::Mod);
    if (!atom || mentions_unknown(atom->b)) return false;
    const auto low = bound(atom->a, false), high = bound(atom->a, true);
    if (!low || !high) return false;
    const IndexExpr first = index_.floordiv(*low, atom->b);
    const IndexExpr extent = index_.add(index_.sub(index_.floordiv(*high, atom->b), first), index_.constant(1));
    const AtomId q = into_.fresh_label(index_, "q", extent);
    const IndexExpr j = equations_[i].right;
    require(pool_.non_negative(index_.sub(index_.sub(atom->b, index_.constant(1)), j)));
    equations_[i] = {atom->a, index_.add(index_.mul(index_.add(index_.from_atom(q), first), atom->b), j)};
    unknown_.push_back(q);
    return true;
  }

  // A fresh label occurs on the right side, where the equation does not constrain it. Another one may, as that of the
  // remainder where this one is of the quotient; if none does, it is summed over.
  bool is_solvable(AtomId l, std::size_t i) const {
    const auto given = pool_.free_labels(equations_[i].right);
    return is_unknown(l) && std::find(given.begin(), given.end(), l) == given.end();
  }
  bool mentions_solvable(IndexExpr e, std::size_t i) const {
    const auto labels = pool_.free_labels(e);
    return std::any_of(labels.begin(), labels.end(), [&](AtomId l) { return is_solvable(l, i); });
  }

  // The left side: rest + sum of coefficient * solvable label, coefficients free of these.
  struct Linear {
    IndexExpr rest;
    std::vector<LinearTerm> terms;
  };
  std::optional<Linear> linear(std::size_t i) {
    const IndexExpr e = equations_[i].left;
    Linear out{index_.constant(0), {}};
    for (std::size_t t = 0; t < index_.term_count(e); ++t) {
      const Term term = index_.term(e, t);
      const std::int64_t factor = term.coefficient;
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      IndexExpr coefficient = index_.constant(factor);
      std::optional<AtomId> label;
      for (AtomId id : factors) {
        const bool unknown = index_.atom(id).kind == AtomKind::IndexLabel && is_solvable(id, i);
        if (unknown && label) return std::nullopt;
        if (unknown) {
          label = id;
        } else {
          coefficient = index_.mul(coefficient, index_.from_atom(id));
        }
      }
      if (mentions_solvable(coefficient, i)) return std::nullopt;
      if (!label) {
        out.rest = index_.add(out.rest, coefficient);
        continue;
      }
      auto it =
          std::find_if(out.terms.begin(), out.terms.end(), [&](const LinearTerm& x) { return x.label == *label; });
      if (it == out.terms.end())
        out.terms.push_back({coefficient, *label});
      else
        it->coefficient = index_.add(it->coefficient, coefficient);
    }
    return out;
  }

  bool mixed_radix(std::size_t i) {
    auto parts = linear(i);
    if (!parts || parts->terms.size() < 2) return false;
    // Ordered by stride, slowest first; each stride must be a multiple of the next and leave room for it.
    auto& terms = parts->terms;
    const IndexExpr one = index_.constant(1);
    auto slower = [&](const LinearTerm& a, const LinearTerm& b) {
      const auto x = index_.as_constant(a.coefficient), y = index_.as_constant(b.coefficient);
      if (x && y) return *x > *y;
      return index_.is_non_negative(index_.sub(index_.sub(a.coefficient, b.coefficient), one));
    };
    for (std::size_t a = 1; a < terms.size(); ++a)
      for (std::size_t b = a; b > 0 && slower(terms[b], terms[b - 1]); --b) std::swap(terms[b], terms[b - 1]);
    if (terms.back().coefficient != one) return false;
    for (std::size_t t = 0; t + 1 < terms.size(); ++t) {
      const IndexExpr fast = terms[t + 1].coefficient, extent = index_.atom(terms[t + 1].label).a;
      if (index_.mod(terms[t].coefficient, fast) != index_.constant(0)) return false;
      if (!index_.is_non_negative(index_.sub(terms[t].coefficient, index_.mul(fast, extent)))) return false;
    }
    const IndexExpr value = index_.sub(equations_[i].right, parts->rest);
    remove(i);
    require(pool_.non_negative(value));
    for (std::size_t t = 0; t < terms.size(); ++t) {
      IndexExpr v = index_.floordiv(value, terms[t].coefficient);
      if (t > 0) v = index_.mod(v, index_.floordiv(terms[t - 1].coefficient, terms[t].coefficient));
      const IndexExpr extent = index_.atom(terms[t].label).a;
      require(pool_.non_negative(index_.sub(index_.sub(extent, one), v)));
      solve(terms[t].label, v);
    }
    return true;
  }

  // Larger extents are better solved for: what remains is summed over.
  bool larger(AtomId a, AtomId b) {
    const auto x = index_.as_constant(index_.atom(a).a), y = index_.as_constant(index_.atom(b).a);
    if (x && y) return *x > *y;
    return !x && y;
  }

  bool unit_coefficient(std::size_t i) {
    auto parts = linear(i);
    if (!parts) return false;
    const LinearTerm* best = nullptr;
    for (const LinearTerm& t : parts->terms) {
      const auto c = index_.as_constant(t.coefficient);
      if (!c || (*c != 1 && *c != -1)) continue;
      if (!best || larger(t.label, best->label)) best = &t;
    }
    if (!best) return false;
    const std::int64_t sign = *index_.as_constant(best->coefficient);
    const AtomId label = best->label;
    // right = rest + sum; l = sign * (right - everything else)
    const IndexExpr others = index_.sub(equations_[i].left, index_.scale(index_.from_atom(label), sign));
    const IndexExpr value = index_.scale(index_.sub(equations_[i].right, others), sign);
    remove(i);
    assume_range(label, value);
    solve(label, value);
    return true;
  }

  bool coefficient(std::size_t i) {
    auto parts = linear(i);
    if (!parts || parts->terms.empty()) return false;
    const LinearTerm* best = nullptr;
    for (const LinearTerm& t : parts->terms) {
      const auto c = index_.as_constant(t.coefficient);
      if (!c || *c == 0) continue;
      if (!best || larger(t.label, best->label)) best = &t;
    }
    if (!best) return false;
    const std::int64_t c = *index_.as_constant(best->coefficient);
    const AtomId label = best->label;
    const IndexExpr others = index_.sub(equations_[i].left, index_.scale(index_.from_atom(label), c));
    IndexExpr value = index_.sub(equations_[i].right, others);
    if (c < 0) value = index_.scale(value, -1);
    const IndexExpr m = index_.constant(c < 0 ? -c : c);
    remove(i);
    require(pool_.is_zero(index_.mod(value, m)));
    value = index_.floordiv(value, m);
    assume_range(label, value);
    solve(label, value);
    return true;
  }

  FormulaPool& pool_;
  IndexPool& index_;
  Formula& into_;
  ExprId body_, guard_, first_;
  bool guard_reads_ = false;
  std::vector<AtomId> unknown_;
  std::vector<Equation> equations_;
};

}  // namespace

std::optional<ExprId> invert(FormulaPool& pool, Formula& into, const Push& push, std::span<const AtomId> output) {
  return Inversion(pool, into).run(push, output);
}

}  // namespace mlgc
