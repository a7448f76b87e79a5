// Private to lib/schedule: what the default schedule supposes of a GPU: threads of a block, registers, what is enough
// for the device. None of it decides in which order a sum is added (reduction_order.h). What differs from GPU to GPU is
// read from GpuMachine (machine/machine.h).
#pragma once

#include <cstdint>

#include "machine/cuda_threads.h"

namespace mlgc::schedule {

// --- threads of a block

// CUDA has these on every GPU: threads of a warp, of which a block has one at least, and the most of a block.
inline constexpr std::int64_t kWarp = kWarpThreads, kMostThreads = 1024;
// Policies, the same for all GPUs. Of a block that takes elements: eight warps, so that a multiprocessor holds several
// blocks and is never empty where one of them ends.
inline constexpr std::int64_t kElementThreads = 256;
inline constexpr std::int64_t kUsualRow = 2048;  // elements of a row of unknown length
// Rows and columns of a tile of a transposition at most: of f32 it takes 16 KiB of shared memory, less than any GPU
// gives a block, and each of its rows is two transactions of 128 bytes.
inline constexpr std::int64_t kSquareTile = 64;

// --- what is computed twice rather than kept in memory. Policies, the same for all GPUs: an element of scratch costs a
// store and a load of memory, in the time of which a multiprocessor does some hundred operations.

inline constexpr std::int64_t kMostRecomputedLoads = 2;  // loads of the scratch
inline constexpr std::int64_t kMostRecomputedReads = 2;  // elements that computing one reads
inline constexpr std::int64_t kMostRecomputedWork = 64;  // operations that computing one takes

// --- tiles of products

// Policies, the same for all GPUs. Rows of a tile, and sums of f32 that a thread has of each: 64 accumulators, a
// quarter of the 255 registers that CUDA gives a thread, with room for what several loads in flight bring.
inline constexpr std::int64_t kProductRows = 16, kProductColumns = 4;
inline constexpr std::int64_t kProductLanes = 128;  // threads of a block that takes a tile: a warp for each scheduler
// Rows of which only full parts are tiled where their number is unknown: 64 tiles for each block of columns.
inline constexpr std::int64_t kProductTileRows = 1024;

}  // namespace mlgc::schedule
