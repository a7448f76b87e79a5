// Removes results without uses from ops with regions: carried values of loops, stacked results and sequences of `scan`,
// results of `if`, and the ops that only computed these.
//
// Liveness is computed over the whole module at once, backwards from what is returned, written or checked. So values
// that loops carry only for each other are removed together, however deep the loops are nested. Linear in ops and
// operands.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "pass/pass_context.h"

namespace mlgc {

struct PruneReport {
  std::uint64_t carries = 0;    // of loops
  std::uint64_t results = 0;    // of `if`, and stacked ones of `scan`
  std::uint64_t sequences = 0;  // of `scan`
  std::uint64_t ops = 0;        // without what was inside them
  [[nodiscard]] bool any() const { return carries + results + sequences + ops > 0; }
};

// A loop's values that go round: `count` operands from `first_operand` on start them, each region has an argument for
// each from `first_argument` on, and the results with the same numbers are what they are at last.
struct CarriedValues {
  OpRef loop;
  std::size_t count = 0, first_operand = 0, first_argument = 0;

  // An empty view when `op` is no loop.
  [[nodiscard]] static CarriedValues of(OpRef op);
  [[nodiscard]] bool valid() const { return loop.valid(); }
  [[nodiscard]] Value initial(std::size_t i) const { return loop.operand(first_operand + i); }
  [[nodiscard]] Value argument(RegionRef region, std::size_t i) const { return region.argument(first_argument + i); }
  // What the region hands on as value i.
  [[nodiscard]] Value yielded(RegionRef region, std::size_t i) const {
    return region.terminator().operand(first_yielded(region) + i);
  }
  // The condition comes before the values.
  [[nodiscard]] static std::size_t first_yielded(RegionRef region) {
    return region.terminator().is(GraphOp::Condition) ? 1 : 0;
  }
};

// One change (PassContext::may_rewrite) is what goes of one op of a function, with everything inside it: what nested
// loops carry round for each other goes together or not at all.
PruneReport prune_carried(Module& module, PassContext& context);

}  // namespace mlgc
