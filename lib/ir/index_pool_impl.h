// Private to lib/ir/index_*.cpp: the storage of an IndexPool and the working form of polynomials.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/index_expr.h"
#include "support/intern_table.h"

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
    std::uint32_t nodes;  // see kMaxIndexNodes
  };

  // Open while an operation runs, those that it calls on the way included: all of them share the steps of the outermost
  // one, so that a bound on steps is a bound on time. After too many steps, or too deep a recursion, the outermost
  // operation and everything inside it gives poison.
  class Operation {
   public:
    explicit Operation(Impl& impl) : impl_(impl) {
      if (impl_.level++ == 0) impl_.steps_left = kMaxIndexSteps;
      if (impl_.level > kMaxLevel) impl_.steps_left = 0;
    }
    ~Operation() { --impl_.level; }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    // False when there are no steps left.
    [[nodiscard]] bool spend(std::size_t steps) { return impl_.spend(steps); }

   private:
    static constexpr int kMaxLevel = 500;  // a level takes below 2 KiB of stack, 8 KiB under sanitizers
    Impl& impl_;
  };
  [[nodiscard]] bool spend(std::size_t steps) {
    steps_left -= static_cast<std::int64_t>(std::min<std::size_t>(steps + 1, kMaxIndexSteps));
    if (steps_left < 0) steps_left = 0;
    return steps_left > 0;
  }

  explicit Impl(IndexPool& owner) : pool(owner) {}

  IndexPool& pool;
  std::vector<AtomId> factors;
  std::vector<TermData> terms;
  std::vector<ExprData> exprs;
  std::vector<Atom> atoms;
  std::vector<std::string> symbol_names;
  std::unordered_map<std::string, std::uint32_t> symbol_numbers;
  InternTable expr_table;
  InternTable atom_table;
  std::vector<IndexExpr> of_atoms;         // by atom: the expression that is this atom, or poison where none was asked
  std::vector<IndexExpr> small_constants;  // from 1 on, likewise
  int level = 0;                           // of open operations
  std::int64_t steps_left = 0;             // of the outermost one
  int* sign_budget = nullptr;              // of the outermost sign test; null where none is open

  static constexpr IndexExpr kZero{0};
  static constexpr IndexExpr kPoison{1};

  // Poison when it has too many nodes.
  IndexExpr intern(const Polynomial& sorted);
  AtomId intern(const Atom& atom);
  [[nodiscard]] Polynomial polynomial(IndexExpr e) const;
  // Sorts, merges, pairs m*floordiv(x,m) + mod(x,m), interns. Poison when a coefficient left 64 bits or no steps are
  // left. Precondition: an operation is open.
  IndexExpr normalise(Polynomial p, bool overflowed);

  // a = quotient*b + remainder by long division on the leading term of b.
  struct Division {
    IndexExpr quotient, remainder;
  };
  Division divide(IndexExpr a, IndexExpr b);
  // Either the whole value of floordiv/mod, or nothing when an atom is needed.
  std::optional<IndexExpr> divide_by_common_factor(IndexExpr remainder, IndexExpr b, bool want_mod);

  // Sign test with a budget of steps of its own, shared by all its branches.
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
