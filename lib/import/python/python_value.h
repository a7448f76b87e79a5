// What a program computes with while it is interpreted: Python's values as far as they are known, and
// values of the function that is built.
//
// Guarantees
//   - Tensors and lists are references, as in Python: who changes one changes it for all names of it.
//   - A tensor knows the memory that it shares with others. After a change in place through one of them the others are
//     out of date, and current() says so. A view knows how it was made, so that it can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "import/program/functionalise.h"
#include "import/python/program.h"
#include "ir/handles.h"
#include "ir/index_expr.h"

namespace mlgc::python {

struct PythonValue;

struct TensorVariable;
struct Memory {
  int version = 0;
  std::size_t depth = 0;  // of the region that made it
  // Of an input, a weight or a buffer; others are known inside the program only.
  bool outside = false;
  const TensorVariable* owner = nullptr;  // the tensor that it was made for
  const Node* changed_by = nullptr;       // the last one that changed it in place
  // What may be the same memory: that of a result of a branch or loop, and those that its ways give. A change to one
  // of them is one to all.
  std::vector<std::weak_ptr<Memory>> kin;
};

// The node that made a view; its first argument is what it is a view of.
struct ViewMaker {
  program::Node node;
  std::vector<Type> types;  // of its results
};

// What one tensor object of the program is now.
struct TensorVariable {
  Value value;  // invalid: `number`, which has not been needed as a value yet
  std::shared_ptr<Memory> memory;
  int version = 0;
  std::size_t depth = 0;            // of the region that made it
  std::optional<IndexExpr> number;  // of rank 0, i64: what it holds, where that is known
  // Of a view that is made again when it is out of date, and through which changes go; else null.
  std::shared_ptr<TensorVariable> base;
  std::shared_ptr<const ViewMaker> maker;
  std::size_t output = 0;  // of the maker
  program::Sharing sharing = program::Sharing::Perhaps;
  [[nodiscard]] bool current() const { return version == memory->version; }
};
using Tensor = std::shared_ptr<TensorVariable>;

struct Undefined {};  // a name without a value (prim::Uninitialized)
struct None {};       // Python's
struct Computed {     // a number that depends on data: i64, f64 or i1 of rank 0
  Value value;
};
struct Device {
  std::string name;
};
struct Object {  // a module; its path is empty for the model itself
  std::size_t number = 0;
  std::string path;
};
// The depth of lists and dicts that stand in the file.
inline constexpr auto kOfTheModel = static_cast<std::size_t>(-1);
struct List {
  std::shared_ptr<std::vector<PythonValue>> items;
  std::size_t depth = 0;
};
struct Tuple {
  std::shared_ptr<std::vector<PythonValue>> items;
};
struct Dict {
  std::shared_ptr<std::vector<std::pair<PythonValue, PythonValue>>> items;  // in the order of insertion
  std::size_t depth = 0;
};
struct TorchConstant {  // of Python's torch: c10's number of an element type, a layout or a memory format
  enum class Kind : std::uint8_t { Dtype, Layout, MemoryFormat };
  Kind kind = Kind::Dtype;
  std::int64_t number = 0;
};
struct Slice {  // start, stop and step
  std::shared_ptr<std::vector<PythonValue>> bounds;
};
struct Ellipsis {};
struct Foreign {  // something that nothing here can be done with
  std::string type;
};

struct PythonValue {
  std::variant<Undefined, None, bool, IndexExpr, double, std::string, Computed, Tensor, List, Tuple, Dict, Object,
               Device, TorchConstant, Slice, Ellipsis, Foreign>
      held;

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(held);
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&held);
  }
  [[nodiscard]] bool number() const { return is<bool>() || is<IndexExpr>() || is<double>() || is<Computed>(); }
  // Items of a list or tuple, else null.
  [[nodiscard]] std::vector<PythonValue>* items() const {
    if (const List* list = as<List>()) return list->items.get();
    if (const Tuple* tuple = as<Tuple>()) return tuple->items.get();
    return nullptr;
  }
};

// Of two known values whether they are surely the same; of tensors whether they are one object.
[[nodiscard]] bool identical(const PythonValue& a, const PythonValue& b);
// `int`, `Tensor`, …: for messages.
[[nodiscard]] std::string kind_name(const PythonValue& value);

}  // namespace mlgc::python
