// Private to lib/schedule: loops that carry the best of values and its position side by side, as `argmax` does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"
#include "schedule/refusal.h"

namespace mlgc::schedule {

// One loop, or several that stand alone in each other, over values that are taken where they are better than the best
// so far: `b is no NaN and not v <= b`, or `b < v` of integers, for the maximum.
//
// Guarantees
//   - The best starts as the worst value, the position as that of the first iteration.
//   - Positions grow from iteration to iteration: the first of equal values has the least one.
//   - The loops only compute and load, so they may be copied, and take nothing else from what they carry.
struct ArgumentNest {
  std::vector<ForRef> loops;  // from the outside
  Value value, at;            // of an iteration, in the innermost loop
  ScalarFn fn = ScalarFn::Max;
  IndexExpr begin;  // the position where an iteration of the outermost loop begins, over values
};
// Error: it is another loop.
[[nodiscard]] Result<ArgumentNest, Diagnostic> argument_nest(OpRef loop);

// --- ops of such loops, at the insertion point

[[nodiscard]] Value apply_scalar(Builder& builder, ScalarFn fn, std::span<const Value> operands, Dtype dtype);
[[nodiscard]] Value choose_value(Builder& builder, Value condition, Value yes, Value no);
// The number that the expression over values is, as i64.
[[nodiscard]] Value number_of(Builder& builder, IndexExpr e);
// A loop over parts, `count` of them: it carries the best of their results, which lie in the buffer with the number of
// the part as first subscript and `place` after it, from `worst` on, and the number of the first part that has it.
OpRef best_part(Builder& builder, ScalarFn fn, Value results, std::span<const IndexExpr> place, IndexExpr count,
                const std::string& name, Value worst);

}  // namespace mlgc::schedule
