// See model_attributes.h.
#include "import/python/model_attributes.h"

#include "diag/kinds_import.h"

namespace mlgc::python {

namespace {

std::string joined(const Object& object, const std::string& name) {
  return object.path.empty() ? name : object.path + "." + name;
}

}  // namespace

PythonValue ModelAttributes::constant(const Constant& constant, const Object* owner, const std::string& path) {
  const auto item = [&](std::size_t i) {
    return this->constant(constant.items[i], owner, path.empty() ? "" : path + "." + std::to_string(i));
  };
  const auto items = [&] {
    auto made = std::make_shared<std::vector<PythonValue>>();
    for (std::size_t i = 0; i < constant.items.size(); ++i) made->push_back(item(i));
    return made;
  };
  switch (constant.kind) {
    case Constant::Kind::None: return {None()};
    case Constant::Kind::Bool: return {constant.integer != 0};
    case Constant::Kind::Int: return {builder_.index().constant(constant.integer)};
    case Constant::Kind::Float: return {constant.real};
    case Constant::Kind::String: return {std::string(constant.text)};
    case Constant::Kind::Device: return {Device{constant.text}};
    case Constant::Kind::Object: return {Object{static_cast<std::size_t>(constant.integer), ""}};
    case Constant::Kind::List: return {List{items(), kOfTheModel}};
    case Constant::Kind::Tuple: return {Tuple{items()}};
    case Constant::Kind::Dict: {
      Dict dict{std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(), kOfTheModel};
      for (std::size_t i = 0; i + 1 < constant.items.size(); i += 2) {
        PythonValue key = item(i);
        dict.items->emplace_back(std::move(key), item(i + 1));
      }
      return {dict};
    }
    case Constant::Kind::Tensor: {
      const Result<Tensor> found =
          tensors_.find(static_cast<std::size_t>(constant.integer), tensor_path(constant.integer, owner, path));
      return found ? PythonValue{*found} : PythonValue{Foreign{found.error()}};
    }
    default: return {Foreign{constant.text}};
  }
}

// What a tensor in a list of a module is called: the attribute that holds it too, as `weight_ih_l0` of a recurrent
// layer, or else its place in the list.
std::string ModelAttributes::tensor_path(std::int64_t number, const Object* owner, const std::string& place) const {
  if (owner == nullptr) return place;
  const TensorData& wanted = program_.tensors[number];
  const ObjectData& held = program_.objects[owner->number];
  for (const Attribute& attribute : held.attributes) {
    if (attribute.value.kind != Constant::Kind::Tensor) continue;
    const TensorData& known = program_.tensors[attribute.value.integer];
    if (known.storage.data() == wanted.storage.data() && known.offset == wanted.offset && known.sizes == wanted.sizes &&
        known.strides == wanted.strides)
      return joined(*owner, attribute.name);
  }
  return place;
}

const PythonValue* ModelAttributes::find(const std::string& path) const {
  const auto known = held_.find(path);
  return known == held_.end() ? nullptr : &known->second;
}

std::optional<PythonValue> ModelAttributes::tensor(const Node& node, std::size_t number, const std::string& path) {
  const Result<Tensor> found = tensors_.find(number, path);
  if (!found) {
    builder_.refuse<kUnusableTensor>(node, path, found.error());
    return std::nullopt;
  }
  return held_.insert_or_assign(path, PythonValue{*found}).first->second;
}

std::optional<PythonValue> ModelAttributes::get(const Node& node, const PythonValue& object, const std::string& name) {
  const Object* const module = object.as<Object>();
  if (module == nullptr) {
    builder_.refuse<kArgumentKind>(node, "what has the attribute", kind_name(object), "a module");
    return std::nullopt;
  }
  const std::string path = joined(*module, name);
  if (const PythonValue* known = find(path)) return *known;
  const ObjectData& held = program_.objects[module->number];
  for (const Attribute& attribute : held.attributes) {
    if (attribute.name != name) continue;
    const auto number = static_cast<std::size_t>(attribute.value.integer);
    if (attribute.value.kind == Constant::Kind::Tensor) return tensor(node, number, path);
    PythonValue value = attribute.value.kind == Constant::Kind::Object ? PythonValue{Object{number, path}}
                                                                       : constant(attribute.value, module, path);
    return held_.emplace(path, std::move(value)).first->second;
  }
  builder_.refuse<kNoMember>(node, "the model", "attribute", path);
  return std::nullopt;
}

bool ModelAttributes::set(const Node& node, const PythonValue& object, const std::string& name,
                          const PythonValue& value) {
  const Object* const module = object.as<Object>();
  if (module == nullptr)
    return builder_.refuse<kArgumentKind>(node, "what has the attribute", kind_name(object), "a module");
  const std::string path = joined(*module, name);
  if (builder_.depth() > 0)
    return builder_.refuse<kEffectLost>(node, "`" + path + "`", "inside of a branch or loop that depends on data");
  if (const PythonValue* known = find(path); known != nullptr && identical(*known, value)) return true;
  if (!value.is<Tensor>()) return builder_.refuse<kAttributeReplaced>(node, path, kind_name(value));
  // What it was says what a call replaces.
  const ObjectData& held = program_.objects[module->number];
  for (const Attribute& attribute : held.attributes) {
    if (attribute.name != name || attribute.value.kind != Constant::Kind::Tensor) continue;
    if (!tensor(node, static_cast<std::size_t>(attribute.value.integer), path)) return false;
    held_.insert_or_assign(path, value);
    return true;
  }
  return builder_.refuse<kAttributeReplaced>(node, path, "a tensor and was none before");
}

}  // namespace mlgc::python
