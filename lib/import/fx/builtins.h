// Functions and methods of Python that work on its values rather than on tensors' elements: attributes, subscripts,
// sizes, numbers, containers. What gives a value gives nothing after a diagnostic.
#pragma once

#include <optional>
#include <string_view>

#include "import/fx/modules.h"
#include "import/fx/operators.h"
#include "import/python/tensor_memory.h"

namespace mlgc::fx {

class Builtins {
 public:
  Builtins(Place place, Operators& operators, Modules& modules, python::TensorMemory& tensors)
      : place_(place), operators_(operators), modules_(modules), tensors_(tensors) {}

  [[nodiscard]] static bool is_function(std::string_view name) { return function(name) != nullptr; }
  [[nodiscard]] static bool is_method(std::string_view name) { return method(name) != nullptr; }
  // Of what is one.
  [[nodiscard]] Given call_function(std::string_view name, Arguments& arguments) {
    return call(function(name), name, arguments);
  }
  [[nodiscard]] Given call_method(std::string_view name, Arguments& arguments) {
    return call(method(name), name, arguments);
  }
  [[nodiscard]] Given attribute(const PythonValue& object, const std::string& name);

 private:
  using Builtin = Given (Builtins::*)(std::string_view name, Arguments& arguments);
  [[nodiscard]] static Builtin function(std::string_view name);
  [[nodiscard]] static Builtin method(std::string_view name);
  [[nodiscard]] Given call(Builtin builtin, std::string_view name, Arguments& arguments);

  Given run_getattr(std::string_view name, Arguments& arguments);
  Given run_getitem(std::string_view name, Arguments& arguments);
  Given run_operator(std::string_view name, Arguments& arguments);
  Given run_number(std::string_view name, Arguments& arguments);
  Given run_size(std::string_view name, Arguments& arguments);
  Given run_query(std::string_view name, Arguments& arguments);
  Given run_container(std::string_view name, Arguments& arguments);
  Given run_to(std::string_view name, Arguments& arguments);
  Given run_helper(std::string_view name, Arguments& arguments);
  Given subscript(const PythonValue& tensor, const PythonValue& key);
  // Whether two values are equal in Python; Undefined where that depends on sizes or data.
  [[nodiscard]] PythonValue equal(const PythonValue& a, const PythonValue& b);
  // The number itself, unless it left 64 bits.
  Given in_range(Given number);
  // An index or a bound of a slice, which counts from the end when it is less than 0. Constants stay as they are, for
  // operators of ATen wrap those.
  Given from_start(const PythonValue& position, IndexExpr size, bool clamped);
  Given asserted(const PythonValue& condition, const PythonValue& message);
  Given parameters(const PythonValue& module);
  Given power(const PythonValue& base, const PythonValue& exponent);

  Place place_;
  Operators& operators_;
  Modules& modules_;
  python::TensorMemory& tensors_;
};

}  // namespace mlgc::fx
