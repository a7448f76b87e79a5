// Private to lib/schedule: what the default schedule supposes of a GPU: threads of a block, registers, what is enough
// for the device. None of it decides in which order a sum is added (reduction_order.h).
#pragma once

#include <cstdint>

namespace mlgc::schedule {

// --- threads of a block

inline constexpr std::int64_t kWarp = 32;             // the fewest
inline constexpr std::int64_t kMostThreads = 1024;    // of a block
inline constexpr std::int64_t kElementThreads = 256;  // of a block that takes elements
inline constexpr std::int64_t kUsualRow = 2048;       // elements of a row of unknown length
inline constexpr std::int64_t kRowElements = 8;       // of a row that a thread takes, if there are enough
inline constexpr std::int64_t kMostThreadScratch = 256;  // bytes of scratch that a thread has in registers
inline constexpr std::int64_t kSquareTile = 64;       // rows and columns of a tile of a transposition

// --- what is computed twice rather than kept in memory: scratch, whose elements cost a store and loads

inline constexpr std::int64_t kMostRecomputedLoads = 2;  // of the scratch
inline constexpr std::int64_t kMostRecomputedReads = 2;  // elements that computing one reads
inline constexpr std::int64_t kMostRecomputedWork = 64; // operations of it: fewer than pass while one is loaded

// --- tiles of products

inline constexpr std::int64_t kProductLanes = 128;      // threads of a block that takes a tile of a product
inline constexpr std::int64_t kProductRows = 16;        // rows of it, of each of which a thread has some sums
inline constexpr std::int64_t kProductColumns = 4;      // such sums, of f32
inline constexpr std::int64_t kProductTileRows = 1024;  // rows of which only full parts are tiled, of unknown number

}  // namespace mlgc::schedule
