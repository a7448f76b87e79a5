// Private to lib/codegen: the vector loop that is being emitted.
//
// Inside of a vector loop a *mask* says which lanes are active: all (no mask), the first few (the remainder of the
// loop), or those that took the arm of an `if` or run an iteration of an inner loop. Where it is not all, memory is
// touched by active lanes only, a test fails for active lanes only, and what other lanes compute is not looked at.
#pragma once

#include <optional>
#include <unordered_set>

#include "codegen/emitter/function_writer.h"

namespace mlgc::codegen {

struct Strip {
  int lanes;
  Value index;
  SourceText base, base_lanes;  // the index of lane 0, and of all of them
  SourceText count, mask;       // of the remainder: how many lanes are active, and which
};

class LaneScope : private EmitterPart {
 public:
  explicit LaneScope(FunctionWriter& writer) : EmitterPart(writer) {}

  std::optional<Strip> strip;  // nothing: no vector loop is being emitted
  SourceText mask;             // empty: all lanes are active
  bool first_lane = false;     // the index of the strip stands for that of lane 0

  // The lanes of a value in the loop; 1: it is the same in all iterations.
  [[nodiscard]] bool varies(Value v) const { return varying_.contains(v.id()); }
  [[nodiscard]] int lanes_of(Value v) const { return strip && varies(v) ? strip->lanes : 1; }
  [[nodiscard]] SourceText mask_or_all() const;
  // Whether the remainder of the loop is emitted, all of whose lanes are active.
  [[nodiscard]] bool is_remainder() const { return strip && mask == strip->mask && !strip->count.empty(); }
  void find_varying(ForRef vector_loop);
  void leave();

 private:
  bool mark(RegionRef r);
  std::unordered_set<ValueId> varying_;
};

}  // namespace mlgc::codegen
