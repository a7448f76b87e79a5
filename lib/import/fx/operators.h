// Calls of operators by Python's names and arguments: of ATen, of which the overload is taken whose arguments are those
// given, and of those of the interpreter that work on Python's values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/fx/place.h"
#include "import/program/schema.h"
#include "import/python/interpreter.h"

namespace mlgc::fx {

// Whether there is an ATen operator of that name; `name_` changes its first operand.
[[nodiscard]] bool known_base(const python::FunctionBuilder& builder, std::string_view base);

class Operators {
 public:
  Operators(Place place, python::Interpreter& interpreter, ValueNumbers numbers)
      : place_(place), interpreter_(interpreter), numbers_(numbers) {}

  // The ATen operator of that name, with `overload` that one where there is one.
  [[nodiscard]] Given call_aten(std::string_view base, Arguments arguments, std::string_view overload = "");
  // An operator of Python's values by the name that TorchScript has for it, as `aten::size`.
  [[nodiscard]] Given call_python(const std::string& kind, std::span<const PythonValue> operands);

 private:
  // `relu.default`, of operands in the order of its schema; an undefined one is left out.
  [[nodiscard]] Given call_overload(std::string_view name, std::vector<PythonValue> operands);
  [[nodiscard]] PythonValue default_of(const program::SchemaArgument& argument) const;
  [[nodiscard]] const python::Node& make_node(const std::string& kind, std::span<const PythonValue> operands,
                                              std::size_t results, bool list);

  Place place_;
  python::Interpreter& interpreter_;
  ValueNumbers numbers_;
};

}  // namespace mlgc::fx
