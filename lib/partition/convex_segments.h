// Groups nodes of an acyclic graph into convex segments: the algorithm of `partition`, on plain numbers.
//
// Guarantees
//   - Only supported nodes are in segments, each in one; a segment is connected by edges between its nodes.
//   - With every segment contracted to one node the graph has no cycle. So each segment is convex (no path leaves it
//   and
//     comes back), and all of them can run one after another.
//   - No two segments with an edge between them could be joined without breaking that, but for the pairs that `untried`
//     counts. For each pair that stays apart there is a witness: a node outside, on a path from one to the other.
//   - Depends on the graph alone. Time is O((n + e) log n): the searches of step 3 together look at kSearchPerEdge
//   edges
//     for each node and edge of the graph, and then end.
//
// How
//   1. Levels. Along every edge a level stays or grows; supported nodes have even ones, others odd ones, so it grows
//      wherever support changes. Each node takes the least.
//   2. Supported nodes of one level with an edge between them are one segment. A path that leaves a segment through a
//      node that is not supported comes out at a higher level, so it never comes back: levels that rise along every
//      edge are the proof that contraction makes no cycle.
//   3. The least levels separate nodes that need not be: a supported node whose readers come much later could wait.
//      For each edge from segment A to a higher segment B, A takes the level of B, and what reads A moves up as the
//      levels demand, and so on. If that would move B, it is reached from A by a path outside, and joining would make a
//      cycle: nothing changes. Else the levels are valid again, and A and B are one. The least distant pairs come
//      first. The search is the one of dynamic topological order (Pearce and Kelly, "A Dynamic Topological Sort
//      Algorithm for Directed Acyclic Graphs", 2006), on levels instead of positions.
//
// Two other designs were weighed (docs/partition.md): TVM's MergeCompilerRegions keeps for each region the set of those
// it must not join, which is quadratic in regions; XLA's clustering contracts single edges of an incremental cycle
// detector from the start, so that a region of k nodes pays for k contractions, where steps 1 and 2 pay for none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mlgc {

enum class SegmentNode : std::uint8_t {
  Supported,
  Other,
  Free,  // in no segment, and may be copied into each: it costs nothing to cross. Has no edge from a supported node.
};

struct SegmentGraph {
  std::vector<SegmentNode> nodes;
  // From a node to one with a higher number.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

inline constexpr std::uint32_t kNoSegment = 0xFFFFFFFF;

// Two segments with an edge from the first to the second that are not one.
struct SegmentCut {
  std::uint32_t from = 0, to = 0;
  std::uint32_t witness = kNoSegment;  // a node outside, on a path between them; none: the search was ended before
};

struct Segmentation {
  std::vector<std::uint32_t> segment_of;  // by node; kNoSegment: none
  std::uint32_t count = 0;                // segments are numbered by their first nodes
  std::vector<SegmentCut> cuts;           // each pair once, sorted
  std::size_t untried = 0;                // pairs among them without a witness
};

// How many edges the search looks at for each node and edge of the graph.
inline constexpr std::size_t kSearchPerEdge = 32;

// Precondition: edges go from lower to higher numbers.
[[nodiscard]] Segmentation find_segments(const SegmentGraph& graph, std::size_t search_per_edge = kSearchPerEdge);

}  // namespace mlgc
