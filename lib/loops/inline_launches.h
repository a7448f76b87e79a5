// Host functions that launch kernels alone: what launches functions that launch others gets their ops instead.
//
// Guarantees
//   - A launched function that launches, reads weights or states, or binds sizes is not a kernel. Its ops stand in the
//     place of each launch, in the words of the caller; kernels stay what is launched.
//   - What is computed stays the same. Memory that the function had of its own is the caller's to plan: what its plan
//     said of buffers in one memory, and of states that are written in place, is left out.
//   - Its new states go where the launch says, and it stays a function that can be called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "ir/module.h"

namespace mlgc {

struct InlineLaunches {
  std::int64_t max_ops = std::int64_t{1} << 20;  // no more are copied: launches of launches can double at each level
  std::function<bool(OpRef launch)> may = {};    // empty: all may
};
// The number of launches that were replaced. Callees come first, so that each is copied in its final form.
std::size_t inline_launches(Module& module, const InlineLaunches& options = {});

}  // namespace mlgc
