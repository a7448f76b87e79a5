#include "import/torchscript/read_script.h"

#include <span>
#include <utility>

namespace mlgc::torchscript {
namespace {

python::Constant read(const mlgc_script_constant& constant) {
  // The forms of plugin_api.h, in their order.
  static_assert(static_cast<int>(python::Constant::Kind::Other) == MLGC_SCRIPT_OTHER);
  python::Constant out{static_cast<python::Constant::Kind>(constant.form), constant.integer, constant.real,
                       constant.text == nullptr ? "" : constant.text};
  for (const mlgc_script_constant& item : std::span(constant.items, constant.count)) out.items.push_back(read(item));
  return out;
}

python::Block read(const mlgc_script_block& block);

python::Node read(const mlgc_script_node& node) {
  python::Node out{node.kind,
                   node.name,
                   {node.inputs, node.inputs + node.input_count},
                   {node.outputs, node.outputs + node.output_count},
                   {},
                   {},
                   node.stack,
                   node.module,
                   node.line};
  for (const mlgc_script_block& block : std::span(node.blocks, node.block_count)) out.blocks.push_back(read(block));
  if (node.constant != nullptr) out.constant = read(*node.constant);
  return out;
}

python::Block read(const mlgc_script_block& block) {
  python::Block out{
      {block.inputs, block.inputs + block.input_count}, {block.outputs, block.outputs + block.output_count}, {}};
  out.nodes.reserve(block.node_count);
  for (const mlgc_script_node& node : std::span(block.nodes, block.node_count)) out.nodes.push_back(read(node));
  return out;
}

python::Input read(const mlgc_script_input& input) {
  python::Input out{input.name, input.type, {}, {}};
  if (input.fallback != nullptr) out.default_value = read(*input.fallback);
  if (input.traced != 0) out.traced = {static_cast<Dtype>(input.dtype), Shape(input.sizes, input.sizes + input.rank)};
  return out;
}

python::TensorData read(const mlgc_script_tensor& tensor) {
  python::TensorData out;
  if (tensor.dtype >= 0) out.dtype = static_cast<Dtype>(tensor.dtype);
  out.dtype_name = tensor.dtype_name;
  out.sizes = Shape(tensor.sizes, tensor.sizes + tensor.rank);
  out.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  out.offset = tensor.offset;
  out.storage = {static_cast<const std::byte*>(tensor.storage), tensor.storage_bytes};
  return out;
}

}  // namespace

std::shared_ptr<const python::Program> read_script(std::shared_ptr<const mlgc_script> script) {
  auto out = std::make_shared<python::Program>();
  out->body = read(script->body);
  for (const mlgc_script_value& value : std::span(script->values, script->value_count))
    out->values.push_back({value.name, value.type});
  for (const mlgc_script_input& input : std::span(script->inputs, script->input_count))
    out->inputs.push_back(read(input));
  for (const mlgc_script_object& object : std::span(script->objects, script->object_count)) {
    python::ObjectData& made = out->objects.emplace_back();
    for (const mlgc_script_attribute& attribute : std::span(object.attributes, object.attribute_count))
      made.attributes.push_back({attribute.name, read(attribute.value)});
  }
  for (const mlgc_script_tensor& tensor : std::span(script->tensors, script->tensor_count))
    out->tensors.push_back(read(tensor));
  out->owner = std::move(script);
  return out;
}

}  // namespace mlgc::torchscript
