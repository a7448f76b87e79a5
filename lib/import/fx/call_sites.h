// The nodes of the interpreter that a graph comes down to while it runs: which node of the graph each belongs to, where
// that is, and what its results are called.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/fx/graph.h"
#include "import/fx/recorded_types.h"
#include "import/python/origins.h"

namespace mlgc::fx {

// Numbers of values in the script that a graph is run as (script.h). Operands and results of the calls that nodes come
// down to use the same ones again and again.
struct ValueNumbers {
  std::uint32_t first_node = 0;  // a value for each node
  std::uint32_t first_scratch = 0;
  static constexpr std::uint32_t kOperands = 64, kResults = 16;
  [[nodiscard]] std::uint32_t node(std::size_t i) const { return first_node + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint32_t operand(std::size_t i) const { return first_scratch + static_cast<std::uint32_t>(i); }
  // After the operands: one list of tensors, then tensors one by one.
  [[nodiscard]] std::uint32_t list() const { return first_scratch + kOperands; }
  [[nodiscard]] std::uint32_t result(std::size_t i) const { return list() + 1 + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint32_t end() const { return list() + 1 + kResults; }
};

class CallSites final : public python::NodeOrigins {
 public:
  // `names` are those of the script's values, which calls write into; `file_name` names the graph in notes.
  CallSites(const Graph& graph, std::span<python::ProgramValue> names, ValueNumbers numbers, RecordedTypes& types,
            LocationTable& locations, std::string file_name);

  // Node `number` of the graph runs from now on.
  void start(std::size_t number);
  [[nodiscard]] std::size_t number() const { return current_; }
  [[nodiscard]] const Node& current() const { return graph_.nodes[current_]; }
  // Stands for the node that runs, in messages and for ops.
  [[nodiscard]] const python::Node& here() const { return markers_[current_]; }

  // Whether what is called next gives what the node gives.
  void set_last(bool last) { last_ = last; }
  [[nodiscard]] bool take_last() { return std::exchange(last_, false); }
  // Whether another node reads result `i` of what is called next.
  [[nodiscard]] bool reads_result(std::size_t i) const;

  // A node with so many operands and results, or with one list of tensors as its result; kept for messages about later
  // nodes.
  [[nodiscard]] const python::Node& make(const std::string& kind, std::size_t operands, std::size_t results, bool list);
  [[nodiscard]] std::string fresh_name(std::string_view base);
  // Whether the name was made for the node that runs.
  [[nodiscard]] bool is_own(std::string_view name) const;

  // As NodeOrigins.
  [[nodiscard]] Location location(const python::Node& node) const override;
  [[nodiscard]] std::string spelling(const python::Node& node) const override { return origin(node).target; }
  void annotate(const python::Node& node, Diagnostic& diagnostic) const override;
  [[nodiscard]] std::vector<Type> recorded_types(const python::Node& node) const override;

 private:
  // The node of the graph that a node of the script belongs to.
  [[nodiscard]] const Node& origin(const python::Node& node) const;
  void find_items_read();

  const Graph& graph_;
  std::span<python::ProgramValue> names_;
  ValueNumbers numbers_;
  RecordedTypes& types_;
  LocationTable& locations_;
  std::string file_name_;
  std::size_t current_ = 0;
  bool last_ = false;
  // By node: which of its results others read, where they only read single ones.
  std::vector<std::optional<std::set<std::int64_t>>> items_read_;
  std::vector<python::Node> markers_;                   // one for each node of the graph
  std::deque<python::Node> calls_;                      // what nodes came down to
  std::map<const python::Node*, std::size_t> node_of_;  // of calls_, the node of the graph
  // Names of values, with the node that needed them plus 1; 0 for the names of nodes.
  std::map<std::string, std::size_t, std::less<>> taken_;
};

}  // namespace mlgc::fx
