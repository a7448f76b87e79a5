// See interpreter.h.
#include "import/python/interpreter.h"

#include <algorithm>

#include "diag/kinds_import.h"

namespace mlgc::python {

Interpreter::Interpreter(const Program& program, const NodeOrigins& origins, program::GraphScope& scope,
                         TensorSource& tensors, Location file)
    : values_(program.values.size()),
      builder_(program, origins, scope, file),
      tensors_(builder_),
      attributes_(program, tensors, builder_),
      results_(program, builder_),
      data_sizes_(scope.context(), scope.builder.region()),
      torch_calls_(builder_, tensors_, results_),
      aten_calls_(values_, builder_, tensors_, results_, data_sizes_, torch_calls_),
      control_flow_(values_, builder_, tensors_, [this](const Block& block) { return run(block); }) {}

bool Interpreter::get_attribute(const Node& node) {
  std::optional<PythonValue> value = attributes_.get(node, values_.input(node, 0), node.name);
  if (!value) return false;
  values_.set_output(node, 0, *std::move(value));
  return true;
}

bool Interpreter::unpack(const Node& node) {
  const PythonValue& packed = values_.input(node, 0);
  const std::vector<PythonValue>* const items = packed.items();
  if (items == nullptr) return builder_.refuse<kArgumentKind>(node, "what is unpacked", kind_name(packed), "a list");
  if (items->size() != node.outputs.size())
    return builder_.refuse<kCountsDiffer>(node, items->size(), "items", node.outputs.size(), "names");
  for (std::size_t i = 0; i < node.outputs.size(); ++i) values_.set_output(node, i, (*items)[i]);
  return true;
}

// A list, tuple or dict of the inputs.
void Interpreter::construct(const Node& node) {
  auto items = std::make_shared<std::vector<PythonValue>>(values_.inputs(node));
  if (node.kind == "prim::ListConstruct") return values_.set_output(node, 0, {List{items, builder_.depth()}});
  if (node.kind == "prim::TupleConstruct") return values_.set_output(node, 0, {Tuple{items}});
  Dict dict{std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(), builder_.depth()};
  for (std::size_t i = 0; i + 1 < items->size(); i += 2) dict.items->emplace_back((*items)[i], (*items)[i + 1]);
  values_.set_output(node, 0, {dict});
}

// Nodes that only say how values are connected.
Ran Interpreter::run_structural(const Node& node) {
  const auto ended = [](bool sound) { return sound ? Ran::Yes : Ran::Failed; };
  const std::string_view kind = node.kind;
  if (kind == "prim::Constant") {
    values_.set_output(node, 0, attributes_.constant(*node.constant));
    return Ran::Yes;
  }
  if (kind == "prim::GetAttr") return ended(get_attribute(node));
  if (kind == "prim::SetAttr")
    return ended(attributes_.set(node, values_.input(node, 0), node.name, values_.input(node, 1)));
  if (kind == "prim::If") return ended(control_flow_.run_if(node));
  if (kind == "prim::Loop") return ended(control_flow_.run_loop(node));
  if (kind == "prim::ListConstruct" || kind == "prim::TupleConstruct" || kind == "prim::DictConstruct") {
    construct(node);
    return Ran::Yes;
  }
  if (kind == "prim::ListUnpack" || kind == "prim::TupleUnpack") return ended(unpack(node));
  if (kind == "prim::Uninitialized") {
    values_.set_output(node, 0, {Undefined()});
    return Ran::Yes;
  }
  if (kind == "prim::CallMethod" || kind == "prim::CallFunction") return ended(builder_.refuse<kCallNotInlined>(node));
  return Ran::No;
}

bool Interpreter::run(const Node& node) {
  if (const Ran ran = run_structural(node); ran != Ran::No) return ran == Ran::Yes;
  switch (run_python_operator(values_, builder_, tensors_, node)) {
    case Ran::Yes: return true;
    case Ran::Failed: return false;
    case Ran::No: break;
  }
  return aten_calls_.run(node);
}

bool Interpreter::run(const Block& block) {
  return std::all_of(block.nodes.begin(), block.nodes.end(), [this](const Node& node) { return run(node); });
}

}  // namespace mlgc::python
