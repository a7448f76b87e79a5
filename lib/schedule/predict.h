// What a scheduled kernel is predicted to take on a machine, counted from its loops:
//
//     CPU   max(compute, L1, L2, L3, memory) + packing + tails + region
//     GPU   of each nest, which is a kernel: max(compute + matrix, L2, memory) + tails + latency + launch
//
//     compute  scalar operations, in whole vectors where a loop has lanes, by the ports of all cores that have an
//              iteration; never less than a chain of sums takes to wait for each addition
//     L1       loads and stores, whole vectors or single elements, by their ports
//     L2, L3, memory   the bytes that come from that level, since the level below has no room for what is used
//              again, by its bandwidth. An access that does not run along a loop costs a line an element
//     packing  loops that only copy into scratch
//     tails    lanes of last strips that compute for nothing; of a GPU what the last wave of blocks lacks, and what
//              stands after the sums of its last tiles
//     region, launch   giving loops to threads, or to the device
//
// Of a GPU (predict_gpu.cpp):
//
//     compute  instructions of all threads, by the lanes of the multiprocessors that have a block
//     matrix   products of the matrix unit with the rows and columns that fill up tiles, by the rate of the unit:
//              wgmma where the device copies both factors, else mma.sync, six of which make a product of f32
//     L2       what blocks ask of it: a block reads each element once as far as a multiprocessor keeps it, sectors of
//              32 bytes where neighbouring threads do not read neighbours
//     memory   each buffer once; again where the blocks that run at a time have no room in L2 for what is used again.
//              Few threads with few accesses under way do not reach the bandwidth
//     latency  until what a block loads first is there, by each loop over global memory that ends before the next
//
// Guarantees
//   - The same text, machine and sizes give the same numbers; nothing is measured.
//   - What the caches of the last level hold is supposed to be there when the kernel begins.
//   - Linear in the ops of the kernel times the square of the depth of its loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/assumed_size.h"
#include "ir/module.h"
#include "machine/machine.h"

namespace mlgc::schedule {

struct PredictedSizes {
  std::map<std::string, std::int64_t, std::less<>> known;
  std::int64_t assumed = kAssumedSize;  // of other symbols, and of loops whose bounds are data
};

struct Prediction {
  struct Term {
    std::string_view name;
    double seconds = 0;
  };
  std::vector<Term> terms;  // in the order of the formula
  double seconds = 0;
  std::string_view bound;   // the name of the largest term
  double operations = 0;    // scalar ones, without those of lanes that have no element
  double memory_bytes = 0;  // from and to memory
  double l2_bytes = 0;      // of a GPU: from and to its second cache
  double parallel = 1;      // cores or threads that have something to do
  // Of a GPU: how each nest runs.
  struct Launch {
    double blocks = 1, threads = 1;  // threads of a block
    double resident = 1, waves = 1;  // blocks that a multiprocessor has at a time, and how often all have theirs
    double occupancy = 0;            // threads of a multiprocessor, of those that it holds
    double rows = 0, columns = 0;    // of a tile of the matrix unit; 0: there is none
    std::string_view unit;           // `fma`, `mma.sync`, `wgmma`
  };
  std::vector<Launch> launches = {};
  std::vector<std::string> assumed;  // symbols that were, in the order of their names

  [[nodiscard]] double term(std::string_view name) const;  // 0 where there is none of the name
};

// Of a loop function, or of one nest of it, which then stands alone.
[[nodiscard]] Prediction predict(OpRef of, const Machine& machine, const PredictedSizes& sizes);

}  // namespace mlgc::schedule
