// In which order the axes of a buffer lie in memory: a step on a buffer that a host function owns, an `alloc` in the
// arena.
//
//     %t = alloc : buffer<[M]x[N]xf32, arena>   becomes   %t = alloc : buffer<[N]x[M]xf32, arena>
//
// and kernels that are launched on %t store to %t[%j, %i] what they stored to %t[%i, %j]; loads likewise.
//
// Guarantees
//   - Nothing that is computed changes: each element has another place, and every access goes there. A kernel that
//     writes the buffer goes through it in its new order, where the loops that say so may be interchanged.
//   - A kernel that is launched on other buffers too keeps its form for these and is copied; kernels that are equal but
//     for names and locations stay one. A kernel that is no longer launched is gone. A form with other axes is
//     called `.relaid`: a name stands for one order of axes, also where they are of one size.
//   - Refused with a reason, and nothing is changed, where something touches the buffer that cannot be followed.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/structural_hash.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

// Axis i of the new buffer is axis order[i] of the old one. A permutation of 0 .. rank - 1.
using AxisOrder = std::vector<std::size_t>;
// `[1, 0]`.
[[nodiscard]] std::string print_order(const AxisOrder& order);

// A launch on a buffer, with the arguments that are it.
struct BufferLaunch {
  OpRef launch;
  std::vector<std::size_t> arguments;
};
// Those on the buffer itself, each once.
[[nodiscard]] std::vector<BufferLaunch> launches_on(Value buffer);

// Why the axes of the buffer have to stay in their order; nothing when they do not. Views keep them, or follow where
// they split axes: parts of an axis stay next to each other.
enum class Views { Keep, Follow };
[[nodiscard]] TransformResult may_permute_axes(Value buffer, Views views = Views::Keep);

// Gives an argument of a kernel its axes in another order: accesses, and loops around those that store to it.
// Precondition: it is used by loads and stores alone.
void permute_argument(OpRef kernel, std::size_t argument, const AxisOrder& order);

class AxisPermuter {
 public:
  // Kernels must not change meanwhile but by permute().
  explicit AxisPermuter(Module& module);

  [[nodiscard]] TransformResult permute(Value buffer, const AxisOrder& order, Views views = Views::Keep);
  // A weight that no call changes, of constant sizes, and that kernels only load from: they read a derived weight.
  [[nodiscard]] TransformResult permute_weight(Value data, const AxisOrder& order);
  // Kernels that were copied, since others launch them on a buffer that is as it was.
  [[nodiscard]] std::size_t copied() const { return copied_; }

 private:
  void permute_launches(Value buffer, const AxisOrder& order);
  OpRef variant(OpRef kernel, const std::vector<std::size_t>& arguments, const AxisOrder& order);
  std::string unique(std::string name) const;

  Module& module_;
  StructuralHasher hasher_;
  std::unordered_map<OpId, std::size_t> launches_;        // of each kernel
  std::unordered_multimap<std::uint64_t, OpId> kernels_;  // by hash without the name
  std::size_t copied_ = 0;
};

}  // namespace mlgc
