// Private to lib/schedule: a value that a step computes in front of a nest, and what it needs of the nest for that.
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "schedule/refusal.h"

namespace mlgc::schedule {

class PackedValue {
 public:
  // What the op gives, a load for example, or the outermost branch around it inside of the nest: a choice between the
  // element and something else is packed as it is.
  // `strips`: bounds of loops may also depend on other loops of the nest, which it then depends on too.
  PackedValue(OpRef value, OpRef nest, bool strips = false);

  // Whether it can be computed in front of the nest. To be asked first.
  [[nodiscard]] TransformResult check();

  [[nodiscard]] Value value() const { return value_.result(); }
  [[nodiscard]] OpRef op() const { return value_; }
  // The ops of the nest that it takes, each after what it needs itself; the last one is op().
  [[nodiscard]] const std::vector<OpRef>& slice() const { return slice_; }
  // The loops whose indices it depends on, from the outside, but one that has lanes comes last.
  [[nodiscard]] const std::vector<ForRef>& loops() const { return loops_; }
  // A value of the nest.
  [[nodiscard]] bool is_inside(Value v) const;
  // Of scratch in front of the nest. What stands in no loop any thread may read.
  [[nodiscard]] Scope scope() const;
  // Copies of the slice at the insertion point, where the map has the indices of its loops; it has the values then.
  void copy_slice(Builder& builder, ValueMap& map) const;
  // Another value stands for it from here on; what only it took is erased.
  void replace_by(Value other);

 private:
  TransformResult gather(OpRef op);
  [[nodiscard]] TransformResult check_slice() const;
  [[nodiscard]] bool is_written(Value buffer) const;

  void gather_strips();
  [[nodiscard]] bool is_strip(Value v) const;

  OpRef nest_, value_;
  bool strips_;
  std::vector<OpRef> slice_;
  std::vector<ForRef> loops_;
};

}  // namespace mlgc::schedule
