// The Python value that each numbered value of a program has now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "import/python/program.h"
#include "import/python/python_value.h"

namespace mlgc::python {

class Values {
 public:
  explicit Values(std::size_t count) : values_(count) {}

  void set(std::uint32_t value, PythonValue to) { values_[value] = std::move(to); }
  [[nodiscard]] const PythonValue& get(std::uint32_t value) const { return values_[value]; }
  [[nodiscard]] const PythonValue& input(const Node& node, std::size_t i) const { return get(node.inputs[i]); }
  [[nodiscard]] std::vector<PythonValue> inputs(const Node& node) const {
    std::vector<PythonValue> out;
    for (const std::uint32_t value : node.inputs) out.push_back(get(value));
    return out;
  }
  void set_output(const Node& node, std::size_t i, PythonValue to) { set(node.outputs[i], std::move(to)); }

 private:
  std::vector<PythonValue> values_;  // by number
};

}  // namespace mlgc::python
