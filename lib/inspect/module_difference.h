// What differs between two modules, op by op, as a matching of their ops shows it (module_matching.h).
//
// Guarantees
//   - Nothing differs exactly when the modules print alike but for names of values, the order of items and locations.
//   - An op is rewired where an operand is another value, as seen_through() sees it.
//   - As few ops as possible are `moved`: the others stand in the same order.
//   - What is listed follows the program: each item of the module before, then those that are new; in an item what the
//     module after has, in its order, what is gone in front of what follows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/module_matching.h"

namespace mlgc {

struct OperandChange {
  std::size_t operand = 0;
  Value before, after;  // invalid: there is none of that number
};
struct AttributeChange {
  StringId name;
  Attribute before, after;  // invalid: not stated
};
// Of a result, or of an argument of the op's regions.
struct TypeChange {
  Value before, after;
};

// One op of both modules that is not the same, or of one that the other has not. Several may be true of one op.
struct OpDifference {
  OpRef before, after;                  // invalid before: added; invalid after: removed
  bool replaced = false;                // another opcode; then operands and attributes are not compared
  bool moved = false;                   // another order, or another region
  std::vector<OperandChange> operands;  // rewired
  std::vector<AttributeChange> attributes;
  std::vector<TypeChange> types;
  std::vector<Value> arguments_removed, arguments_added;  // of functions and regions
  std::vector<Value> arguments_moved;                     // of the module after
  bool follows = false;                                   // only types of results differ, and so do those of an operand

  [[nodiscard]] bool added() const { return !before.valid(); }
  [[nodiscard]] bool removed() const { return !after.valid(); }
  [[nodiscard]] bool rewired() const { return !operands.empty(); }
  [[nodiscard]] bool changed() const {
    return !attributes.empty() || !types.empty() || !arguments_removed.empty() || !arguments_added.empty() ||
           !arguments_moved.empty();
  }
  [[nodiscard]] bool any() const { return added() || removed() || replaced || moved || rewired() || changed(); }
};

struct DifferenceCounts {
  std::size_t removed = 0, added = 0, replaced = 0, rewired = 0, changed = 0, moved = 0;
  std::size_t follow = 0;   // of those that changed, whose types follow from others'
  std::size_t same = 0;     // ops that none of this is said of
  std::size_t renamed = 0;  // values of these that have another name, which is no difference
};

// A function, a weight, a state, or what else stands in the module itself.
struct ItemDifference {
  OpRef before, after;
  std::vector<OpDifference> ops;  // the item itself first, if it differs; of an item that one module lacks that alone
};

struct ModuleDifference {
  std::vector<AttributeChange> module;  // of the module itself, its name not counted
  std::vector<ItemDifference> items;    // those that differ
  DifferenceCounts counts;              // ops of items that are removed or added count one by one
  [[nodiscard]] bool any() const { return !module.empty() || !items.empty(); }
};

[[nodiscard]] ModuleDifference find_difference(const Module& before, const Module& after,
                                               const ModuleMatching& matching);

}  // namespace mlgc
