// Index expressions: the one integer type of the compiler. A dimension of a type, the extent of an index label and a
// subscript of a read are all polynomials with integer coefficients over atoms, interned in one IndexPool.
//
// Guarantees
//   - One canonical form: two expressions of one pool that canonicalise alike have the same id, so `==` on IndexExpr is
//     "canonically equal" and costs one compare.
//   - Canonical rewriting uses identities that hold for every integer value of symbols and opaque atoms, given that
//     divisors are positive (a division by a value <= 0 has no meaning), symbols are >= 0, and index labels lie in
//     0 .. extent-1.
//   - Arithmetic never wraps: a coefficient that leaves 64 bits yields the poison expression `overflow()`.
//   - Bounded, whatever the input: an expression has at most kMaxIndexNodes nodes, and an operation takes at most
//     kMaxIndexSteps steps; what would exceed them is poison too (and Unknown from the sign test). Sizes of real
//     programs have tens of nodes; but flattening a tensor with itself doubles the degree each time, products of sums
//     expand, and quotients inside quotients ask the sign test about sign tests.
//   - floordiv and mod round towards minus infinity.
//
// The rules and why each is needed: docs/decisions/13-index-expressions.md.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/id.h"

namespace mlgc {

// Factors and quotients, minima and maxima with what is inside them, counted as often as they would be printed, plus
// one for each term.
inline constexpr std::uint32_t kMaxIndexNodes = 4096;
// One step is about one factor of one term that is looked at; the most that random expressions of a dozen operations
// took was 48,000. All of them together take about 40 ms. A sign test takes at most 1/64 of them: then it is Unknown.
inline constexpr std::int64_t kMaxIndexSteps = std::int64_t{1} << 20;

// A handle into an IndexPool. Equality is canonical equality.
struct IndexExpr {
  std::uint32_t id = 0;  // 0 is the constant 0 in every pool
  friend constexpr auto operator<=>(IndexExpr, IndexExpr) = default;
};

using AtomId = Id<struct AtomTag>;

enum class AtomKind : std::uint8_t {
  Symbol,      // a named size, >= 0
  IndexLabel,  // ranges over 0 .. extent-1
  Opaque,      // any integer; `number` is the owner's business (a data-dependent subscript, an SSA value)
  FloorDiv,    // a floordiv b
  Mod,         // a mod b
  Min,         // min(a, b)
  Max,         // max(a, b)
};

struct Atom {
  AtomKind kind;
  std::uint32_t number = 0;  // Symbol: name number; IndexLabel: its number in the formula; Opaque: payload
  IndexExpr a;               // IndexLabel: its extent
  IndexExpr b;
  friend constexpr auto operator<=>(const Atom&, const Atom&) = default;
};

// coefficient * product of factors; factors are sorted, x*x is {x, x}; the constant term has no factors.
struct Term {
  std::int64_t coefficient;
  std::span<const AtomId> factors;
};

enum class Truth : std::uint8_t { No, Yes, Unknown };

class IndexPool;

// What is known of symbols beyond their being >= 0: bounds and definitions, from a function's `where` clause.
class Facts {
 public:
  void set_lower(AtomId symbol, std::int64_t value);  // keeps the tighter of old and new
  void set_upper(AtomId symbol, std::int64_t value);
  void define(AtomId symbol, IndexExpr value);  // symbol is value, e.g. T == 2*S, or B == 8*B' for B mod 8 == 0
  [[nodiscard]] std::optional<std::int64_t> lower(AtomId symbol) const;
  [[nodiscard]] std::optional<std::int64_t> upper(AtomId symbol) const;
  [[nodiscard]] std::optional<IndexExpr> definition(AtomId symbol) const;
  [[nodiscard]] bool empty() const { return bounds_.empty() && definitions_.empty(); }
  // Stated in the same order; facts that mean the same may still differ.
  friend bool operator==(const Facts&, const Facts&) = default;

 private:
  struct Bound {
    AtomId symbol;
    std::optional<std::int64_t> lower, upper;
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  [[nodiscard]] Bound& bound(AtomId symbol);
  std::vector<Bound> bounds_;
  std::vector<std::pair<AtomId, IndexExpr>> definitions_;
};

class IndexPool {
 public:
  IndexPool();
  ~IndexPool();
  IndexPool(const IndexPool&) = delete;
  IndexPool& operator=(const IndexPool&) = delete;

  // Construction. All return the canonical form.
  IndexExpr constant(std::int64_t value);
  IndexExpr symbol(std::string_view name);
  IndexExpr index_label(std::uint32_t number, IndexExpr extent);
  IndexExpr opaque(std::uint32_t payload);
  IndexExpr add(IndexExpr a, IndexExpr b);
  IndexExpr sub(IndexExpr a, IndexExpr b);
  IndexExpr mul(IndexExpr a, IndexExpr b);
  IndexExpr scale(IndexExpr a, std::int64_t factor);
  IndexExpr floordiv(IndexExpr a, IndexExpr b);  // poison when b is the constant 0 or negative
  IndexExpr ceildiv(IndexExpr a, IndexExpr b);   // -((-a) floordiv b)
  IndexExpr mod(IndexExpr a, IndexExpr b);       // in 0 .. b-1
  IndexExpr min(IndexExpr a, IndexExpr b);
  IndexExpr max(IndexExpr a, IndexExpr b);
  [[nodiscard]] IndexExpr overflow() const;  // the poison expression: every operation on it returns it
  IndexExpr from_atom(AtomId atom);

  // Inspection.
  [[nodiscard]] std::optional<std::int64_t> as_constant(IndexExpr e) const;
  [[nodiscard]] std::optional<AtomId> as_atom(IndexExpr e) const;  // e is exactly one atom
  [[nodiscard]] std::size_t term_count(IndexExpr e) const;
  [[nodiscard]] std::size_t node_count(IndexExpr e) const;    // as kMaxIndexNodes counts them
  [[nodiscard]] Term term(IndexExpr e, std::size_t i) const;  // sorted; the constant term comes last
  [[nodiscard]] const Atom& atom(AtomId id) const;
  [[nodiscard]] std::string_view symbol_name(AtomId id) const;
  // Calls `visit` once for each distinct atom below e, inside floordiv, mod, min and max too; index labels' extents are
  // not entered.
  void for_each_atom(IndexExpr e, const std::function<void(AtomId)>& visit) const;
  [[nodiscard]] bool mentions(IndexExpr e, AtomId wanted) const;

  // Rebuilds e with atoms replaced; `replace` returns nothing to keep an atom. Replacement is simultaneous.
  IndexExpr substitute(IndexExpr e, const std::function<std::optional<IndexExpr>(AtomId)>& replace);

  // Sign and equality. Sound and incomplete: Unknown means "could not tell".
  [[nodiscard]] bool is_non_negative(IndexExpr e, const Facts& facts = {});
  [[nodiscard]] Truth equal(IndexExpr a, IndexExpr b, const Facts& facts = {});
  [[nodiscard]] Truth less(IndexExpr a, IndexExpr b, const Facts& facts = {});

  // Value of e, nothing when a divisor is not positive, an atom has no value, or the result leaves 64 bits.
  [[nodiscard]] std::optional<std::int64_t> evaluate(
      IndexExpr e, const std::function<std::optional<std::int64_t>(AtomId)>& value_of) const;

  // Prints with MLIR's affine words: `2*B*S + (H - 1) floordiv 2 + 1`. `name_of` names index labels and opaque atoms.
  [[nodiscard]] std::string print(IndexExpr e, const std::function<std::string(AtomId)>& name_of = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mlgc
