// Where a graph runs: the node of it, and the function that the node adds ops to.
#pragma once

#include <optional>
#include <string>

#include "import/fx/arguments.h"
#include "import/fx/call_sites.h"
#include "import/python/function_builder.h"

namespace mlgc::fx {

struct Place {
  python::FunctionBuilder& builder;
  CallSites& sites;

  [[nodiscard]] const python::Node& node() const { return sites.here(); }
  [[nodiscard]] IndexPool& index() const { return builder.index(); }
  // The diagnostic of why the node cannot be imported, as FunctionBuilder::refuse().
  template <const DiagKind& K, class... Args>
  std::nullopt_t refuse(Args&&... args) const {
    builder.refuse<K>(node(), std::forward<Args>(args)...);
    return std::nullopt;
  }
};

// Whether Python takes the value for true; nothing after a diagnostic.
[[nodiscard]] std::optional<bool> truth(const Place& place, const PythonValue& value);

}  // namespace mlgc::fx
