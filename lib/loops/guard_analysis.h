// Private to lib/loops: what is known of indices where an op is made, and what follows for guards. Makes no ops.
//
// A conjunct `0 <= a*l + rest` whose rest is known outside the loop over l is a bound of that loop, also where l stands
// in a quotient by a number, and so is a comparison of l with a number that data say outside of it. Every other
// conjunct is tested as far outside as its index labels allow. Conjuncts whose evaluation may fail stay innermost, in
// their order, after all others, so that nothing is read that the formula guards.
#pragma once

#include <span>
#include <vector>

#include "formula/formula.h"
#include "ir/index_expr.h"

namespace mlgc::loops {

// A conjunct of a guard: 0 <= index where `is_index`, else any condition.
struct Conjunct {
  bool is_index = false;
  IndexExpr index;
  ExprId condition;
};

// Where the conjuncts of a guard act in a nest over `labels`: as bounds of a loop, or in front of what is inside it.
struct Nest {
  struct Level {
    IndexExpr from, to;            // of the loop at this level
    std::vector<IndexExpr> known;  // conjuncts that its bounds make true
    std::vector<Conjunct> guards;  // tested right inside it
  };
  std::vector<AtomId> labels;
  std::vector<Conjunct> outside;  // tested in front of the whole nest
  std::vector<Level> levels;      // one for each index label
};

class GuardAnalysis {
 public:
  // All three must outlive this.
  GuardAnalysis(FormulaPool& pool, const Formula& formula, const Facts& facts)
      : pool_(pool), index_(pool.index()), formula_(formula), facts_(facts) {}

  // 0 <= e holds for each of the expressions while the result exists. Those that were assumed last end first.
  class Assumption {
   public:
    Assumption(GuardAnalysis& of, std::span<const IndexExpr> known) : known_(of.known_), before_(known_.size()) {
      known_.insert(known_.end(), known.begin(), known.end());
    }
    Assumption(const Assumption&) = delete;
    Assumption& operator=(const Assumption&) = delete;
    ~Assumption() { known_.resize(before_); }

   private:
    std::vector<IndexExpr>& known_;
    std::size_t before_;
  };
  [[nodiscard]] Assumption assume(std::span<const IndexExpr> known) { return {*this, known}; }

  [[nodiscard]] bool is_known(IndexExpr e) const;  // 0 <= e holds here
  // Which subscripts are not known to be inside the tensor: 0 <= each of them is to be tested.
  [[nodiscard]] std::vector<IndexExpr> open_bounds(TensorId tensor, std::span<const IndexExpr> subscripts) const;
  // Evaluating it can neither fail nor cost a loop: it may be computed where its value is not needed.
  [[nodiscard]] bool speculatable(ExprId e) const;
  [[nodiscard]] bool speculatable(IndexExpr e) const;

  [[nodiscard]] std::vector<Conjunct> conjuncts(ExprId condition) const;
  // What conjuncts say of indices.
  [[nodiscard]] static std::vector<IndexExpr> indices_of(std::span<const Conjunct> conjuncts);
  // The nest of all values of the index labels for which the guard holds; an invalid guard holds for all.
  [[nodiscard]] Nest plan_nest(std::span<const AtomId> labels, ExprId guard) const;

 private:
  void add_conjuncts(ExprId condition, std::vector<Conjunct>& out) const;
  void place_index(const Conjunct& conjunct, AtomId label, Nest::Level& place) const;
  [[nodiscard]] IndexExpr without_quotient(IndexExpr e, AtomId label) const;
  bool bound_by_data(ExprId condition, AtomId label, Nest::Level& place) const;

  FormulaPool& pool_;
  IndexPool& index_;
  const Formula& formula_;
  const Facts& facts_;
  std::vector<IndexExpr> known_;  // 0 <= each holds here
};

}  // namespace mlgc::loops
