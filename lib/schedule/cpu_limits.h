// Private to lib/schedule: what the default schedule asks of a CPU, and what it supposes of every one. None of it
// decides in which order a sum is added (reduction_order.h).
//
// What differs from CPU to CPU is read from CpuMachine (CpuLimits, SumRegisters). Each constant is a policy, the same
// for all machines: a size that fits the smallest one, or a ratio of work to what a transform costs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/machine.h"

namespace mlgc::schedule {

// --- lanes. Those of 64 bytes of f32, times as many as hide the latency of what an iteration computes.

inline constexpr std::int64_t kPlainLanes = 64;  // a few additions and products: four vectors, for four cycles
inline constexpr std::int64_t kBusyLanes = 32;   // exp and the like, which have many operations side by side themselves
inline constexpr std::int64_t kBusyWork = 24;    // scalar operations of one iteration from which on it is busy
inline constexpr std::int64_t kFewestLanes = 4;  // shorter loops stay scalar: less than the narrowest vector of f32

inline constexpr std::int64_t kMovingWork = 4;  // up to which an iteration does little but move elements
// Strips of a row that are written out: some of any length, more of few ops.
inline constexpr std::int64_t kFewStrips = 4, kOpsOfStrips = 64;
inline constexpr std::int64_t kRestLanes = 8;  // of loops that gather and whose last strip would not be full: 32 bytes

// Of columns that each have loops of their own: lanes that use a line of a cache.
inline constexpr std::int64_t kFewestColumnLanes = 16;
// Running values of all lanes together: half of 16 registers of 32 bytes; other registers have what is computed of
// them.
inline constexpr std::int64_t kRunningBytes = 256;
inline constexpr std::int64_t kWindowLanes = 16;  // each with a window of its own, of which all elements are at hand

inline constexpr std::int64_t kRunningRows = 4;  // rows side by side, each of which waits for what it carries
// Likewise of rows of so many terms, which wait for their lanes to be combined, if a row has no more ops.
inline constexpr std::int64_t kShortRows = 4, kMostOfShortRow = 128, kOpsOfShortRow = 64;

// --- caches

// Of a set: one for the columns and one for the results. Beyond the number of rows that 8 lines leave room for (six of
// them, measured, lose by a copy what it gains), rows are copied where they meet even if a set has more.
inline constexpr std::int64_t kOtherLinesOfSet = 2, kMostRowsThatMeet = 6;
inline constexpr std::int64_t kColumnsWorthSpreading = 128;  // that share a copy of rows that do not meet

// --- threads

inline constexpr std::int64_t kFlatTile = 4096;  // elements that one thread takes at a time: of f32, half a first cache
inline constexpr std::int64_t kColumnTile = 64;  // columns likewise, each with loops of its own: kPlainLanes of them

// --- windows

inline constexpr std::int64_t kRowsOfWindows = 32;  // for which what they read is packed
inline constexpr std::int64_t kFewestRowsOfWindows = 8,
                              kBytesOfWindows = std::int64_t{16} << 10U;  // half of the smallest first cache
inline constexpr std::int64_t kColumnsOfWindows = 512;  // likewise, where rows have no windows in common
inline constexpr std::int64_t kRowsOfOverlap = 4;       // side by side, in 32 registers; half as many in 16
inline constexpr std::int64_t kCopiesOfTerms = 128;     // of a window, in all rows that are side by side
inline constexpr std::int64_t kWorthOfFullLanes = 8;    // operations after a sum that are worth a copy of it

// --- what is computed in front of a nest

// Bytes of one value, which the second cache keeps: half of 1 MiB. Not read from a machine, since what is packed
// decides where the blocks of a sum end (reduction_order.h).
inline constexpr std::int64_t kMostHoisted = std::int64_t{512} << 10U;
inline constexpr std::int64_t kFewestRepeats = 4;  // of each of its elements in the nest: twice a load and a store
// Scalar operations that cost more than a load in the place of their result: beside elements that are gathered, where
// they would be done in 64 bits, and elsewhere.
inline constexpr std::int64_t kWorthOfGather = 4, kWorthHoisting = 24;

// --- register tiles of transposes

inline constexpr std::int64_t kSquares = 16;          // side by side: whole lines of a cache in each row
inline constexpr std::int64_t kMostPackedStride = 8;  // bytes: every second f32 comes from two vectors

// --- tiles of products in registers

inline constexpr std::int64_t kTileScalars = 12;   // sums in 16 registers, a quarter of which is left for factors
inline constexpr std::int64_t kMostTileRows = 12;  // copies of a row: a vector each in 16 registers, two each in 32
// Rows of a sum over groups, each a stream of memory, and parts of a group that are written out.
inline constexpr std::int64_t kFewestGroupRows = 2, kMostGroupParts = 4;
// Terms of bf16 that lie one after the other, from which on pairs of them are multiplied.
inline constexpr std::int64_t kFewestPairTerms = 32, kBf16Bytes = 2;
inline constexpr std::int64_t kLeastRowsOfRepeated =
    32;                                            // rows for each one that a full last tile recomputes: 3 % more
inline constexpr std::int64_t kMostOfBusyRow = 4;  // likewise where a row does more than the contraction
// Rows of a tile up to which those that fill none, of an unknown number, go one by one; of larger ones by smaller ones.
inline constexpr std::int64_t kMostSingleRows = 4;

inline constexpr std::int64_t kScratchRows = 120;  // whose sums pass through scratch at a time: tiles of 4 to 12 rows
inline constexpr std::int64_t kMostScratchRows = 512;  // that pass at once where there are no more
// An epilogue of more than a few operations becomes a nest of its own from so many rows on, which would each have a
// copy of its text, and up to so many columns, whose sums stay in the first cache.
inline constexpr std::int64_t kFewestEpilogueRows = 3, kMostEpilogueColumns = 64;
// Operations on a sum whose lanes are those of its terms, from which on they are worth lanes of their own: a function
// such as tanh, with a bias.
inline constexpr std::int64_t kWorthOfEpilogueLanes = 8;
inline constexpr std::int64_t kSharedRowTiles =
    4;  // register tiles of rows that a thread takes, where the number of rows is unknown
// What sums have of a machine's vector registers; a quarter is left for factors.
struct SumRegisters {
  std::int64_t vector_bytes = 64, registers = 32;

