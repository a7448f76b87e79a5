// Private to lib/schedule: sites of a GPU schedule that strategies hand on to others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/gpu_limits.h"
#include "schedule/scheduler.h"

namespace mlgc::schedule {

// Asks for a form of the whole nest, then for blocks and threads.
void schedule_gpu_nest(Scheduler& scheduler, OpRef nest);
// Which loops are blocks and which are threads.
void divide(Scheduler& scheduler, OpRef nest);
// Lanes, which are threads of a block, over the loop or those inside; `elements` of a row for each, 0: as many as
// usual.
void give_threads(Scheduler& scheduler, OpRef loop, std::int64_t elements = 0);
// Likewise over the loops inside of a row.
void give_threads_inside(Scheduler& scheduler, OpRef row, std::int64_t elements = 0);

// --- what several strategies ask

// Iterations of all loops of a chain together; of unknown numbers, usual ones.
[[nodiscard]] std::int64_t rows_of(std::span<const OpRef> chain);
// Elements that the loop visits: of several loops inside those of the longest.
[[nodiscard]] std::int64_t elements_of(OpRef loop);
// Neighbouring rows are neighbours in memory, and the elements of a row are apart; rows may have scratch.
[[nodiscard]] bool reads_across(OpRef row);
// Neighbouring iterations read neighbouring elements in all loops inside.
[[nodiscard]] bool is_columns(const AlongLoop& along);
// The loops inside are short, or neighbouring threads read neighbouring elements in all of them.
[[nodiscard]] bool one_thread_each(OpRef row, const AlongLoop& along);
// Computes scratch of the row again where it is loaded, if that costs less than to keep it.
void recompute_cheap_scratch(Scheduler& scheduler, OpRef row);
// Threads of a block for so many iterations, some for each thread, as long as the block does not grow too large.
[[nodiscard]] std::int64_t threads_for(std::int64_t count, std::int64_t elements, std::int64_t fewest = kWarp,
                                       std::int64_t most = kMostThreads);

// Iterations of an innermost loop that a thread takes at a time, so that what it reads or writes of neighbouring
// elements is an access of 16 bytes, or of several; 1: none is, or there are loops inside.
[[nodiscard]] std::int64_t iterations_at_a_time(OpRef loop);
// Likewise at most so many, a power of two, and no more than rows of constant length are aligned to: an access that is
// not is one for each element, and neighbouring threads then access what is apart.
[[nodiscard]] std::int64_t aligned_at_a_time(OpRef loop, std::int64_t most);
// Pieces of an innermost loop over a row of constant length that begin where what is stored is aligned, wherever the
// row begins. Nothing: that is so without a skew, or none makes it so, or the row is short.
struct SkewedPieces {
  std::int64_t each;  // iterations
  IndexExpr skew;     // over values
};
[[nodiscard]] std::optional<SkewedPieces> skewed_pieces(OpRef loop);

}  // namespace mlgc::schedule
