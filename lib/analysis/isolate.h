// Gathers ops of a region in one op whose region is isolated: `segment`, `fusion`.
//
// Guarantees
//   - The new op stands where the first op of its group stood; its operands are in the order of `inputs`, its results
//   in
//     that of `outputs`, which every reader outside uses from then on.
//   - Copied ops (constants, reads) stand at the beginning of the region; the originals stay while somebody reads them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dependences.h"
#include "ir/clone.h"
#include "ir/module.h"

namespace mlgc {

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

// The ops of a region, numbered as in `region`, in an order that follows its edges and in which the ops of each group
// stand together; else each op, and each group as a whole, stands where its last op stood, or before the first reader
// if that comes earlier. `group_of` has the group of each op, below `groups`, or kNoGroup; contracting the groups must
// leave no cycle. Linear.
[[nodiscard]] std::vector<std::uint32_t> order_by_groups(const RegionDependences& region,
                                                         const std::vector<std::uint32_t>& group_of,
                                                         std::size_t groups);

struct IsolatedGroup {
  std::vector<OpRef> ops;  // of one region, next to each other in program order
  std::vector<Value> inputs, outputs;
  std::vector<OpRef> copies;  // without operands, with one result
};

// Moves the ops of each group next to each other, whatever region it is in.
void gather_groups(Module& module, const std::vector<IsolatedGroup>& groups, const Dependences& dependences);

// Precondition: the group's ops stand next to each other. `isolated` has what stands now for outputs of groups that
// were isolated before.
OpRef isolate_group(Module& module, const IsolatedGroup& group, Opcode opcode, AttrDict attributes, ValueMap& isolated);

// The reverse: puts the ops inside in the place of the op, and erases it.
void dissolve_isolated(OpRef op);

}  // namespace mlgc
