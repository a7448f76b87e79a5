// An order of the ops of each region in which values are defined before they are used.
//
// Guarantees
//   - A region whose values are defined before they are used keeps its order. Elsewhere definitions move up to just
//     before the first op that needs them; what remains keeps its order.
//   - An op comes after those whose results it uses, itself or inside its regions, and after the op that binds a
//     size that it speaks of. In regions that change, ops that touch memory keep their order where one of the two
//     writes. The terminator stays last.
//   - Linear in ops, operands and results; for sizes that ops bind, times the depth of nesting.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

// Ops of one region that have no order: each must come after the next one, the last after the first.
struct OrderCycle {
  std::vector<OpRef> ops;
  std::vector<Value> values;  // what ops[i] uses of the next one; invalid: the order follows from sizes or memory
};

class TopologicalOrder {
 public:
  enum class Needs : std::uint8_t {
    Values,  // operands alone: for a module whose types are not known yet
    All,
  };
  // Of the regions inside an op that stands in the module; of the module's op: inside all its items, which stay where
  // they are.
  explicit TopologicalOrder(OpRef root, Needs needs = Needs::All);

  // Every value is defined before it is used.
  [[nodiscard]] bool sorted() const { return regions_.empty(); }
  [[nodiscard]] const std::vector<OrderCycle>& cycles() const { return cycles_; }
  // Both ops are in one knot of cycles.
  [[nodiscard]] bool in_one_cycle(OpRef a, OpRef b) const;
  // The ops of a region that is to change, terminator and all; null for one that stays as it is, or has a cycle.
  [[nodiscard]] const std::vector<OpId>* order_of(RegionRef region) const;
  // Moves the ops; answers how many got another place. Precondition: there are no cycles.
  std::size_t apply() const;

 private:
  struct Edge {
    std::uint32_t op, needs;  // numbers in the region
    ValueId value;
  };
  struct Region {
    RegionId id;
    std::vector<OpId> before, after;
    std::vector<Edge> edges;
    bool cyclic = false;
  };
  template <class Visit>
  void visit_needs(OpRef item, bool sizes, const Visit& visit);
  void sort_item(OpRef item, bool sizes);
  void add_memory_edges(OpRef item, std::size_t first);
  void sort_region(Region& region);
  void note_cycle(const Region& region, const std::vector<std::uint32_t>& first,
                  const std::vector<std::uint32_t>& knot_of, const std::vector<std::uint32_t>& members);

  Module& module_;
  std::vector<Region> regions_;                        // that are not sorted
  std::unordered_map<RegionId, std::size_t> numbers_;  // in regions_
  std::vector<std::uint32_t> depth_of_;                // by region: that of its ops; kUnseen: not entered yet
  std::vector<bool> seen_;                             // by op
  std::vector<std::uint32_t> place_;                   // by op: its number in its region
  std::vector<OpRef> path_;                            // the op at hand and those around it
  std::unordered_map<OpId, std::size_t> knots_;        // ops in cycles
  std::vector<OrderCycle> cycles_;
};

// Says that the ops of a cycle have no order. `name` gives the text of a value, with `%`; empty: it has no name.
[[nodiscard]] Diagnostic report_cycle(const OrderCycle& cycle, const std::function<std::string(Value)>& name);

}  // namespace mlgc
