// Private to lib/loops: the functions that one host function launches, and the weights that hold its constants.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "loops/kernel_functions.h"
#include "loops/launch_plan.h"

namespace mlgc::loops {

// A launch on the buffers of these values.
struct LaunchedCall {
  OpRef function;
  std::vector<Value> operands, results;
};

// What is launched for `nonzero`: before its size is known, and after; no `write` where the positions are not read, or
// have no elements.
struct LaunchedPositions {
  OpRef count, write;
};

class LaunchedFunctions {
 public:
  // Precondition: the plan misses nothing.
  LaunchedFunctions(Module& module, FuncRef function, KernelFunctions& kernels, LaunchPlan plan);

  // Makes them in the order of the program. Before that, segments yield only what is read, and the function states the
  // constraints of all sizes that ops in it introduce.
  void make();

  // Null where the op launches nothing.
  [[nodiscard]] const LaunchedCall* call(OpRef op) const;
  [[nodiscard]] const LaunchedPositions* positions(OpRef nonzero) const;
  // The weight that a constant with unequal elements is, if the value is one.
  [[nodiscard]] std::optional<std::string_view> constant(Value v) const;
  // What copies the tensor of such a value (KernelFunctions::copy()).
  OpRef copy(Value v) { return kernels_.copy(v, function_, plan_.facts.of(function_.op())); }
  [[nodiscard]] const LaunchPlan& plan() const { return plan_; }

 private:
  void simplify_segments();
  std::string derive_constant(OpRef constant);
  void plan_sizes();
  OpRef make_function(OpRef op, const Launch& launch);
  LaunchedPositions make_positions(OpRef op);

  Module& module_;
  Context& context_;
  FuncRef function_;
  KernelFunctions& kernels_;
  LaunchPlan plan_;
  std::unordered_map<OpId, LaunchedCall> calls_;
  std::unordered_map<OpId, LaunchedPositions> positions_;
  std::unordered_map<ValueId, std::string> constants_;
  std::size_t derived_ = 0;  // weights that were made of constants
};

}  // namespace mlgc::loops
