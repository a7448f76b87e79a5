// What a scheduled kernel is predicted to take on a machine, counted from its loops:
//
//     CPU   max(compute, L1, L2, L3, memory) + packing + tails + region
//     GPU   max(compute, L2, memory) + tails + launch
//
//     compute  scalar operations, in whole vectors where a loop has lanes, by the ports of all cores that have an
//              iteration; never less than a chain of sums takes to wait for each addition
//     L1       loads and stores, whole vectors or single elements, by their ports
//     L2, L3, memory   the bytes that come from that level, since the level below has no room for what is used
//              again, by its bandwidth. An access that does not run along a loop costs a line an element
//     packing  loops that only copy into scratch
//     tails    lanes of last strips that compute for nothing
//     region, launch   giving loops to threads, or to the device
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
  std::string_view bound;            // the name of the largest term
  double operations = 0;             // scalar ones, without those of lanes that have no element
  double memory_bytes = 0;           // from and to memory
  double parallel = 1;               // cores or threads that have something to do
  std::vector<std::string> assumed;  // symbols that were, in the order of their names

  [[nodiscard]] double term(std::string_view name) const;  // 0 where there is none of the name
};

// Of a loop function, or of one nest of it, which then stands alone.
[[nodiscard]] Prediction predict(OpRef of, const Machine& machine, const PredictedSizes& sizes);

}  // namespace mlgc::schedule
