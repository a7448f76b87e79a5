// Private to lib/loops: a kernel's formula as a loop function with its rows as parallel loops, the steps of a row
// inside (kernel_steps.h), and loops that statements of one step share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "fusion/kernel_formula.h"
#include "ir/builder.h"
#include "loops/expression_lowering.h"
#include "loops/kernel_steps.h"
#include "loops/scalar_builder.h"
#include "loops/tensor_buffers.h"

namespace mlgc::loops {

class KernelLowering {
 public:
  // All three must outlive this. Precondition: that of plan_steps().
  KernelLowering(Module& module, const KernelFormula& kernel, const Facts& facts);

  OpRef run(std::string_view name, std::span<const TensorId> arguments);

 private:
  void row_loops(std::size_t depth);
  void row();
  void allocate_row();
  void run_shared(const SharedNest& shared);
  void run_level(const SharedNest& shared, std::size_t depth, Values& carried,
                 const std::vector<Accumulator>& accumulators);
  void run_element(const SharedNest& shared, Values& carried, const std::vector<Accumulator>& accumulators);
  // What the statement computes at the index labels that have loops here: stored where a later nest reads it, and the
  // value of a read of it here.
  void element(const Statement& st);
  // The index labels of the kernel on the axis of one of them.
  [[nodiscard]] std::vector<AtomId> same_axis(AtomId label) const;

  const KernelFormula& kernel_;
  const Formula& formula_;
  Builder builder_;
  TensorBuffers tensors_;
  ScalarBuilder ops_;
  ExpressionLowering expressions_;
  KernelSteps planned_;
  std::vector<AtomId> labels_;  // of statements and reductions
};

}  // namespace mlgc::loops
