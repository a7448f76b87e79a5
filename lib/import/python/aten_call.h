// A call of an ATen operator on its way to a node of an exported program: its arguments, and names and types of what
// it gives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "import/program/schema.h"
#include "import/python/function_builder.h"
#include "import/python/result_types.h"
#include "import/python/tensor_memory.h"

namespace mlgc::python {

struct AtenCall {
  const Node& node;
  std::string base;    // `add` of `aten::add_.Tensor`
  std::string target;  // `aten.add.Tensor`
  std::vector<PythonValue> operands;
  Tensor changed;  // in place
  program::Node made;
  CallArguments arguments;
  std::vector<std::string> results;  // names
  bool list = false;                 // whether they are the items of one list
};

// Gives the operands to the parameters, in their order. False after a diagnostic.
[[nodiscard]] bool bind_operands(FunctionBuilder& builder, TensorMemory& tensors, AtenCall& call,
                                 std::span<const program::SchemaArgument> parameters);

// What a program says of the results of its calls: how many there are, what they are called, and which are read.
class CallResults {
 public:
  CallResults(const Program& program, FunctionBuilder& builder);

  // For a value that no node of the program's own body speaks of.
  void set_used(std::uint32_t value, bool used) { used_[value] = used; }
  [[nodiscard]] std::string_view type_of(std::uint32_t value) const { return program_.values[value].type; }
  // States names and types of the results. No types: inference says them. False after a diagnostic.
  [[nodiscard]] bool state(AtenCall& call, std::span<const Type> types);

 private:
  void count_uses(const Block& block);

  const Program& program_;
  FunctionBuilder& builder_;
  std::vector<bool> used_;  // by number
};

}  // namespace mlgc::python
