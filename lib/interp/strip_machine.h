// Private to lib/interp: what evaluates a formula's nodes over strips.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "interp/storage.h"
#include "interp/strip_index.h"
#include "interp/strip_program.h"

namespace mlgc::strips {

// Evaluates nodes at a position: reads, arithmetic, choices and reductions. Throws Diagnostic for errors of the
// program.
class StripMachine {
 public:
  StripMachine(const Formula& formula, std::vector<Storage>& tensors, std::vector<std::int64_t> extents, bool round);
  StripMachine(const StripMachine&) = delete;  // its parts refer to it
  StripMachine& operator=(const StripMachine&) = delete;

  // Where the next run() takes place.
  [[nodiscard]] Position& position() { return at_; }
  // Subscripts at that place.
  [[nodiscard]] StripIndex& index() { return index_; }

  // Lane values are at node.values or in node.integers; with a uniform result only lane 0 is set.
  // Returns true when the result is uniform over the strip.
  bool run(Node& node, const std::uint8_t* mask);

 private:
  bool read(Node& node, const std::uint8_t* mask);
  bool read_straight(Node& node, std::size_t width);
  bool read_any(Node& node, const std::uint8_t* mask, std::size_t width);
  bool evaluate(Node& node, const std::uint8_t* mask);
  bool accumulate_products(Node& body, double* acc, std::size_t width);
  bool call(Node& node, const std::uint8_t* mask);
  bool logical(Node& node, const std::uint8_t* mask);
  bool select(Node& node, const std::uint8_t* mask);
  bool reduce(Node& node, const std::uint8_t* mask);
  void reduce_into(Node& node, const std::uint8_t* mask, std::size_t width);
  void run_along(Node& node);
  // The values of the reduced index label at `level` that the guard's bounds leave, given the index labels outside.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> loop_range(Node& node, std::size_t level);
  void finish(Node& node, std::size_t width) const;

  const Formula& formula_;
  std::vector<Storage>& tensors_;
  std::vector<std::int64_t> extents_;
  bool round_;
  Position at_;
  StripIndex index_{at_, *this};
};

}  // namespace mlgc::strips
