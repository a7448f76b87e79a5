// See origins.h.
#include "import/python/origins.h"

#include "import/program/convert.h"
#include "import/program/locations.h"

namespace mlgc::python {

program::Node described(const Program& program, const Node& node, std::string target) {
  program::Node out;
  out.target = std::move(target);
  out.name = !node.outputs.empty() ? program::identifier(program.values[node.outputs[0]].name) : "";
  out.stack_trace = node.stack;
  if (!node.module.empty()) out.module_stack = node.module + "," + node.module + ",";
  return out;
}

Location ScriptOrigins::location(const Node& node) const {
  return program::location_of(described(program_, node, node.kind), locations_);
}

}  // namespace mlgc::python
