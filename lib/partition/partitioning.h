// What partitioning would do with a module: which ops make which segments, and why the others make none.
//
// Guarantees
//   - Every region of a function is partitioned by itself: the body, and those of `if`, `while`, `for` and `scan`
//     wherever the op itself is in no segment. No segment reaches across a region's end.
//   - An op with regions is in a segment only as a whole, with everything inside it.
//   - Reads of weights, constants and `dim` belong to no segment: each segment that reads one gets a copy, so that they
//     cross no boundary. A state, or a weight that a function updates, is read outside and comes in as an operand.
//   - Derived weights, and what is inside `fusion` and `segment`, are left as they are.
//   - Linear in the module, but for find_segments().
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/dependences.h"
#include "ir/module.h"
#include "partition/registry.h"

namespace mlgc {

struct PartitionSegment {
  OpRef existing;          // a `segment` that the module has; else:
  std::vector<OpRef> ops;  // of one region, in program order
  std::vector<Value> inputs, outputs;
  std::vector<OpRef> copies;   // read inside; of existing ones what stands inside
  std::size_t op_count = 0;    // with what is inside regions, without copies and terminators
  std::optional<double> cost;  // where rules state one: the sum
};

// An op outside of segments; those that cost nothing (copies, terminators) are not listed.
struct OutsideOp {
  OpRef op;
  const RegistryRule* rule = nullptr;  // that refused it or came closest; null: none did
  Reason reason;
};

// Two segments that stay apart although one reads the other.
struct SegmentsApart {
  std::size_t from = 0, to = 0;  // in Partitioning::segments
  OpRef witness;                 // on a path from one to the other; invalid: the search ended before it was found
};

// A region with ops that count, cut into what runs on the target and what does not, in an order in which that can run.
struct PartitionedRegion {
  RegionRef region;
  struct Part {
    std::optional<std::size_t> segment;  // in Partitioning::segments; nothing:
    std::vector<std::size_t> outside;    // in Partitioning::outside; those directly in the region
  };
  std::vector<Part> parts;
};

struct PartitionOptions {
  std::size_t min_ops = 1;
  bool explain = false;  // fill in `outside`, with texts
};

struct Partitioning {
  std::vector<PartitionSegment> segments;  // in the order of their first ops
  std::vector<SegmentsApart> apart;
  std::vector<OutsideOp> outside;    // in program order
  std::size_t op_count = 0;          // counted as in PartitionSegment
  std::size_t inside_count = 0;      // in segments
  std::size_t too_small = 0;         // segments with fewer ops than min_ops, whose ops stay outside
  std::size_t untried = 0;           // pairs of segments whose search ended before an answer
  std::vector<OutsideOp> misplaced;  // in a segment of this target that the module has, and not supported
};

// Functions in program order, each followed by the regions inside it that are partitioned by themselves. The
// partitioning must have been made with `explain`.
[[nodiscard]] std::vector<PartitionedRegion> partitioned_regions(const Module& module, const Partitioning& partitioning,
                                                                 const Dependences& dependences);

[[nodiscard]] Partitioning partition_ops(const Module& module, const Registry& registry, const Dependences& dependences,
                                         const PartitionOptions& options);

}  // namespace mlgc
