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

std::string GraphNames::path(OpRef op) const {
  std::string out = op.result_count() > 0 ? of(op.result(0)) : std::string(op.name());
  for (RegionRef region = op.parent(); region.parent_op().valid() && region.parent_op().result_count() > 0;
       region = region.parent_op().parent()) {
    const OpRef around = region.parent_op();
    out = of(around.result(0)) + "." + std::string(around.def().regions[region.number()].name) + "." + out;
  }
  return out;
}

}  // namespace mlgc
