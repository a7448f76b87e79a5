// Constants of a program, and what the attributes of its modules are now.
//
// What gives a bool or an optional is false or nothing after a diagnostic.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "import/python/function_builder.h"
#include "import/python/program.h"
#include "import/python/python_value.h"

namespace mlgc::python {

// Where the values of constant tensors and attributes come from.
class TensorSource {
 public:
  TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;
  virtual ~TensorSource() = default;
  // The tensor under a path of the model (`fc.weight`); of a constant of the program the path is empty. It is defined
  // at the start of the function. Error: what it has that
  // is not supported, as `the element type ComplexHalf`.
  [[nodiscard]] virtual Result<Tensor> find(std::size_t number, const std::string& path) = 0;
};

class ModelAttributes {
 public:
  ModelAttributes(const Program& program, TensorSource& tensors, const FunctionBuilder& builder)
      : program_(program), tensors_(tensors), builder_(builder) {}

  // `owner` is the module that holds it as its attribute `path`; null for a constant of the program.
  [[nodiscard]] PythonValue constant(const Constant& constant, const Object* owner = nullptr,
                                     const std::string& path = "");
  [[nodiscard]] std::optional<PythonValue> get(const Node& node, const PythonValue& object, const std::string& name);
  [[nodiscard]] bool set(const Node& node, const PythonValue& object, const std::string& name,
                         const PythonValue& value);
  // The tensor of the program of that number, as the attribute `path`.
  [[nodiscard]] std::optional<PythonValue> tensor(const Node& node, std::size_t number, const std::string& path);

  // Attributes that were read or set, by path. Null: that was not.
  [[nodiscard]] const PythonValue* find(const std::string& path) const;

 private:
  [[nodiscard]] std::string tensor_path(std::int64_t number, const Object* owner, const std::string& place) const;

  const Program& program_;
  TensorSource& tensors_;
  const FunctionBuilder& builder_;
  std::map<std::string, PythonValue> held_;  // by path
};

}  // namespace mlgc::python
