// See factor_windows.h.
#include "analysis/factor_windows.h"

#include <algorithm>
#include <utility>

#include "analysis/factor_boxes.h"
#include "analysis/index_pieces.h"
#include "loopir/subscripts.h"

namespace mlgc {
namespace {

// (index floordiv divisor) mod count; without a count the quotient.
struct Digit {
  IndexExpr divisor;
  std::optional<IndexExpr> count;
};

class Windows {
 public:
  Windows(const MatrixOperand& factor, ForRef lines, ForRef terms, IndexExpr line_count, IndexExpr term_count)
      : factor_(factor),
        lines_(lines),
        terms_(terms),
        line_count_(line_count),
        term_count_(term_count),
        pool_(factor.load.module().context().index()) {}

  std::optional<FactorWindows> find() {
    const auto dims = factor_.load.module().context().types().dims(LoadRef::from(factor_.load).buffer().type());
    const auto places = subscripts_of(factor_.load);
    const std::size_t rank = dims.size();
    if (rank < 3 || rank > 5 || places.size() != rank || !factor_.is_gathered || !factor_.by_terms) return std::nullopt;
    FactorWindows out{dims[0], dims[rank - 1], std::vector<FactorWindows::Axis>(rank - 2)};
    const bool all_channels = at_zero(factor_.load, places[rank - 1], terms_) == pool_.constant(0);
    length_ = terms_of_part();
    if (!is_zero(pool_.mod(terms_.first(), pool_.constant(length_)))) return std::nullopt;
    if (length_ != kBoxTerms) {
      const bool ends = all_channels && dims[rank - 1] == pool_.constant(length_);
      const auto box = cheapest_box(length_, ends);
      if (!box) return std::nullopt;
      out.places = WindowPlaces{length_, *box};
    }
    const auto own = digit(pool_.sub(places.back(), at_zero(factor_.load, places.back(), terms_)), terms_);
    const bool is_term = own && own->divisor == pool_.constant(1) && (!own->count || *own->count == term_count_);
    const bool one_place = all_channels && is_term && dims[rank - 1] == term_count_;
    if (!is_zero(pool_.mod(term_count_, pool_.constant(length_))) && !one_place) return std::nullopt;
    if (!is_channel(places[rank - 1]) || !is_guard_of(dims, places)) return std::nullopt;
    for (std::size_t axis = rank - 2; axis > 0; --axis) {
      out.axes[axis - 1].size = dims[axis];
      if (!read_axis(places[axis], out.axes[axis - 1])) return std::nullopt;
    }
    return is_image(places[0]) ? std::optional(out) : std::nullopt;
  }
  [[nodiscard]] std::int64_t terms_of_part() const {
    const auto places = subscripts_of(factor_.load);
    if (places.empty()) return kBoxTerms;
    const IndexExpr of_terms = pool_.sub(places.back(), at_zero(factor_.load, places.back(), terms_));
    const auto own = digit(of_terms, terms_);
    const std::int64_t count = own && own->count ? pool_.as_constant(*own->count).value_or(0) : 0;
    return count <= 0 || count % kBoxTerms == 0 || own->divisor != pool_.constant(1) ? kBoxTerms : count;
  }

 private:
  // Of a place with so many terms; whether channels end with it, so that a box may go on.
  [[nodiscard]] static std::optional<std::int64_t> cheapest_box(std::int64_t terms, bool ends) {
    std::optional<std::int64_t> best;
    std::int64_t least = 0;
    for (const auto& [box, cost] : kBoxes) {
      if (terms % kMatrixPiece != 0 || (!ends && terms % box != 0)) continue;
      const std::int64_t all = (terms + box - 1) / box * cost;
      if (best && all >= least) continue;
      least = all;
      best = box;
    }
    return best;
  }
  [[nodiscard]] bool is_zero(IndexExpr e) const { return pool_.as_constant(e) == 0; }
  [[nodiscard]] bool is_index(const Atom& atom, ForRef loop) const {
    return atom.kind == AtomKind::Opaque && factor_.load.operand(atom.number) == loop.index();
  }
  [[nodiscard]] bool names(IndexExpr e, ForRef loop) const {
    bool found = false;
    pool_.for_each_atom(e, [&](AtomId id) { found = found || is_index(pool_.atom(id), loop); });
    return found;
  }
  [[nodiscard]] PieceChange change(IndexExpr e) const {
    return piece_change(pool_, e, length_, [&](const Atom& atom) { return is_index(atom, terms_); });
  }

  [[nodiscard]] std::optional<Digit> digit(IndexExpr e, ForRef loop) const {
    const auto id = pool_.as_atom(e);
    if (!id) return std::nullopt;
    const Atom& atom = pool_.atom(*id);
    if (is_index(atom, loop)) return Digit{pool_.constant(1), std::nullopt};
    if ((atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) || names(atom.b, loop)) return std::nullopt;
    auto out = digit(atom.a, loop);
    if (!out) return std::nullopt;
    if (atom.kind == AtomKind::Mod) {
      if (out->count) return std::nullopt;
      out->count = atom.b;
      return out;
    }
    if (out->count) {
      const IndexExpr whole = *out->count, count = pool_.floordiv(whole, atom.b);
      if (pool_.mul(count, atom.b) != whole) return std::nullopt;
      out->count = count;
    }
    out->divisor = pool_.mul(out->divisor, atom.b);
    return out;
  }

