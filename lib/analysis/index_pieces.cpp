// See index_pieces.h.
#include "analysis/index_pieces.h"

#include <numeric>

#include "support/saturating.h"

namespace mlgc {
namespace {

class Pieces {
 public:
  Pieces(const IndexPool& pool, std::int64_t length, const std::function<bool(const Atom&)>& is_index)
      : pool_(pool), length_(length), is_index_(is_index) {}

  PieceChange of(IndexExpr e) const {
    PieceChange sum{0, length_};
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const PieceChange term = of_term(pool_.term(e, i));
      sum.step = sum.step && term.step ? std::optional(saturating_add(*sum.step, *term.step)) : std::nullopt;
      sum.multiple = std::gcd(sum.multiple, term.multiple);
    }
    return sum;
  }

 private:
  // What divides both the number and the length.
  [[nodiscard]] std::int64_t divisor(std::int64_t number) const { return std::gcd(number, length_); }

  [[nodiscard]] PieceChange of_term(const Term& term) const {
    PieceChange product{0, divisor(term.coefficient)};
    std::optional<std::int64_t> step;  // of the factor that changes
    std::size_t changing = 0;
    for (const AtomId id : term.factors) {
      const PieceChange factor = of_atom(pool_.atom(id));
      product.multiple = divisor(product.multiple * factor.multiple);
      if (factor.step == 0) continue;
      ++changing;
      step = factor.step;
    }
    if (changing == 0) return product;
    // Beside a factor of unknown size the step is unknown.
    const bool known = changing == 1 && step && term.factors.size() == 1;
    product.step = known ? std::optional(saturating_mul(term.coefficient, *step)) : std::nullopt;
    return product;
  }

  [[nodiscard]] PieceChange of_atom(const Atom& atom) const {
    switch (atom.kind) {
      case AtomKind::Symbol: return {0, 1};
      case AtomKind::IndexLabel:
      case AtomKind::Opaque: return is_index_(atom) ? PieceChange{1, length_} : PieceChange{0, 1};
      case AtomKind::Min:
      case AtomKind::Max: {
        const PieceChange a = of(atom.a), b = of(atom.b);
        const bool constant = a.step == 0 && b.step == 0;
        return {constant ? std::optional<std::int64_t>(0) : std::nullopt, std::gcd(a.multiple, b.multiple)};
      }
      case AtomKind::FloorDiv:
      case AtomKind::Mod: break;
    }
    const PieceChange a = of(atom.a), b = of(atom.b);
    const bool is_mod = atom.kind == AtomKind::Mod;
    if (a.step == 0 && b.step == 0) return {0, is_mod ? std::gcd(a.multiple, b.multiple) : 1};
    // A piece lies between two multiples of what it is divided by.
    if (a.step == 1 && b.step == 0 && a.multiple == length_ && b.multiple == length_)
      return is_mod ? PieceChange{1, length_} : PieceChange{0, 1};
    return {std::nullopt, 1};
  }

  const IndexPool& pool_;
  std::int64_t length_;
  const std::function<bool(const Atom&)>& is_index_;
};

}  // namespace

PieceChange piece_change(const IndexPool& pool, IndexExpr e, std::int64_t length,
                         const std::function<bool(const Atom&)>& is_index) {
  return Pieces(pool, length, is_index).of(e);
}

}  // namespace mlgc
