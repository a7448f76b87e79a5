// How values flow through a region: how far each op is from where its data comes in, and what all of it passes through.
//
// Guarantees
//   - The flow begins at the region's arguments. What is computed of weights, constants and sizes alone is given: it is
//     no part of the flow.
//   - The dominator of an op is the nearest op or argument that every path of values to it passes through; region()
//   where
//     there is none. In a graph without cycles it is the nearest common dominator of what the op reads (Cooper, Harvey
//     and Kennedy, "A Simple, Fast Dominance Algorithm", 2001, of which one pass in program order is enough).
//   - An op with regions reads what its regions read. What is inside of them is a flow of its own.
//   - N log N in the ops: common dominators are found by jump pointers (Myers, "An Applicative Random-Access Stack",
//   1983).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc {

class DataFlow {
 public:
  using Node = std::uint32_t;

  // The module must not change while the flow is asked.
  explicit DataFlow(RegionRef region);

  // What stands for the region itself, from which its arguments come.
  [[nodiscard]] static constexpr Node region() { return 0; }
  // The ops of the flow in program order, the terminator included.
  [[nodiscard]] const std::vector<OpRef>& ops() const { return ops_; }
  [[nodiscard]] Node node(std::size_t op) const { return first_op_ + static_cast<Node>(op); }
  // Nothing for what is given.
  [[nodiscard]] std::optional<Node> node_of(Value value) const;
  [[nodiscard]] std::optional<Node> node_of(OpRef op) const;
  // Invalid for arguments and the region.
  [[nodiscard]] OpRef op_of(Node node) const;
  // The argument, or the first result of the op. Precondition: neither the region nor an op without results.
  [[nodiscard]] Value value_of(Node node) const;

  // Nodes that the op reads, each once, in the order of its operands.
  [[nodiscard]] const std::vector<Node>& read_by(Node node) const { return nodes_[node].reads; }
  // Ops of the flow that read the node.
  [[nodiscard]] std::uint32_t readers(Node node) const { return nodes_[node].readers; }
  // Ops on the longest path to the node, itself included; those that only move elements do not count.
  [[nodiscard]] std::uint32_t depth(Node node) const { return nodes_[node].depth; }
  [[nodiscard]] Node dominator(Node node) const { return nodes_[node].dominator; }
  // The nearest node that all paths to both pass through; one of them, where it dominates the other.
  [[nodiscard]] Node common_dominator(Node a, Node b) const;

 private:
  struct Place {
    std::vector<Node> reads;
    std::uint32_t readers = 0, depth = 0;
    Node dominator = 0, jump = 0;
    std::uint32_t level = 0;  // dominators above it
  };
  void add(Place place);

  RegionRef region_;
  std::vector<OpRef> ops_;
  Node first_op_ = 1;
  std::vector<Place> nodes_;
  std::unordered_map<OpId, Node> node_of_;
};

}  // namespace mlgc
