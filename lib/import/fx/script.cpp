// See script.h.
#include "import/fx/script.h"

#include <filesystem>

#include "diag/kinds_import.h"
#include "import/program/weights.h"

namespace mlgc::fx {

namespace {

using LiteralKind = Literal::Kind;
using ConstantKind = python::Constant::Kind;

class Maker {
 public:
  Maker(Script& script, Location at, DiagnosticEngine& engine) : script_(script), at_(at), engine_(engine) {}

  bool run(const std::string& path) {
    if (!read_weights(path)) return false;
    for (const auto& [name, entry] : script_.graph.tensors)
      if (!add_tensor(name, entry)) return false;
    return add_values();
  }
  // Of a graph inside.
  bool run_body() { return add_values(); }

 private:
  template <const DiagKind& K, class... Args>
  bool wrong_tensor(const std::string& name, Args&&... args) {
    engine_.emit(diagnose<K>(at_, name, std::forward<Args>(args)...));
    return false;
  }

  bool read_weights(const std::string& path) {
    if (script_.graph.tensors.empty()) return true;
    const std::string& first = script_.graph.tensors.begin()->first;
    if (script_.graph.weights_file.empty()) return wrong_tensor<kFxNoWeightsFile>(first);
    const std::filesystem::path file = std::filesystem::path(path).parent_path() / script_.graph.weights_file;
    Result<Safetensors> read = read_safetensors(file.string());
    if (!read) return wrong_tensor<kFxWeights>(first, read.error());
    script_.weights = *std::move(read);
    return true;
  }

  bool add_tensor(const std::string& name, const TensorEntry& entry) {
    const mlgc::Tensor* const array = script_.weights->find(entry.array);
    const std::string& file = script_.graph.weights_file;
    if (array == nullptr) return wrong_tensor<kFxTensorMissing>(name, file, entry.array);
    if (array->dtype() != entry.dtype)
      return wrong_tensor<kFxTensorType>(name, entry.array, file, dtype_info(array->dtype()).name,
                                         dtype_info(entry.dtype).name);
    const std::span<const std::byte> bytes = array->bytes();
    python::TensorData tensor;
    tensor.dtype = entry.dtype;
    tensor.sizes = entry.shape;
    tensor.strides = entry.strides;
    tensor.offset = entry.offset;
    if (!bytes.empty()) tensor.storage = bytes;
    program().tensors.push_back(std::move(tensor));
    return true;
  }

  bool add_values() {
    const Graph& graph = script_.graph;
    ValueNumbers& numbers = script_.numbers;
    numbers.first_node = 1;  // 0 is the model
    numbers.first_scratch = 1 + static_cast<std::uint32_t>(graph.nodes.size());
    program().values.assign(numbers.end(), {"", "Tensor"});
    program().values[numbers.list()].type = "Tensor[]";
    python::Block& body = program().body;
    body.inputs.push_back(0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      const auto number = numbers.first_node + static_cast<std::uint32_t>(i);
      program().values[number].name = node.name;
      if (node.opcode == Opcode::Output) body.outputs.push_back(number);
      if (node.opcode != Opcode::Placeholder) continue;
      body.inputs.push_back(number);
      if (!add_input(node)) return false;
    }
    return true;
  }

  bool add_input(const Node& node) {
    python::Input input;
    input.name = node.name;
    const Recorded::Kind kind = node.recorded.kind;
    input.type = kind == Recorded::Kind::Int     ? "int"
                 : kind == Recorded::Kind::Float ? "float"
                 : kind == Recorded::Kind::Bool  ? "bool"
                                                 : "Tensor";
    if (!node.arguments.empty() && kind != Recorded::Kind::Tensor) {
      input.default_value = constant(node.arguments[0]);
      if (input.default_value->kind == ConstantKind::Other) {
        engine_.emit(diagnose<kFxStructure>(at_, "node `" + node.name + "`",
                                            "a default that is a number, a string, None, or a list of these"));
        return false;
      }
    }
    program().inputs.push_back(std::move(input));
    return true;
  }

  static python::Constant constant(const Literal& literal) {
    python::Constant made{ConstantKind::Other, literal.integer, literal.real, literal.text};
    switch (literal.kind) {
      case LiteralKind::None: made.kind = ConstantKind::None; break;
      case LiteralKind::Bool: made.kind = ConstantKind::Bool; break;
      case LiteralKind::Int: made.kind = ConstantKind::Int; break;
      case LiteralKind::Float: made.kind = ConstantKind::Float; break;
      case LiteralKind::String: made.kind = ConstantKind::String; break;
      case LiteralKind::Device: made.kind = ConstantKind::Device; break;
      case LiteralKind::List:
      case LiteralKind::Tuple:
        made.kind = literal.is(LiteralKind::List) ? ConstantKind::List : ConstantKind::Tuple;
        for (const Literal& item : literal.items) {
          made.items.push_back(constant(item));
          if (made.items.back().kind == ConstantKind::Other) made.kind = ConstantKind::Other;
        }
        break;
      default: break;
    }
    return made;
  }

  [[nodiscard]] python::Program& program() const { return script_.program; }

  Script& script_;
  Location at_;
  DiagnosticEngine& engine_;
};

}  // namespace

std::shared_ptr<Script> make_script(Graph graph, const std::string& path, Location at, DiagnosticEngine& engine) {
  auto script = std::make_shared<Script>();
  script->graph = std::move(graph);
  return Maker(*script, at, engine).run(path) ? script : nullptr;
}

std::shared_ptr<Script> make_body_script(Graph graph, Location at, DiagnosticEngine& engine) {
  auto script = std::make_shared<Script>();
  script->graph = std::move(graph);
  return Maker(*script, at, engine).run_body() ? script : nullptr;
}

}  // namespace mlgc::fx
