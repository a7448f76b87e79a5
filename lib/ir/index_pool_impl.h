// Private to lib/ir/index_*.cpp: the storage of an IndexPool and the working form of polynomials.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/index_expr.h"

namespace mlgc {

// A monomial while it is being worked on. `factors` is sorted by atom id.
struct Monomial {
  std::vector<AtomId> factors;
  std::int64_t coefficient = 0;
};
using Polynomial = std::vector<Monomial>;

// Graded order: more factors first, then by ids; a monomial order, so long division terminates.
[[nodiscard]] bool monomial_before(const std::vector<AtomId>& a, const std::vector<AtomId>& b);

struct IndexPool::Impl {
  struct TermData {
    std::int64_t coefficient;
    std::uint32_t first_factor;
    std::uint32_t factor_count;
  };
  struct ExprData {
    std::uint32_t first_term;
    std::uint32_t term_count;
  };

  explicit Impl(IndexPool& owner) : pool(owner) {}

  IndexPool& pool;
  std::vector<AtomId> factors;
  std::vector<TermData> terms;
  std::vector<ExprData> exprs;
  std::vector<Atom> atoms;
  std::vector<std::string> symbol_names;
  std::unordered_map<std::string, std::uint32_t> symbol_numbers;
  std::unordered_multimap<std::uint64_t, std::uint32_t> expr_table;
  std::unordered_multimap<std::uint64_t, std::uint32_t> atom_table;

  static constexpr IndexExpr kZero{0};
  static constexpr IndexExpr kPoison{1};

  IndexExpr intern(const Polynomial& sorted);
  AtomId intern(const Atom& atom);
  [[nodiscard]] Polynomial polynomial(IndexExpr e) const;
  // Sorts, merges, pairs m*floordiv(x,m) + mod(x,m), interns. Poison when a coefficient left 64 bits.
  IndexExpr normalise(Polynomial p, bool overflowed);

  // a = quotient*b + remainder by long division on the leading term of b.
  struct Division {
    IndexExpr quotient, remainder;
  };
  Division divide(IndexExpr a, IndexExpr b);
  // Either the whole value of floordiv/mod, or nothing when an atom is needed.
  std::optional<IndexExpr> divide_by_common_factor(IndexExpr remainder, IndexExpr b, bool want_mod);

  // Sign test with a step budget shared by all its branches.
  struct SignTest;
};

[[nodiscard]] inline bool checked_add(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}
[[nodiscard]] inline bool checked_mul(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a - floor_div(a, b) * b; }

}  // namespace mlgc
