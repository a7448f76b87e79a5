// Values of several ways to one place of a program, as results of one op.
//
// What is the same on all ways stays as it is; tensors and numbers become values that each way gives, and results of
// the op; lists and tuples are merged item by item.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "import/python/tensor_memory.h"

namespace mlgc::python {

class Merge {
 public:
  // `what` names the ways in messages (`its two branches`); a tensor of the memory of one of `changed` cannot be given.
  Merge(FunctionBuilder& builder, TensorMemory& tensors, const Node& node, std::string_view what,
        std::vector<program::GraphScope*> scopes, std::span<const Tensor> changed)
      : builder_(builder),
        tensors_(tensors),
        node_(node),
        what_(what),
        scopes_(std::move(scopes)),
        given_(scopes_.size()),
        changed_(changed) {}

  // Adds what the ways give. False after a diagnostic.
  [[nodiscard]] bool collect(std::span<const PythonValue> ways);
  // Adds a value that way `way` gives.
  void add(std::size_t way, Value value) { given_[way].push_back(value); }
  // What a way gives, in the order of the results.
  [[nodiscard]] std::span<const Value> given(std::size_t way) const { return given_[way]; }
  // What collect() was given, after the ways were merged: takes results one by one, from `next` on.
  [[nodiscard]] PythonValue rebuild(std::span<const PythonValue> ways, std::span<const Value> results,
                                    std::size_t& next) const;

 private:
  [[nodiscard]] bool collect_items(std::span<const PythonValue> ways, std::size_t count);
  [[nodiscard]] Value value_of(const PythonValue& value);
  [[nodiscard]] Value anything(Type type);

  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  const Node& node_;
  std::string_view what_;
  std::vector<program::GraphScope*> scopes_;
  std::vector<std::vector<Value>> given_;  // by way
  std::span<const Tensor> changed_;        // in place, on one of the ways
};

}  // namespace mlgc::python
