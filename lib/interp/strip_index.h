// Private to lib/interp: where a strip stands, and the value of subscripts and conditions there.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "interp/strip_program.h"

namespace mlgc::strips {

class StripMachine;

// Where evaluation stands: a value for each index label, of which one has `lanes` values from there on: the strip.
struct Position {
  std::vector<std::int64_t> labels;  // by slot; the strip's index label holds its first value
  std::uint32_t strip_slot = 0xFFFFFFFF;
  std::size_t lanes = 1;

  // Whether what depends on these index labels differs between the lanes.
  [[nodiscard]] bool varies(const std::vector<bool>& on) const {
    return lanes > 1 && strip_slot < on.size() && on[strip_slot];
  }
};

// Evaluates index programs at a position; the values that they hold are the machine's. Throws Diagnostic for errors of
// the program.
class StripIndex {
 public:
  StripIndex(Position& at, StripMachine& values) : at_(at), values_(values) {}

  // Lane values are at index.lanes. Returns true when the result is uniform over the strip: lane 0 alone is set.
  bool run(IndexProgram& index, const std::uint8_t* mask);

  // The value in lane 0, without the other lanes.
  std::int64_t first_lane(IndexProgram& index) {
    if (!index.affine) return first_lane_of_any(index);
    std::int64_t value = index.constant;
    for (const IndexProgram::Term& term : index.terms) value += term.coefficient * at_.labels[term.factors[0].label];
    return value;
  }

  // The index in lane 0 and what it grows by from lane to lane; nothing where it does not grow evenly.
  std::optional<std::pair<std::int64_t, std::int64_t>> evenly(IndexProgram& index) {
    const bool still = !at_.varies(index.labels);
    if (!still && !index.linear[at_.strip_slot]) return std::nullopt;
    return std::pair(first_lane(index), still ? 0 : index.slope[at_.strip_slot]);
  }

  // The index that the program was given where the subscript, which has run, is `at`: a subscript that counts from the
  // end, `i + select(i < 0, size, 0)`, has added the size to one below 0.
  [[nodiscard]] std::int64_t given_index(const IndexProgram& subscript, std::size_t lane, std::int64_t at,
                                         std::int64_t size) const;

 private:
  std::int64_t first_lane_of_any(IndexProgram& index);
  void multiply(IndexProgram::Factor& factor, const std::uint8_t* mask, std::size_t width, std::int64_t* product);

  Position& at_;
  StripMachine& values_;
};

}  // namespace mlgc::strips
