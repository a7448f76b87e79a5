// Private to lib/schedule: the loops around one that becomes several nests, and copies of them.
#pragma once

#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "schedule/refusal.h"

namespace mlgc::schedule {

class AroundLoops {
 public:
  // All loops around the one.
  explicit AroundLoops(OpRef loop);

  [[nodiscard]] bool empty() const { return loops_.empty(); }
  [[nodiscard]] OpRef outermost() const { return loops_.front(); }

  // They are loops, serial or parallel, that carry nothing and run as often as sizes say.
  TransformResult check();
  // After check(): how often each runs, from the outside.
  [[nodiscard]] const std::vector<IndexExpr>& extents() const { return extents_; }
  // Which iteration of each it is, likewise.
  [[nodiscard]] std::vector<IndexExpr> place() const;

  // What the op needs of these loops, each after what it needs itself: copies of it can be made. What stands in
  // `within`, if that is valid, is copied together with the op.
  TransformResult gather(OpRef op, OpRef within = {});
  [[nodiscard]] const std::vector<OpRef>& needed() const { return needed_; }
  // What is needed, and the op, may read before the nest runs what they read in it.
  [[nodiscard]] TransformResult reads_before(OpRef op) const;

  struct Copy {
    std::vector<RegionRef> regions;  // of the copied loops
    std::vector<IndexExpr> place;    // place() of the copy
    std::vector<OpRef> needed;       // copies of what is needed
  };
  // Copies of the loops, called after them, with what is needed; the builder goes on in the innermost one.
  Copy copy(Builder& builder, std::string_view suffix, ValueMap& map) const;
  // Ends the copies.
  static void end(Builder& builder, const Copy& copy);
  // Of ops in their order, those that nothing uses go.
  static void erase_unused(std::vector<OpRef> ops);

 private:
  [[nodiscard]] bool is_written(Value buffer) const;

  OpRef loop_;
  std::vector<OpRef> loops_;  // around it, from the outside
  std::vector<IndexExpr> extents_;
  std::vector<OpRef> needed_;
};

}  // namespace mlgc::schedule
