// The walk over nodes, constants and attributes; see interpreter.h. Control flow is in control.cpp, calls of ATen in
// call.cpp, Python's own operators in python_operators.cpp.
#include "import/python/interpreter.h"

#include <algorithm>

#include "diag/kinds_import.h"
#include "import/program/locations.h"
#include "import/python/python_operators.h"

namespace mlgc::python {

namespace {

// The depth of lists that stand in the file.
constexpr auto kOfTheModel = static_cast<std::size_t>(-1);

}  // namespace

Interpreter::Interpreter(const Program& program, program::GraphScope& scope, TensorSource& tensors, Location file)
    : program_(program),
      tensors_(tensors),
      file_(file),
      converter_(scope.context()),
      root_{&scope, nullptr, 0, {}, {}, {}},
      region_(&root_),
      values_(program.values.size()),
      used_(program.values.size(), false) {
  count_uses(program.body);
  for (const Value input : scope.builder.region().arguments()) {
    for (const IndexExpr dim : input.dims()) {
      index().for_each_atom(dim, [&](AtomId atom) {
        if (index().atom(atom).kind == AtomKind::Symbol) symbols_.emplace(index().symbol_name(atom));
      });
    }
  }
}

void Interpreter::count_uses(const Block& block) {
  for (std::size_t i = 0; i < block.outputs.size(); ++i) used_[block.outputs[i]] = true;
  for (const Node& node : block.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) used_[node.inputs[i]] = true;
    for (const Block& inside : node.blocks) count_uses(inside);
  }
}

program::Node Interpreter::described(const Node& node, std::string target) const {
  program::Node out;
  out.target = std::move(target);
  out.name = !node.outputs.empty() ? program::identifier(program_.values[node.outputs[0]].name) : "";
  out.stack_trace = node.stack;
  if (!node.module.empty()) out.module_stack = node.module + "," + node.module + ",";
  return out;
}

Location Interpreter::location(const Node& node) const {
  return program::location_of(described(node, node.kind), scope().context().locations());
}

void Interpreter::report(const Node& node, Diagnostic diagnostic) {
  if (!scope().context().locations().primary_position(diagnostic.at)) diagnostic.at = file_;
  if (!node.line.empty()) diagnostic.add_note<kScriptLine>({}, node.line);
  scope().engine().emit(std::move(diagnostic));
}

bool Interpreter::fail(const Node& node, const std::string& reason) {
  report(node, diagnose<kUnsupportedForm>(location(node), spelling(node), reason));
  return false;
}

Tensor Interpreter::new_tensor(Value value) const {
  auto tensor = std::make_shared<TensorVariable>();
  tensor->value = value;
  tensor->memory = std::make_shared<Memory>();
  tensor->memory->owner = tensor.get();
  tensor->memory->depth = region_->depth;
  tensor->depth = region_->depth;
  return tensor;
}

Value Interpreter::emit(const Node& node, std::string_view op, std::span<const Value> operands,
                        const program::NodeScope::Attrs& attrs) {
  const program::Node described_node = described(node, node.kind);
  program::NodeScope made(scope(), described_node, node.kind, location(node), {});
  const OpRef built = made.emit(op, operands, attrs);
  return built.valid() ? built.result() : Value();
}

Value Interpreter::number_value(const Node& node, const PythonValue& number) {
  if (const Computed* computed = number.as<Computed>()) return computed->value;
  const program::Node described_node = described(node, node.kind);
  program::NodeScope made(scope(), described_node, node.kind, location(node), {});
  program::Argument argument;
  if (const IndexExpr* size = number.as<IndexExpr>()) {
    const auto constant = index().as_constant(*size);
    if (!constant) return emit(node, "dim", {}, {{"value", scope().context().attributes().integer(*size)}});
    argument.kind = program::Argument::Kind::Int;
    argument.ints.push_back({"", *constant});
    return made.scalar(Dtype::I64, argument);
  }
  if (const double* real = number.as<double>()) {
    argument.kind = program::Argument::Kind::Float;
    argument.reals.push_back(*real);
    return made.scalar(Dtype::F64, argument);
  }
  if (const bool* flag = number.as<bool>()) {
    argument.kind = program::Argument::Kind::Bool;
    argument.flags.push_back(*flag);
    return made.scalar(Dtype::I1, argument);
  }
  fail(node, kind_name(number) + " stands where a number must");
  return {};
}

Value Interpreter::tensor_value(const Node& node, const Tensor& tensor) {
  if (!tensor->current() && tensor->base) return view_again(node, tensor);
  if (!tensor->current()) {
    fail(*tensor->memory->changed_by,
         "another view of the memory that it changes in place is read later, by `" + spelling(node) + "`");
    return {};
  }
  if (tensor->value.valid()) return tensor->value;
  const Value value = number_value(node, {*tensor->number});
  // What is made inside of a region is not seen outside.
  if (tensor->depth == region_->depth) tensor->value = value;
  return value;
}

bool Interpreter::may_change(const Node& node, std::size_t depth) {
  if (depth == region_->depth) return true;
  if (depth == kOfTheModel) return fail(node, "a list or dict of the model is changed, which no call can leave behind");
  return fail(node, "a list or dict is changed inside of a branch or loop that depends on data");
}

