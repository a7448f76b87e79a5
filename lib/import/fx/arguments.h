// Python's values as a graph of torch.fx computes with them, and the arguments of a call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/python/python_value.h"

namespace mlgc::fx {

using python::Computed;
using python::Device;
using python::Dict;
using python::Ellipsis;
using python::Foreign;
using python::List;
using python::None;
using python::Object;
using python::PythonValue;
using python::Slice;
using python::Tensor;
using python::TorchConstant;
using python::Tuple;

// What a call gives; nothing after a diagnostic.
using Given = std::optional<PythonValue>;

struct Arguments {
  std::vector<PythonValue> positional;
  std::vector<std::pair<std::string, PythonValue>> keywords;

  // Takes a keyword out.
  std::optional<PythonValue> take(std::string_view name);
};

}  // namespace mlgc::fx
