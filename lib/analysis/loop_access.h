// What loops, guards and checks say of the subscripts of accesses: whether an access stays inside its buffer, and
// whether the iterations of a loop touch the same element.
//
// Guarantees
//   - Sound: Inside, Outside and Independent are shown, for all sizes that the function's `where` admits. Open means
//     that it could not be told.
//   - What is known where an op stands: the bounds of the loops around it, the guards whose truth leads to it, the
//     `check`s and `checked` accesses before it in the regions around it, and the facts of the function.
//   - As strong as the lowering's own reasoning on formulas: the index of a loop becomes an index label that starts at
//     its first bound, so the canonical form and the sign test of index expressions apply.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/constraint.h"
#include "ir/module.h"
#include "loopir/loop_ops.h"

namespace mlgc {

// A load or store, as it is reached.
struct AccessVerdict {
  enum class Place : std::uint8_t { Inside, Outside, Open };
  Place place = Place::Inside;
  std::size_t axis = 0;  // the first that is not Inside; one that is Outside before one that is Open
};

// Reads a function from its first op to its last: enter() and leave() regions in program order, pass() each op.
class LoopAccess {
 public:
  LoopAccess(Context& context, const Facts& facts) : context_(&context), index_(&context.index()), facts_(&facts) {}

  void enter(RegionRef region);
  void leave();
  // Enters the regions around an op, without what stands before it in them.
  void enter_around(OpRef op);
  // What the op states holds after it.
  void pass(OpRef op);

  [[nodiscard]] AccessVerdict place(OpRef access);
  // The expression in the brackets of the op over index labels of loops and opaque atoms of other values.
  [[nodiscard]] IndexExpr over_loops(OpRef op, IndexExpr e);
  // The same of an expression whose opaque atoms are values of the module.
  [[nodiscard]] IndexExpr over_loops(Module& module, IndexExpr of_values);
  // Nothing that stands here runs: a loop around it is empty, or a guard cannot hold.
  [[nodiscard]] bool is_never() const { return !never_.empty() && never_.back(); }
  // 0 <= e where the walk stands, or with the facts that were at hand elsewhere. e is over_loops().
  [[nodiscard]] bool is_known(IndexExpr e) { return is_known(e, known_); }
  [[nodiscard]] bool is_known(IndexExpr e, std::span<const IndexExpr> known);
  [[nodiscard]] const std::vector<IndexExpr>& known() const { return known_; }
  // The index label of a loop whose body was entered. The loop's index is that label counted from the first bound, or
  // from a number below it.
  [[nodiscard]] AtomId label_of(ForRef loop) const { return labels_.at(loop.op().id()); }

 private:
  [[nodiscard]] IndexExpr value(Value v);
  void enter_loop(ForRef loop);
  [[nodiscard]] IndexExpr without_minima(IndexExpr bound);
  void know(IndexExpr e);
  void know_true(Value condition, int depth);
  void know_false(Value condition);
  [[nodiscard]] std::vector<IndexExpr> without_quotient(IndexExpr e);
  [[nodiscard]] std::vector<IndexExpr> facts_on(IndexExpr e, std::span<const IndexExpr> known) const;
  [[nodiscard]] bool follows(IndexExpr e, std::span<const IndexExpr> known, int depth);

  Context* context_;
  IndexPool* index_;
  const Facts* facts_;
  std::vector<IndexExpr> known_;    // 0 <= each
  std::vector<std::size_t> marks_;  // sizes of known_ where regions were entered
  std::vector<bool> never_;         // of each open region
  std::unordered_map<ValueId, IndexExpr> values_;
  std::unordered_map<OpId, AtomId> labels_;
};

// Why the iterations of a loop may not run in any order, or side by side in lanes.
struct LoopConflict {
  OpRef store;           // that meets another access
  OpRef other;           // that one; the same op where it meets itself
  bool certain = false;  // every iteration stores to the same element; otherwise it could not be told
};

// Nothing when no iteration writes what another one reads or writes. Buffers that are allocated inside do not count.
// Different buffers do not overlap (launches see to that); a `buffer_view` is the buffer underneath. With `within`, a
// loop around this one, also iterations that differ in the indices of the loops up to there, that one included, keep
// apart.
[[nodiscard]] std::optional<LoopConflict> find_conflict(ForRef loop, const Facts& facts, OpRef within = {});

// Whether no iteration stores to an element of one of the two buffers that another one touches in the other, or in the
// same, if both are the same memory.
[[nodiscard]] bool keep_apart_as_one(ForRef loop, const Facts& facts, Value a, Value b);

}  // namespace mlgc
