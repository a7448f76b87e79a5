// Why a transform of a schedule is refused, as a diagnostic of a class of cause (diag/kinds_schedule.h). Whoever
// reports it says where: it has no location.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/loop_access.h"
#include "diag/diagnostic.h"
#include "diag/kinds_schedule.h"
#include "loopir/loop_ops.h"
#include "support/result.h"

namespace mlgc {

// Error: why the transform is refused.
using TransformResult = Status<Diagnostic>;

namespace schedule {

template <const DiagKind& K, class... Args>
[[nodiscard]] Failure<Diagnostic> refuse(Args&&... args) {
  return {diagnose<K>({}, std::forward<Args>(args)...)};
}
// What is refused for another reason, for this one too.
[[nodiscard]] inline Failure<Diagnostic> refuse(Diagnostic cause) { return {std::move(cause)}; }
[[nodiscard]] Failure<Diagnostic> refuse(ForRef loop, const LoopConflict& conflict);

// The name of the index, without %.
[[nodiscard]] std::string_view index_name(ForRef loop);

// `not a constant`, or the number.
[[nodiscard]] std::string trip_count_text(std::optional<std::int64_t> count);

// `a vector loop`.
[[nodiscard]] std::string kind_text(ForRef loop);

// Refusals of loops that several transforms ask for.
[[nodiscard]] TransformResult expect_serial(ForRef loop);
[[nodiscard]] TransformResult expect_plain(ForRef loop);  // serial or parallel: its iterations are not laid out yet
[[nodiscard]] TransformResult expect_no_carried(ForRef loop);
// Its lanes are not combined at its end, in another order than its iterations have.
[[nodiscard]] TransformResult expect_no_combined_lanes(ForRef loop);
// No loop around the op has lanes, each of which would need its own of what is allocated there.
[[nodiscard]] TransformResult expect_no_lanes_around(OpRef op);
// The loop holds one other loop and nothing else.
[[nodiscard]] TransformResult expect_perfectly_nested(ForRef loop);

}  // namespace schedule
}  // namespace mlgc
