// A minimum cut between two nodes of a directed graph.
//
// Dinitz, "Algorithm for solution of a problem of maximum flow in networks with power estimation" (1970): shortest
// augmenting paths, all of one length at a time, without recursion. Same edges in the same order, same cut: of several
// minimum cuts the one nearest to the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mlgc {

class MinimumCut {
 public:
  // An edge of this capacity is in no cut that another one can replace; finite ones stay below it together.
  static constexpr std::int64_t kUncuttable = std::numeric_limits<std::int64_t>::max() / 4;

  explicit MinimumCut(std::size_t nodes) : first_(nodes, kNone) {}

  // Precondition: capacity is not negative.
  void add_edge(std::size_t from, std::size_t to, std::int64_t capacity);

  // By node: whether it is on the source's side. Once only. At most O(nodes² edges); on graphs whose paths are short,
  // as those of choose.cpp, near linear.
  [[nodiscard]] std::vector<bool> source_side(std::size_t source, std::size_t sink);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Edge {
    std::uint32_t to, next;  // next: another edge from the same node
    std::int64_t left;       // capacity that is not used; the reverse edge has the next even or odd number
  };
  void number_levels(std::size_t source);
  void push_along_levels(std::size_t source, std::size_t sink);

  std::vector<std::uint32_t> first_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> level_, current_;
};

}  // namespace mlgc
