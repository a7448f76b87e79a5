// Runs nodes of ATen operators: each becomes a node of an exported program, whose conversion builds ops, and its
// results are values of their own, views of the first operand, or what that becomes in place.
#pragma once

#include "import/python/aten_call.h"
#include "import/python/data_sizes.h"
#include "import/python/torch_calls.h"
#include "import/python/values.h"

namespace mlgc::python {

class AtenCalls {
 public:
  AtenCalls(Values& values, FunctionBuilder& builder, TensorMemory& tensors, CallResults& results, DataSizes& sizes,
            TorchCalls& torch)
      : values_(values), builder_(builder), tensors_(tensors), results_(results), sizes_(sizes), torch_(torch) {}

  // Sets the outputs of the node. False after a diagnostic.
  [[nodiscard]] bool run(const Node& node);

 private:
  [[nodiscard]] bool convert(AtenCall& call);
  [[nodiscard]] bool give_results(const AtenCall& call);
  [[nodiscard]] bool change_operand(const AtenCall& call, Value value);
  void make_view(const AtenCall& call, const Tensor& first, const Tensor& made, std::size_t output) const;

  Values& values_;
  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  CallResults& results_;
  DataSizes& sizes_;
  TorchCalls& torch_;
};

}  // namespace mlgc::python