  [[nodiscard]] bool many() const { return registers >= 32; }
  [[nodiscard]] std::int64_t sum_bytes() const { return registers / 4 * 3 * vector_bytes; }
  // Vectors of a row share each of its factors.
  [[nodiscard]] std::int64_t strip_bytes() const { return (many() ? 4 : 2) * vector_bytes; }
  // Of a tile of sums that have the lanes.
  [[nodiscard]] std::int64_t sum_columns() const { return many() ? 4 : 2; }
};

// What the schedule asks of the machine that a module states.
struct CpuLimits {
  SumRegisters registers;
  bool pairs_bf16;             // products of bf16 go by pairs of terms
  std::int64_t scratch_bytes;  // that the lanes of columns keep together: a quarter of the second cache
  std::int64_t threads;        // fewer iterations are too few to be shared while a loop inside has more
  std::int64_t meeting_bytes;  // elements of such a stride conflict in one set of the first cache
  std::int64_t meeting_rows;   // so many of which stay there beside what else is read

  explicit CpuLimits(const CpuMachine& cpu)
      : registers{cpu.vector_bytes, cpu.vector_registers},
        pairs_bf16(cpu.pairs_bf16()),
        scratch_bytes(cpu.l2_bytes / 4),
        threads(cpu.cores),
        meeting_bytes(cpu.l1_stride()),
        meeting_rows(std::min(cpu.l1_ways - kOtherLinesOfSet, kMostRowsThatMeet)) {}
};

}  // namespace mlgc::schedule
