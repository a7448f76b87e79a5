// Walks over an op and everything inside its regions, without recursion.
//
// The visitor takes an OpRef and returns nothing or a WalkResult. It may erase the op it was given (with all inside
// it), change operands and attributes, and create ops anywhere; it may not erase or move other ops that the walk has
// yet to reach. Whether ops created during a walk are visited is unspecified.
#pragma once

#include <type_traits>
#include <utility>

#include "ir/module.h"

namespace mlgc {

enum class WalkOrder : std::uint8_t {
  Pre,          // an op, then what is inside it; program order
  Post,         // what is inside an op, then the op
  BackwardPre,  // from the last op to the first; an op, then what is inside it, also backwards
  BackwardPost  // the exact reverse of Pre
};

enum class WalkResult : std::uint8_t {
  Continue,
  Skip,  // do not enter the regions of this op (only in pre-orders)
  Stop,
};

namespace walk_detail {
inline OpRef first_in(RegionRef region, bool backward) { return backward ? region.back() : region.front(); }
inline OpRef following(OpRef op, bool backward) { return backward ? op.previous() : op.next(); }
// The first op inside `op`, in its first region with ops (the last one when backward); `after` continues after a
// region.
OpRef enter(OpRef op, RegionRef after, bool backward);
}  // namespace walk_detail

// Visits `root` too, unless it is the module op. Returns false when stopped.
template <WalkOrder Order = WalkOrder::Pre, class Visitor>
bool walk(OpRef root, Visitor&& visitor) {
  constexpr bool kBackward = Order == WalkOrder::BackwardPre || Order == WalkOrder::BackwardPost;
  constexpr bool kPre = Order == WalkOrder::Pre || Order == WalkOrder::BackwardPre;
  Module& module = root.module();
  const bool whole = root == module.top();
  const auto visit = [&](OpRef op) {
    if (whole && op == root) return WalkResult::Continue;
    if constexpr (std::is_void_v<std::invoke_result_t<Visitor&, OpRef>>) {
      visitor(op);
      return WalkResult::Continue;
    } else {
      return WalkResult(visitor(op));
    }
  };
  OpRef at = root;
  bool entering = true;  // `at` has not been seen yet; otherwise everything inside it has been
  while (true) {
    // What comes after `at` is noted before the visitor may erase it.
    const bool is_root = at == root;
    const OpRef sibling = is_root ? OpRef() : walk_detail::following(at, kBackward);
    const RegionRef region = is_root ? RegionRef() : at.parent();
    if (entering) {
      if constexpr (kPre) {
        const WalkResult result = visit(at);
        if (result == WalkResult::Stop) return false;
        entering = result == WalkResult::Continue && !at.erased();
      }
      if (entering) {
        const OpRef inner = walk_detail::enter(at, RegionRef(), kBackward);
        if (inner.valid()) {
          at = inner;
          continue;
        }
      }
    }
    if constexpr (!kPre) {
      if (visit(at) == WalkResult::Stop) return false;
    }
    if (is_root) return true;
    if (sibling.valid()) {
      at = sibling;
      entering = true;
      continue;
    }
    const OpRef parent = region.parent_op();
    const OpRef inner = walk_detail::enter(parent, region, kBackward);
    at = inner.valid() ? inner : parent;
    entering = inner.valid();
  }
}

// Over the whole module.
template <WalkOrder Order = WalkOrder::Pre, class Visitor>
bool walk(Module& module, Visitor&& visitor) {
  return walk<Order>(module.top(), std::forward<Visitor>(visitor));
}
template <WalkOrder Order = WalkOrder::Pre, class Visitor>
bool walk(const Module& module, Visitor&& visitor) {
  return walk<Order>(module.top(), std::forward<Visitor>(visitor));
}

}  // namespace mlgc
