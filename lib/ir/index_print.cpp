// Printing of index expressions. The order of terms and factors follows their text, never ids, so that the same
// expression prints alike in every process.
#include <algorithm>

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
      case AtomKind::Letter: return {name_of ? name_of(id) : "l" + std::to_string(a.number), true};
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

  std::string operand(IndexExpr e) const {
    if (auto id = pool.as_atom(e)) {
      Text t = atom(*id);
      return t.primary ? t.text : "(" + t.text + ")";
    }
    if (auto c = pool.as_constant(e); c && *c >= 0) return std::to_string(*c);
    return "(" + sum(e) + ")";
  }

  std::string sum(IndexExpr e) const {
    struct Piece {
      std::size_t degree;
      std::string text;
      bool negative;
    };
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < pool.term_count(e); ++i) {
      const Term t = pool.term(e, i);
      const bool negative = t.coefficient < 0;
      // The magnitude of the smallest integer has no positive counterpart.
      const std::uint64_t magnitude =
          negative ? ~static_cast<std::uint64_t>(t.coefficient) + 1 : static_cast<std::uint64_t>(t.coefficient);
      std::vector<std::string> factors;
      const bool alone = t.factors.size() == 1 && magnitude == 1;
      for (AtomId id : t.factors) {
        Text f = atom(id);
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
  return Printer{*this, name_of}.sum(e);
}

}  // namespace mlgc
