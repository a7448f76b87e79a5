// Branches and loops. A branch whose condition is known is followed, any other becomes `if`. A loop whose steps are
// known is unrolled up to kMaxUnrolled nodes; from where that is not so it becomes `while`.
//
// What gives a bool is false after a diagnostic.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "import/python/tensor_memory.h"
#include "import/python/values.h"

namespace mlgc::python {

// Nodes that the steps of one loop may come to before it becomes `while`.
inline constexpr std::size_t kMaxUnrolled = 4096;

class ControlFlow {
 public:
  using RunBlock = std::function<bool(const Block&)>;

  ControlFlow(Values& values, FunctionBuilder& builder, TensorMemory& tensors, RunBlock run)
      : values_(values), builder_(builder), tensors_(tensors), run_(std::move(run)) {}

  // Nodes prim::If and prim::Loop.
  [[nodiscard]] bool run_if(const Node& node);
  [[nodiscard]] bool run_loop(const Node& node);

 private:
  struct Loop;

  [[nodiscard]] bool undecided_if(const Node& node, Value condition);
  [[nodiscard]] bool iterations_independent(const Block& body, std::span<const Tensor> arguments,
                                            const TensorMemory::Changes& changes, std::size_t depth) const;
  [[nodiscard]] bool reads_any(const Block& block, const TensorMemory::Changes& changes) const;
  [[nodiscard]] bool emit_while(Loop& loop);
  [[nodiscard]] bool begin_while(Loop& loop, std::vector<Value>& initial);
  [[nodiscard]] bool emit_condition(const Loop& loop, std::span<const Value> arguments);
  [[nodiscard]] std::vector<Tensor> set_arguments(const Loop& loop);
  [[nodiscard]] bool yield(const Loop& loop, std::span<const Value> initial);
  void give_results(Loop& loop);
  [[nodiscard]] Value carried_value(const Node& node, const PythonValue& value);

  Values& values_;
  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  RunBlock run_;
};

}  // namespace mlgc::python
