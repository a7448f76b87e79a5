// Printing of index expressions. The order of terms and factors follows their text, never ids, so that the same
// expression prints alike in every process. A quotient rounded up is kept as a ceildiv b and printed as
// a ceildiv b.
#include <algorithm>
#include <optional>
#include <string>

#include "ir/index_pool_impl.h"

namespace mlgc {
namespace {

struct Printer {
  const IndexPool& pool;
  const std::function<std::string(AtomId)>& name_of;

  // `primary`: binds tighter than any operator.
  struct Text {
    std::string text;
    bool primary;
  };

  Text atom(AtomId id) const {
    const Atom& a = pool.atom(id);
    switch (a.kind) {
      case AtomKind::Symbol: return {std::string(pool.symbol_name(id)), true};
      case AtomKind::IndexLabel: return {name_of ? name_of(id) : "l" + std::to_string(a.number), true};
      case AtomKind::Opaque:
        if (a.number == AtomId::kInvalid) return {"<overflow>", true};
        return {name_of ? name_of(id) : "v" + std::to_string(a.number), true};
      case AtomKind::FloorDiv: return {operand(a.a) + " floordiv " + operand(a.b), false};
      case AtomKind::Mod: return {operand(a.a) + " mod " + operand(a.b), false};
      case AtomKind::Min:
      case AtomKind::Max: {
        std::string x = sum(a.a), y = sum(a.b);
        if (y < x) std::swap(x, y);
        return {(a.kind == AtomKind::Min ? "min(" : "max(") + x + ", " + y + ")", true};
      }
    }
    return {"", true};
  }

  // With `negated`, of -e.
  std::string operand(IndexExpr e, bool negated = false) const {
    if (const auto id = single(e, negated ? -1 : 1)) {
      Text t = atom(*id);
      return t.primary ? t.text : "(" + t.text + ")";
    }
    std::string text = sum(e, negated);
    const bool number = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return number ? text : "(" + text + ")";
  }

  // The atom that e is, but for the coefficient.
  [[nodiscard]] std::optional<AtomId> single(IndexExpr e, std::int64_t coefficient) const {
    if (pool.term_count(e) != 1) return std::nullopt;
    const Term t = pool.term(e, 0);
    return t.coefficient == coefficient && t.factors.size() == 1 ? std::optional(t.factors[0]) : std::nullopt;
  }

  // c*(a floordiv b) with c < 0 is -c*(-a ceildiv b), which is what was meant where a falls with all that it depends
  // on.
  [[nodiscard]] bool is_rounded_up(AtomId id) const {
    if (pool.atom(id).kind != AtomKind::FloorDiv) return false;
    const IndexExpr a = pool.atom(id).a;
    for (std::size_t i = 0; i < pool.term_count(a); ++i)
      if (const Term t = pool.term(a, i); t.coefficient > 0 && !t.factors.empty()) return false;
    return true;
  }
  [[nodiscard]] std::string rounded_up(AtomId id) const {
    return operand(pool.atom(id).a, true) + " ceildiv " + operand(pool.atom(id).b);
  }

  std::string sum(IndexExpr e, bool negated = false) const {
    struct Piece {
      std::size_t degree;
      std::string text;
      bool negative;
    };
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < pool.term_count(e); ++i) {
      const Term t = pool.term(e, i);
      bool negative = (t.coefficient < 0) != negated;
      // The magnitude of the smallest integer has no positive counterpart.
      const std::uint64_t magnitude = t.coefficient < 0 ? ~static_cast<std::uint64_t>(t.coefficient) + 1
                                                        : static_cast<std::uint64_t>(t.coefficient);
      // Of several quotients the one whose text comes first takes the sign.
      std::optional<AtomId> chosen;
      for (const AtomId id : t.factors)
        if (negative && is_rounded_up(id) && (!chosen || rounded_up(id) < rounded_up(*chosen))) chosen = id;
      if (chosen) negative = false;
      std::vector<std::string> factors;
      const bool alone = t.factors.size() == 1 && magnitude == 1;
      for (const AtomId id : t.factors) {
        const bool taken = chosen == id;
        if (taken) chosen.reset();  // of a square, one
        const Text f = taken ? Text{rounded_up(id), false} : atom(id);
        factors.push_back(f.primary || (alone && !negative) ? f.text : "(" + f.text + ")");
      }
      std::sort(factors.begin(), factors.end());
      std::string text;
      if (magnitude != 1 || factors.empty()) text = std::to_string(magnitude);
      for (const std::string& f : factors) text += (text.empty() ? "" : "*") + f;
      pieces.push_back({t.factors.size(), std::move(text), negative});
    }
    // Highest degree first; at equal degree positive terms first, so that `H - W` is not printed `-W + H`.
    std::sort(pieces.begin(), pieces.end(), [](const Piece& x, const Piece& y) {
      if ((x.degree == 0) != (y.degree == 0)) return y.degree == 0;
      if (x.negative != y.negative) return y.negative;
      if (x.degree != y.degree) return x.degree > y.degree;
      return x.text < y.text;
    });
    std::string out;
    for (const Piece& p : pieces) {
      if (out.empty())
        out = (p.negative ? "-" : "") + p.text;
      else
        out += (p.negative ? " - " : " + ") + p.text;
    }
    return out.empty() ? "0" : out;
  }
};

}  // namespace

std::string IndexPool::print(IndexExpr e, const std::function<std::string(AtomId)>& name_of) const {
  if (const auto constant = as_constant(e)) return std::to_string(*constant);  // most of all sizes
  return Printer{*this, name_of}.sum(e);
}

}  // namespace mlgc
