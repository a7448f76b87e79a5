// See drop_tokens.h.
#include "import/pt2/drop_tokens.h"

#include <string_view>
#include <utility>
#include <vector>

#include "import/program/locations.h"
#include "import/program/schema.h"

namespace mlgc::pt2 {

namespace {

using program::Argument;
using program::Node;

// Of a graph's inputs with their specs, or its outputs.
template <class Spec>
void drop(std::vector<Argument>& values, std::vector<Spec>& specs) {
  std::vector<Argument> values_left;
  std::vector<Spec> specs_left;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].kind == Spec::Kind::Other && specs[i].target == "token") continue;
    values_left.push_back(std::move(values[i]));
    specs_left.push_back(std::move(specs[i]));
  }
  values = std::move(values_left);
  specs = std::move(specs_left);
}

// A token and the operator stand before its arguments, which have no names where the operator's schema has, and a token
// before its results.
void call_operator(Node& node) {
  node.target = node.inputs[1].value.names.front();
  node.inputs.erase(node.inputs.begin(), node.inputs.begin() + 2);
  node.outputs.erase(node.outputs.begin());
  std::erase_if(node.outputs, [](const Argument& output) { return output.none(); });
  const std::optional<program::Schema> schema = program::find_schema(program::short_target(node.target));
  for (std::size_t i = 0; schema && i < node.inputs.size() && i < schema->arguments.size(); ++i)
    if (node.inputs[i].name.empty()) node.inputs[i].name = schema->arguments[i].name;
}

}  // namespace

void drop_tokens(program::Program& program) {
  drop(program.graph.inputs, program.inputs);
  drop(program.graph.outputs, program.outputs);
  for (Node& node : program.graph.nodes)
    if (node.target == "torch.ops.higher_order.with_effects" && node.inputs.size() >= 2 && !node.outputs.empty() &&
        node.inputs[1].value.is(Argument::Kind::Other) && !node.inputs[1].value.names.empty())
      call_operator(node);
}

}  // namespace mlgc::pt2
