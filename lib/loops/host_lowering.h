// Private to lib/loops: a function of the graph level as the host function that launches its kernels.
//
// Guarantees
//   - Buffers have one writer, but for those of values that loops carry: what runs around such a loop, and all in it,
//     reads them before they are written again.
//   - A result of the function, of an `if` or of a loop is written where it belongs by the kernel that computes it,
//     where that is of the same region; else it is copied.
//   - A size that is the value of an input is bound when the host function begins, any other where its op stands.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"
#include "loops/host_buffers.h"
#include "loops/kernel_functions.h"
#include "loops/launched_functions.h"

namespace mlgc::loops {

class HostLowering {
 public:
  // Precondition: the plan, which is of the function, misses nothing.
  HostLowering(Module& module, FuncRef function, KernelFunctions& kernels, LaunchPlan plan);
  HostLowering(const HostLowering&) = delete;
  HostLowering& operator=(const HostLowering&) = delete;

  // Makes kernels and host function, in whose place the graph function is then.
  void run();

 private:
  // --- the function (host_lowering.cpp)
  [[nodiscard]] std::vector<std::string> names_of_returned() const;
  std::vector<Value> bind_arguments(RegionRef body, std::vector<std::string> names);
  void fill(RegionRef body, std::span<const Value> returned, std::span<const Value> outputs);

  // --- regions (host_control.cpp)
  Value scalar(Value v);
  Attribute brackets(OpRef op, std::vector<Value>& operands);
  void lower_region(RegionRef region);
  void lower_op(OpRef op);
  void lower_call(const LaunchedCall& call);
  void bind_size(OpRef op, Value buffer);
  void lower_nonzero(OpRef op);
  void inside(RegionRef graph, OpRef made, std::size_t region, const std::function<void()>& fill);
  void lower_if(OpRef op);
  void lower_while(OpRef op);
  void lower_for(OpRef op);
  void lower_scan(OpRef op);
  std::vector<Value> start_carried(std::span<const Value> initial, std::span<const Value> results);
  void carry(std::span<const Value> next, std::span<const Value> into);
  OpRef make_for(Attribute bounds, const std::vector<Value>& operands, std::string_view index);
  void copy_row(Value from, Value to, bool from_row, Value index, IndexExpr row);

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FuncRef function_;
  KernelFunctions& kernels_;
  Builder builder_;
  LaunchedFunctions functions_;
  HostBuffers buffers_;
  std::unordered_map<ValueId, Value> scalars_;  // indices, truths and sizes that are not tensors
};

}  // namespace mlgc::loops
