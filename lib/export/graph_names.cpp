// See graph_names.h.
#include "export/graph_names.h"

#include "text/printer.h"

namespace mlgc {

GraphNames::GraphNames(const Module& module) {
  for (auto& [name, value] : printed_names(module)) names_.emplace(value.id(), std::move(name));
}

std::string GraphNames::of(Value value) const {
  if (const auto found = names_.find(value.id()); found != names_.end()) return found->second;
  return value.name().empty() ? "arg" + std::to_string(value.number()) : std::string(value.name());
}

}  // namespace mlgc
