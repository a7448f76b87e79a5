// What a call of Python means by its name, first match:
//   1. what works on Python's values: operator.getitem, builtins.getattr, Tensor.size, … (builtins.h)
//   2. a def of prelude.cpp
//   3. the ATen operator of that name: `torch.add`, `operator.add` and `x.add` are aten.add (operators.h)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "import/fx/builtins.h"
#include "import/fx/prelude_runner.h"

namespace mlgc::fx {

// How messages call what a node calls, where that is not known.
[[nodiscard]] std::optional<std::string> unknown_target(const python::FunctionBuilder& builder, const Graph& graph,
                                                        const Node& node);

class Calls final : public Callables {
 public:
  Calls(Place place, Operators& operators, Modules& modules, python::TensorMemory& tensors)
      : place_(place),
        operators_(operators),
        modules_(modules),
        builtins_(place, operators, modules, tensors),
        prelude_(place, *this) {}

  [[nodiscard]] Given call_function(std::string_view name, Arguments arguments) override;
  [[nodiscard]] Given call_method(std::string_view name, Arguments arguments) override;
  [[nodiscard]] Given call_module(const std::string& path, Arguments arguments) override;
  [[nodiscard]] Given attribute(const PythonValue& object, const std::string& name) override;

 private:
  Place place_;
  Operators& operators_;
  Modules& modules_;
  Builtins builtins_;
  PreludeRunner prelude_;
};

}  // namespace mlgc::fx
