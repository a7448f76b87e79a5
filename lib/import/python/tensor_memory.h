// What each tensor of a program is now: which tensors share memory, changes in place, and what a region changed.
//
// Guarantees
//   - A change in place gives the tensor a new value, and what it is a view of too. Other views of the same memory are
//     made again when they are next read; where that cannot be, the read is an error.
//   - What gives a Value or a bool is invalid or false after a diagnostic.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "import/python/function_builder.h"
#include "import/python/python_value.h"

namespace mlgc::python {

class TensorMemory {
 public:
  explicit TensorMemory(FunctionBuilder& builder) : builder_(builder) {}

  // A tensor of its own memory.
  [[nodiscard]] Tensor create(Value value) const;
  [[nodiscard]] Value value(const Node& node, const Tensor& tensor);
  // A tensor or number as a value.
  [[nodiscard]] Value value(const Node& node, const PythonValue& value);
  // `tensor` has another value from now on.
  bool change(const Node& node, const Tensor& tensor, Value value);
  // The memory has changed, and with it what may be the same.
  void touch(const Node& node, const std::shared_ptr<Memory>& memory);
  // The two may be the same memory.
  static void link(const std::shared_ptr<Memory>& a, const std::shared_ptr<Memory>& b);

  // What tensors and memories from outside of a region were before the region touched them.
  struct Changes {
    struct Saved {
      Value value;
      int version = 0;
      std::optional<IndexExpr> number;
      bool changed = false;  // in place, and not only made again
    };
    std::map<Tensor, Saved> tensors;
    std::map<std::shared_ptr<Memory>, std::pair<int, const Node*>> memories;
    std::vector<Tensor> changed;  // those that are not views, in the order of their first change
  };
  // Changes are kept in `changes` from now on; null: not at all. Returns where they were kept. For class Region.
  Changes* record(Changes* changes) { return std::exchange(changes_, changes); }

 private:
  void save(const Tensor& tensor, bool changed);
  void save(const std::shared_ptr<Memory>& memory);
  [[nodiscard]] Value view_again(const Node& node, const Tensor& tensor);
  [[nodiscard]] Value whole_of(const Node& node, const Tensor& view, Value value);
  [[nodiscard]] Value convert_view(const Node& node, program::Node made, std::span<const Type> types,
                                   std::size_t output);

  FunctionBuilder& builder_;
  Changes* changes_ = nullptr;  // of the innermost region; null outside of all
};

// A region of an op while it is filled: ops go to its scope, and changes of tensors from outside are recorded.
class Region {
 public:
  Region(FunctionBuilder& builder, TensorMemory& tensors, program::GraphScope& scope)
      : builder_(builder), tensors_(tensors), outer_(builder.enter(scope)), around_(tensors.record(&changes_)) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    tensors_.record(around_);
    builder_.leave(outer_);
  }
  [[nodiscard]] const TensorMemory::Changes& changes() const { return changes_; }
  // What is from outside is again what it was before.
  void restore();

 private:
  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  program::GraphScope& outer_;
  TensorMemory::Changes changes_;
  TensorMemory::Changes* around_;
};

}  // namespace mlgc::python
