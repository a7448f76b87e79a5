// What values of a region are computed from.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "ir/module.h"

namespace mlgc {

// What an op reads, itself or inside of its regions, of the values of the region that it stands in; with repetitions,
// in program order.
[[nodiscard]] std::vector<Value> values_read(OpRef op);

// The ops of a region that the values and the ops `roots`, all of that region, are computed by; roots included. An op
// for which `enter`, if it is set, says no is none of them, nor a way to others. Linear in the ops found and what
// stands inside of them.
[[nodiscard]] std::unordered_set<OpId> backward_slice(std::span<const Value> values, std::span<const OpRef> roots = {},
                                                      const std::function<bool(OpRef)>& enter = {});

}  // namespace mlgc
