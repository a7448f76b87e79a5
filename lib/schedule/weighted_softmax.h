// Private to lib/schedule: the row of a softmax whose weights a sum takes, as lowering makes it of attention, and what
// transforms of it have in common.
//
//     %m = for (%j) { score, store %c; maximum }        %z = for (%j) { exp(%c - %m), store %e; sum }
//     for (%j) { %p = %e/%z }                           for (%f) { the sum of %p times a value, and what follows }
//
// Guarantees of find()
//   - A score is an f32 that is computed from one sum of products, stored once, and read by the second loop alone.
//   - The three loops over scores have the same range, which begins at 0 and is the same for all rows.
//   - The last sum is of a quotient and one element of memory of the device; columns are a constant number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "loopir/loop_ops.h"
#include "ops/scalar_ops.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

class WeightedSoftmax {
 public:
  explicit WeightedSoftmax(OpRef rows)
      : module_(rows.module()), rows_(ForRef::from(rows)), scalars_(scalar_ops(rows.module().context())) {}

  // Error: why the loop is over no such rows.
  TransformResult find();

 protected:
  [[nodiscard]] IndexPool& pool() const { return module_.context().index(); }

  // --- what a transform makes

  Value scratch(Builder& builder, Dtype dtype, std::int64_t elements, std::string_view name);
  static Value real(Builder& builder, double number);
  Value apply(Builder& builder, ScalarFn fn, std::initializer_list<Value> operands);
  Value choose(Builder& builder, Value condition, Value yes, Value otherwise);
  Value cast(Builder& builder, Value v, Dtype dtype);
  void yield(Builder& builder, const std::vector<Value>& values);
  // At the insertion point, with the range of another loop.
  ForRef loop(Builder& builder, ForRef of, std::string_view suffix, const std::vector<Value>& initial);
  // Of the last sum; the loops before go, with their scratch.
  void replace(Value result);

  Module& module_;
  ForRef rows_;
  const ScalarOps& scalars_;
  ForRef scores_, exponentials_, quotients_, sums_, sum_;  // `sum_` is in `sums_`, which is over columns
  Value score_;                                            // that `scores_` stores
  Value result_;                                           // the last sum as an f32
  OpRef value_;                                            // the load of what it weights
  std::int64_t width_ = 0;                                 // columns
  bool zero_becomes_one_ = false;                          // of the sum of exponentials

 private:
  bool no(std::string_view reason) {
    wrong_ = reason;
    return false;
  }
  bool computes(Value v, ScalarFn fn) const { return v.is_result() && v.definer().opcode() == scalars_.find(fn); }
  std::optional<Value> scratch_along(OpRef op, ForRef loop) const;
  [[nodiscard]] bool has_scratch(OpRef op) const;
  [[nodiscard]] bool same_range(ForRef a, ForRef b) const;
  bool is_shift(Value v) const;
  bool is_total(Value v);
  bool outline();
  bool scores();
  bool exponentials();
  bool quotients();
  bool sums();
  bool only_used_here();

  std::vector<OpRef> allocs_, between_;
  Value score_buffer_, exponential_buffer_, quotient_buffer_;
  OpRef probability_;
  std::string wrong_;
};

}  // namespace mlgc::schedule