PythonValue Interpreter::constant(const Constant& constant, const Object* owner, const std::string& path) {
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
    case Constant::Kind::Int: return {index().constant(constant.integer)};
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
std::string Interpreter::tensor_path(std::int64_t number, const Object* owner, const std::string& place) const {
  if (owner == nullptr) return place;
  const TensorData& wanted = program_.tensors[number];
  const ObjectData& held = program_.objects[owner->number];
  for (const Attribute& attribute : held.attributes) {
    if (attribute.value.kind != Constant::Kind::Tensor) continue;
    const TensorData& known = program_.tensors[attribute.value.integer];
    if (known.storage.data() == wanted.storage.data() && known.offset == wanted.offset && known.sizes == wanted.sizes &&
        known.strides == wanted.strides)
      return owner->path.empty() ? attribute.name : owner->path + "." + attribute.name;
  }
  return place;
}

bool Interpreter::get_attribute(const Node& node) {
  const Object* const object = get(node.inputs[0]).as<Object>();
  if (object == nullptr) return fail(node, "it is no attribute of a module");
  const std::string path = object->path.empty() ? node.name : object->path + "." + node.name;
  if (const auto known = attributes_.find(path); known != attributes_.end()) {
    set(node.outputs[0], known->second);
    return true;
  }
  const ObjectData& held = program_.objects[object->number];
  for (const Attribute& attribute : held.attributes) {
    if (std::string_view(attribute.name) != node.name) continue;
    PythonValue value;
    if (attribute.value.kind == Constant::Kind::Object) {
      value = {Object{static_cast<std::size_t>(attribute.value.integer), path}};
    } else if (attribute.value.kind == Constant::Kind::Tensor) {
      const Result<Tensor> found = tensors_.find(static_cast<std::size_t>(attribute.value.integer), path);
      if (!found) return fail(node, "`" + path + "` " + found.error());
      value = {*found};
    } else {
      value = constant(attribute.value, object, path);
    }
    attributes_.emplace(path, value);
    set(node.outputs[0], value);
    return true;
  }
  return fail(node, "the model has no attribute `" + path + "`");
}

bool Interpreter::set_attribute(const Node& node) {
  const Object* const object = get(node.inputs[0]).as<Object>();
  const PythonValue& value = get(node.inputs[1]);
  if (object == nullptr) return fail(node, "it is no attribute of a module");
  const std::string path = object->path.empty() ? node.name : object->path + "." + node.name;
  if (region_ != &root_) return fail(node, "`" + path + "` is set inside of a branch or loop that depends on data");
  const auto known = attributes_.find(path);
  if (known != attributes_.end() && identical(known->second, value)) return true;
  if (!value.is<Tensor>())
    return fail(node, "`" + path + "` becomes " + kind_name(value) + ", and a call can leave new tensors only");
  // What it was says what a call replaces.
  const ObjectData& held = program_.objects[object->number];
  for (const Attribute& attribute : held.attributes) {
    if (std::string_view(attribute.name) != node.name || attribute.value.kind != Constant::Kind::Tensor) continue;
    const Result<Tensor> found = tensors_.find(static_cast<std::size_t>(attribute.value.integer), path);
    if (!found) return fail(node, "`" + path + "` " + found.error());
    attributes_.insert_or_assign(path, value);
    return true;
  }
  return fail(node, "`" + path + "` becomes a tensor and was none before");
}

bool Interpreter::unpack(const Node& node) {
  const std::vector<PythonValue>* const items = get(node.inputs[0]).items();
  if (items == nullptr || items->size() != node.outputs.size())
    return fail(node, kind_name(get(node.inputs[0])) + " of another length is taken apart into " +
                          std::to_string(node.outputs.size()) + " values");
  for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], (*items)[i]);
  return true;
}

// Nodes that only say how values hang together.
bool Interpreter::run_known(const Node& node, std::string_view kind, bool& done) {
  done = true;
  const auto inputs = [&] {
    auto items = std::make_shared<std::vector<PythonValue>>();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) items->push_back(get(node.inputs[i]));
    return items;
  };
  if (kind == "prim::Constant") {
    PythonValue value = constant(*node.constant);
    set(node.outputs[0], std::move(value));
    return true;
  }
  if (kind == "prim::GetAttr") return get_attribute(node);
  if (kind == "prim::SetAttr") return set_attribute(node);
  if (kind == "prim::If") return run_if(node);
  if (kind == "prim::Loop") return run_loop(node);
  if (kind == "prim::ListConstruct") {
    set(node.outputs[0], {List{inputs(), region_->depth}});
    return true;
  }
  if (kind == "prim::TupleConstruct") {
    set(node.outputs[0], {Tuple{inputs()}});
    return true;
  }
  if (kind == "prim::DictConstruct") {
    Dict dict{std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(), region_->depth};
    for (std::size_t i = 0; i + 1 < node.inputs.size(); i += 2)
      dict.items->emplace_back(get(node.inputs[i]), get(node.inputs[i + 1]));
    set(node.outputs[0], {dict});
    return true;
  }
  if (kind == "prim::ListUnpack" || kind == "prim::TupleUnpack") return unpack(node);
  if (kind == "prim::Uninitialized") {
    set(node.outputs[0], {Undefined()});
    return true;
  }
  if (kind == "prim::CallMethod" || kind == "prim::CallFunction")
    return fail(node, "a call that cannot be inlined (of an interface or a class)");
  done = false;
  return true;
}

bool Interpreter::run(const Node& node) {
  bool done = false;
  if (!run_known(node, node.kind, done)) return false;
  if (done) return true;
  switch (run_python_operator(*this, node)) {
    case Ran::Yes: return true;
    case Ran::Failed: return false;
    case Ran::No: break;
  }
  return call(node);
}

bool Interpreter::run(const Block& block) {
  return std::all_of(block.nodes.begin(), block.nodes.end(), [this](const Node& node) { return run(node); });
}

}  // namespace mlgc::python
