// From constraints to Facts. Equations become definitions first, then comparisons of several symbols, and what is left
// is read as bounds after all definitions have been put in. Every step keeps only what the constraints imply.
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/constraint.h"

namespace mlgc {
namespace {

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

class FactsBuilder {
 public:
  explicit FactsBuilder(IndexPool& pool) : pool_(pool) {}

  Facts run(std::span<const Constraint> constraints) {
    for (const Constraint& constraint : constraints)
      for (std::size_t i = 0; i < constraint.relations.size(); ++i)
        collect(constraint.terms.at(i), constraint.relations[i], constraint.terms.at(i + 1));
    for (const auto& [a, b] : equations_) solve(a, b);
    // Definitions add inequalities, which need no definition of their own.
    for (std::size_t i = 0, count = inequalities_.size(); i < count; ++i) introduce_slack(resolved(inequalities_[i]));
    for (const IndexExpr difference : inequalities_) bound(resolved(difference));
    for (const auto& [symbol, value] : definitions_) facts_.define(symbol, value);
    return std::move(facts_);
  }

 private:
  struct Monomial {
    std::int64_t coefficient;
    std::vector<AtomId> factors;
    // The symbol that the monomial is a multiple of, when it is one.
    [[nodiscard]] std::optional<AtomId> symbol(const IndexPool& pool) const {
      if (factors.size() != 1 || pool.atom(factors[0]).kind != AtomKind::Symbol) return std::nullopt;
      return factors[0];
    }
  };

  // A copy: the pool's own terms move when it grows.
  [[nodiscard]] std::vector<Monomial> monomials(IndexExpr e) const {
    std::vector<Monomial> result;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      result.push_back({term.coefficient, {term.factors.begin(), term.factors.end()}});
    }
    return result;
  }

  void collect(IndexExpr a, Relation relation, IndexExpr b) {
    const IndexExpr one = pool_.constant(1);
    switch (relation) {
      case Relation::Equal: equations_.emplace_back(a, b); return;
      case Relation::NotEqual: return;
      case Relation::Less: inequalities_.push_back(pool_.sub(pool_.sub(b, a), one)); return;
      case Relation::LessEqual: inequalities_.push_back(pool_.sub(b, a)); return;
      case Relation::Greater: inequalities_.push_back(pool_.sub(pool_.sub(a, b), one)); return;
      case Relation::GreaterEqual: inequalities_.push_back(pool_.sub(a, b)); return;
    }
  }

