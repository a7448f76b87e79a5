// Runs a program over Python's values of which only a part is known: what depends on tensors' elements becomes ops of
// the function that is built, everything else is computed here.
//
// Guarantees
//   - Python values, and what is made of sizes, are computed exactly; sizes that are symbols are index expressions.
//   - Every ATen operator is a node that goes through the conversion of exported programs (aten_calls.h).
//   - Control flow, changes in place and errors are as control_flow.h, tensor_memory.h and function_builder.h say.
#pragma once

#include "import/python/aten_calls.h"
#include "import/python/control_flow.h"
#include "import/python/model_attributes.h"
#include "import/python/python_operators.h"

namespace mlgc::python {

// The parts that a program is run with, and the dispatch of its nodes to them.
class Interpreter {
 public:
  // `file` is where an error points to that no line of the program is known for.
  Interpreter(const Program& program, const NodeOrigins& origins, program::GraphScope& scope, TensorSource& tensors,
              Location file);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // False after a diagnostic.
  [[nodiscard]] bool run(const Node& node);
  [[nodiscard]] bool run(const Block& block);

  [[nodiscard]] Values& values() { return values_; }
  [[nodiscard]] FunctionBuilder& builder() { return builder_; }
  [[nodiscard]] TensorMemory& tensors() { return tensors_; }
  [[nodiscard]] ModelAttributes& attributes() { return attributes_; }
  [[nodiscard]] CallResults& results() { return results_; }
  [[nodiscard]] DataSizes& data_sizes() { return data_sizes_; }
  [[nodiscard]] TorchCalls& torch_calls() { return torch_calls_; }

 private:
  [[nodiscard]] Ran run_structural(const Node& node);
  [[nodiscard]] bool get_attribute(const Node& node);
  [[nodiscard]] bool unpack(const Node& node);
  void construct(const Node& node);

  Values values_;
  FunctionBuilder builder_;
  TensorMemory tensors_;
  ModelAttributes attributes_;
  CallResults results_;
  DataSizes data_sizes_;
  TorchCalls torch_calls_;
  AtenCalls aten_calls_;
  ControlFlow control_flow_;
};

}  // namespace mlgc::python
