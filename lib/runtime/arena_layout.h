/* Where the buffers of a function lie in its arena. One algorithm for the runtime, which runs it once for each new
 * shape, and for whoever reports a plan's peak.
 *
 * Guarantees
 *   - Buffers whose lives touch are disjoint; every offset is a multiple of kArenaAlignment; empty buffers lie at 0.
 *   - Equal calls give equal offsets.
 *   - Time is quadratic in the kExactBuffers largest buffers, which decide the peak, and n log n in the others. */
#ifndef MLGC_RUNTIME_ARENA_LAYOUT_H
#define MLGC_RUNTIME_ARENA_LAYOUT_H

#include "runtime/mlgc.h"

namespace mlgc::runtime {

constexpr mlgc_i64 kArenaAlignment = 64;
constexpr mlgc_i32 kExactBuffers = 4096;  // 20 ms where all of them live at the same time

struct ArenaBuffer {
  mlgc_i64 bytes;        // >= 0
  mlgc_i32 first, last;  // launches, both included
};

// Sets offsets[0..count) and returns the size of the arena, or -1 when it does not fit in 63 bits. `workspace` holds
// 3 * count numbers.
mlgc_i64 layout_arena(const ArenaBuffer* buffers, mlgc_i32 count, mlgc_i64* offsets, mlgc_i32* workspace);

}  // namespace mlgc::runtime

#endif
