// What must stand before what, for each region of a module's functions.
//
// Guarantees: any order of a region's ops that follows the edges is a correct program that computes the same. An edge
// goes from an op to a later one of the same region
//   - that uses one of its results, itself or inside its regions;
//   - that speaks, itself or inside, of a size that the first one binds, itself or inside;
//   - that touches memory as the first one does.
// Failing is no reason for an edge: of two ops that may fail either may be first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace mlgc {

struct RegionDependences {
  std::vector<OpId> ops;  // in program order, without the terminator
  // Numbers of ops in `ops`, from earlier to later ones, with repetitions.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

class Dependences {
 public:
  // Linear in ops and operands times the depth of nesting between an operand's definition and its use.
  explicit Dependences(const Module& module);
  // Nothing for regions outside of functions.
  [[nodiscard]] const RegionDependences& of(RegionRef region) const { return regions_[region.id().index()]; }
  // The number of an op in its region.
  [[nodiscard]] std::uint32_t number(OpRef op) const { return numbers_[op.id().index()]; }

 private:
  std::vector<RegionDependences> regions_;  // by region
  std::vector<std::uint32_t> numbers_;      // by op
};

}  // namespace mlgc
