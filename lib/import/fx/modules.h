// The modules and tensors that the file of a graph holds, as Python reads them. What gives a value gives nothing after
// a diagnostic.
#pragma once

#include "import/fx/literals.h"
#include "import/fx/place.h"
#include "import/python/model_attributes.h"

namespace mlgc::fx {

class Modules {
 public:
  Modules(const Graph& graph, Place place, const Literals& literals, python::ModelAttributes& attributes)
      : graph_(graph), place_(place), literals_(literals), attributes_(attributes) {}

  // The class of a module, as `torch.nn.modules.linear.Linear`; null: there is no such module.
  [[nodiscard]] const std::string* type(const std::string& path) const;
  [[nodiscard]] Given tensor(const std::string& path);
  [[nodiscard]] Given attribute(const Object& module, const std::string& name);
  // The modules in one, in their order.
  [[nodiscard]] Given children(const PythonValue& module) const;

 private:
  const Graph& graph_;
  Place place_;
  const Literals& literals_;
  python::ModelAttributes& attributes_;
};

}  // namespace mlgc::fx
