// Private to lib/loops: a formula as a loop function in which each statement is a nest by itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/builder.h"
#include "loops/expression_lowering.h"
#include "loops/scalar_builder.h"
#include "loops/tensor_buffers.h"

namespace mlgc::loops {

// Appends `func @name`, whose arguments are the buffers of the tensors, in order; goes on inside of it.
OpRef declare_function(Builder& builder, const Formula& formula, std::string_view name,
                       std::span<const TensorId> arguments, TensorBuffers& tensors);

class StatementLowering {
 public:
  // All three must outlive this.
  StatementLowering(Module& module, const Formula& formula, const Facts& facts);

  OpRef run(std::string_view name, std::span<const TensorId> arguments);

 private:
  void statement(const Statement& st);
  void initialise(const Statement& st);
  void write(const Statement& st);

  const Formula& formula_;
  Builder builder_;
  TensorBuffers tensors_;
  ScalarBuilder ops_;
  ExpressionLowering expressions_;
  std::uint32_t next_label_;  // numbers beyond those of the formula
};

}  // namespace mlgc::loops
