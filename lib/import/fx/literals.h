// Literals of a graph as Python's values.
#pragma once

#include "import/fx/place.h"
#include "import/python/values.h"

namespace mlgc::fx {

class Literals {
 public:
  Literals(const python::FunctionBuilder& builder, const python::Values& values, ValueNumbers numbers)
      : builder_(builder), values_(values), numbers_(numbers) {}
  // A node is what it gave.
  [[nodiscard]] PythonValue value(const Literal& literal) const;

 private:
  const python::FunctionBuilder& builder_;
  const python::Values& values_;
  ValueNumbers numbers_;
};

}  // namespace mlgc::fx