  IndexExpr resolved(IndexExpr e) {
    return pool_.substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
      for (const auto& [symbol, value] : definitions_)
        if (symbol == atom) return value;
      return std::nullopt;
    });
  }

  // `value` mentions no defined symbol. False when it mentions the symbol itself.
  bool define(AtomId symbol, IndexExpr value) {
    if (value == pool_.overflow() || pool_.mentions(value, symbol)) return false;
    for (auto& [other, old] : definitions_)
      old = pool_.substitute(old, [&](AtomId atom) { return atom == symbol ? std::optional(value) : std::nullopt; });
    definitions_.emplace_back(symbol, value);
    inequalities_.push_back(value);  // the symbol was >= 0
    return true;
  }

  [[nodiscard]] std::optional<AtomId> as_symbol(IndexExpr e) const {
    const std::optional<AtomId> atom = pool_.as_atom(e);
    return atom && pool_.atom(*atom).kind == AtomKind::Symbol ? atom : std::nullopt;
  }

  void solve(IndexExpr a, IndexExpr b) {
    a = resolved(a);
    b = resolved(b);
    if (solve_mod(a, b) || solve_mod(b, a)) return;
    if (const std::optional<AtomId> symbol = as_symbol(a); symbol && define(*symbol, b)) return;
    if (const std::optional<AtomId> symbol = as_symbol(b); symbol && define(*symbol, a)) return;
    const IndexExpr difference = pool_.sub(a, b);
    for (const Monomial& term : monomials(difference)) {
      const std::optional<AtomId> symbol = term.symbol(pool_);
      if (!symbol || (term.coefficient != 1 && term.coefficient != -1)) continue;
      // difference = c*s + rest, so s = -c*rest.
      const IndexExpr rest = pool_.sub(difference, pool_.scale(pool_.from_atom(*symbol), term.coefficient));
      if (define(*symbol, pool_.scale(rest, -term.coefficient))) return;
    }
  }

  // s mod m == r: s = m*q + r, where m is a constant or r is 0.
  bool solve_mod(IndexExpr a, IndexExpr b) {
    const std::optional<AtomId> id = pool_.as_atom(a);
    const std::optional<std::int64_t> rest = pool_.as_constant(b);
    if (!id || !rest || pool_.atom(*id).kind != AtomKind::Mod) return false;
    const Atom mod = pool_.atom(*id);
    const std::optional<AtomId> symbol = as_symbol(mod.a);
    const std::optional<std::int64_t> modulus = pool_.as_constant(mod.b);
    if (!symbol || *rest < 0 || (modulus ? *rest >= *modulus : *rest != 0)) return false;
    const IndexExpr quotient = pool_.symbol(std::string(pool_.symbol_name(*symbol)) + "/" + pool_.print(mod.b));
    return define(*symbol, pool_.add(pool_.mul(quotient, mod.b), b));
  }

  // s - rest >= 0 with several symbols and `rest` plainly >= 0: s = rest + slack.
  void introduce_slack(IndexExpr difference) {
    const std::vector<Monomial> terms = monomials(difference);
    const Monomial* lead = nullptr;
    std::size_t symbols = 0;
    for (const Monomial& term : terms) {
      for (const AtomId factor : term.factors)
        if (pool_.atom(factor).kind != AtomKind::Symbol) return;
      symbols += term.factors.empty() ? 0 : 1;
      if (term.coefficient <= 0) continue;
      if (term.coefficient != 1 || !term.symbol(pool_) || lead != nullptr) return;
      lead = &term;
    }
    if (lead == nullptr || symbols < 2) return;
    const AtomId symbol = *lead->symbol(pool_);
    const IndexExpr whole = pool_.from_atom(symbol);
    const IndexExpr rest = pool_.sub(whole, difference);
    const std::string name = std::string(pool_.symbol_name(symbol)) + " - (" + pool_.print(rest) + ")";
    define(symbol, pool_.add(rest, pool_.symbol(name)));
  }

  // difference >= 0 as bounds of its symbols.
  void bound(IndexExpr difference) {
    std::int64_t constant = 0;
    std::vector<std::pair<AtomId, std::int64_t>> linear;
    for (const Monomial& term : monomials(difference)) {
      if (term.factors.empty()) {
        constant = term.coefficient;
        continue;
      }
      const std::optional<AtomId> symbol = term.symbol(pool_);
      if (!symbol || term.coefficient == std::numeric_limits<std::int64_t>::min()) return;
      linear.emplace_back(*symbol, term.coefficient);
    }
    if (constant == std::numeric_limits<std::int64_t>::min()) return;
    if (linear.size() == 1 && linear[0].second > 0) {
      facts_.set_lower(linear[0].first, -floor_quotient(constant, linear[0].second));
      return;
    }
    for (const auto& [symbol, coefficient] : linear)
      if (coefficient > 0) return;
    // constant >= sum of |c|*s, and every symbol is >= 0.
    for (const auto& [symbol, coefficient] : linear) facts_.set_upper(symbol, floor_quotient(constant, -coefficient));
  }

  IndexPool& pool_;
  Facts facts_;
  std::vector<std::pair<IndexExpr, IndexExpr>> equations_;
  std::vector<IndexExpr> inequalities_;  // each is >= 0
  std::vector<std::pair<AtomId, IndexExpr>> definitions_;
};

}  // namespace

Facts to_facts(std::span<const Constraint> constraints, IndexPool& pool) { return FactsBuilder(pool).run(constraints); }

}  // namespace mlgc