  // A channel is what the terms and loops around say.
  [[nodiscard]] bool is_channel(IndexExpr place) const { return !names(place, lines_) && change(place).step == 1; }

  // Each number that it asks for is a place along an axis, or what is left behind it.
  [[nodiscard]] bool is_guard_of(std::span<const IndexExpr> dims, std::span<const IndexExpr> places) const {
    if (!factor_.guard.valid()) return true;
    const auto asked = subscripts_of(factor_.guard);
    return std::all_of(asked.begin(), asked.end(), [&](IndexExpr e) {
      const IndexExpr number = over_values(factor_.guard, e);
      for (std::size_t axis = 1; axis + 1 < dims.size(); ++axis) {
        const IndexExpr place = over_values(factor_.load, places[axis]);
        if (number == place || number == pool_.sub(pool_.sub(dims[axis], pool_.constant(1)), place)) return true;
      }
      return false;
    });
  }

  // Axes are read from the innermost one on: `divisor_` is what a digit of the next one is divided by.
  bool read_axis(IndexExpr place, FactorWindows::Axis& axis) {
    const IndexExpr zero = at_zero(factor_.load, at_zero(factor_.load, place, lines_), terms_);
    const IndexExpr of_lines = pool_.sub(at_zero(factor_.load, place, terms_), zero),
                    of_terms = pool_.sub(at_zero(factor_.load, place, lines_), zero);
    const auto first = pool_.as_constant(zero), reach = largest(of_terms);
    if (pool_.add(zero, pool_.add(of_lines, of_terms)) != place || !first || !reach || change(of_terms).step != 0)
      return false;
    axis.first = *first;
    axis.reach = *reach;
    axis.count = pool_.constant(1);
    if (is_zero(of_lines)) return true;
    if (pool_.term_count(of_lines) != 1) return false;
    const Term term = pool_.term(of_lines, 0);
    if (term.factors.size() != 1 || term.coefficient <= 0) return false;
    axis.step = term.coefficient;
    const auto own = digit(pool_.from_atom(term.factors[0]), lines_);
    if (!own || is_last_ || own->divisor != divisor_) return false;
    is_last_ = !own->count;
    axis.count = own->count.value_or(pool_.ceildiv(line_count_, divisor_));
    divisor_ = pool_.mul(divisor_, axis.count);
    return true;
  }
  // The digit that is left, if lines are of several images, beside what loops around say.
  [[nodiscard]] bool is_image(IndexExpr place) const {
    if (names(place, terms_)) return false;
    const IndexExpr of_lines = pool_.sub(place, at_zero(factor_.load, place, lines_));
    if (is_zero(of_lines)) return true;
    const auto own = digit(of_lines, lines_);
    return own && !is_last_ && own->divisor == divisor_ && !own->count;
  }

  // Of a sum of digits of the term, which is never negative.
  [[nodiscard]] std::optional<std::int64_t> largest(IndexExpr e) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      if (term.coefficient <= 0 || term.factors.size() != 1) return std::nullopt;
      const auto own = digit(pool_.from_atom(term.factors[0]), terms_);
      if (!own) return std::nullopt;
      const auto count = pool_.as_constant(own->count.value_or(pool_.ceildiv(term_count_, own->divisor)));
      if (!count || *count < 1 || *count > kMostReach || term.coefficient > kMostReach) return std::nullopt;
      sum += term.coefficient * (*count - 1);
    }
    return sum;
  }

  static constexpr std::int64_t kMostReach = 65535;  // beyond what any device takes
  // Terms of a box and how long it takes to copy, which is longer than to multiply: of short lines hardly less.
  static constexpr std::pair<std::int64_t, std::int64_t> kBoxes[] = {{64, 10}, {32, 7}, {16, 5}};

  const MatrixOperand& factor_;
  ForRef lines_, terms_;
  IndexExpr line_count_, term_count_;
  IndexPool& pool_;
  IndexExpr divisor_ = pool_.constant(1);
  std::int64_t length_ = kBoxTerms;
  bool is_last_ = false;  // a quotient was read: there is no digit beyond it
};

}  // namespace

std::optional<FactorWindows> factor_windows(const MatrixOperand& factor, ForRef lines, ForRef terms,
                                            IndexExpr line_count, IndexExpr term_count) {
  return Windows(factor, lines, terms, line_count, term_count).find();
}

std::int64_t terms_of_part(const MatrixOperand& factor, ForRef terms) {
  if (!factor.is_gathered) return kBoxTerms;
  return Windows(factor, {}, terms, {}, {}).terms_of_part();
}

}  // namespace mlgc
