// See script.h.
#include "import/fx/script.h"

#include <filesystem>

#include "diag/kinds_import.h"
#include "import/program/weights.h"

namespace mlgc::fx {

namespace {

using LiteralKind = Literal::Kind;

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
  bool wrong_tensor(const std::string& name, const std::string& reason) {
    engine_.emit(diagnose<kFxWeights>(at_, name, reason));
    return false;
  }

  bool read_weights(const std::string& path) {
    if (script_.graph.tensors.empty()) return true;
    const std::string& first = script_.graph.tensors.begin()->first;
    if (script_.graph.weights_file.empty()) return wrong_tensor(first, "the file names no file of weights");
    const std::filesystem::path file = std::filesystem::path(path).parent_path() / script_.graph.weights_file;
    Result<Safetensors> read = read_safetensors(file.string());
    if (!read) return wrong_tensor(first, read.error());
    script_.weights = *std::move(read);
    return true;
  }

  bool add_tensor(const std::string& name, const TensorEntry& entry) {
    const mlgc::Tensor* const array = script_.weights->find(entry.array);
    if (array == nullptr)
      return wrong_tensor(name, "`" + script_.graph.weights_file + "` has no tensor `" + entry.array + "`");
    if (array->dtype() != entry.dtype)
      return wrong_tensor(name, "`" + entry.array + "` of `" + script_.graph.weights_file + "` is of " +
                                    std::string(dtype_info(array->dtype()).name) + ", and the graph says " +
                                    std::string(dtype_info(entry.dtype).name));
    const std::span<const std::byte> bytes = array->bytes();
    mlgc_script_tensor tensor{};
    tensor.dtype = static_cast<std::int32_t>(entry.dtype);
    tensor.dtype_name = "";
    tensor.rank = entry.shape.size();
    tensor.sizes = entry.shape.data();
    tensor.strides = entry.strides.data();
    tensor.offset = entry.offset;
    tensor.storage = bytes.empty() ? nullptr : bytes.data();
    tensor.storage_bytes = bytes.size();
    script_.tensors.push_back(tensor);
    return true;
  }

  bool add_values() {
    const Graph& graph = script_.graph;
    ValueNumbers& numbers = script_.numbers;
    numbers.first_node = 1;  // 0 is the model
    numbers.first_scratch = 1 + static_cast<std::uint32_t>(graph.nodes.size());
    script_.values.assign(numbers.end(), {"", "Tensor"});
    script_.values[numbers.list()].type = "Tensor[]";
    script_.arguments.push_back(0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      const auto number = numbers.first_node + static_cast<std::uint32_t>(i);
      script_.values[number].name = node.name.c_str();
      if (node.opcode == Opcode::Output) script_.results.push_back(number);
      if (node.opcode != Opcode::Placeholder) continue;
      script_.arguments.push_back(number);
      if (!add_input(node)) return false;
    }
    mlgc_script& program = script_.program;
    program.body.input_count = script_.arguments.size();
    program.body.inputs = script_.arguments.data();
    program.body.output_count = script_.results.size();
    program.body.outputs = script_.results.data();
    program.value_count = script_.values.size();
    program.values = script_.values.data();
    program.input_count = script_.inputs.size();
    program.inputs = script_.inputs.data();
    program.tensor_count = script_.tensors.size();
    program.tensors = script_.tensors.data();
    return true;
  }

  bool add_input(const Node& node) {
    mlgc_script_input input{};
    input.name = node.name.c_str();
    const Recorded::Kind kind = node.recorded.kind;
    input.type = kind == Recorded::Kind::Int     ? "int"
                 : kind == Recorded::Kind::Float ? "float"
                 : kind == Recorded::Kind::Bool  ? "bool"
                                                 : "Tensor";
    if (!node.arguments.empty() && kind != Recorded::Kind::Tensor) {
      mlgc_script_constant& fallback = script_.constants.emplace_back();
      fallback = constant(node.arguments[0]);
      if (fallback.form == MLGC_SCRIPT_OTHER) {
        engine_.emit(diagnose<kFxStructure>(at_, "node `" + node.name + "`",
                                            "a default that is a number, a string, None, or a list of these"));
        return false;
      }
      input.fallback = &fallback;
    }
    script_.inputs.push_back(input);
    return true;
  }

  mlgc_script_constant constant(const Literal& literal) {
    mlgc_script_constant made{};
    made.text = literal.text.c_str();
    made.integer = literal.integer;
    made.real = literal.real;
    switch (literal.kind) {
      case LiteralKind::None: made.form = MLGC_SCRIPT_NONE; break;
      case LiteralKind::Bool: made.form = MLGC_SCRIPT_BOOL; break;
      case LiteralKind::Int: made.form = MLGC_SCRIPT_INT; break;
      case LiteralKind::Float: made.form = MLGC_SCRIPT_FLOAT; break;
      case LiteralKind::String: made.form = MLGC_SCRIPT_STRING; break;
      case LiteralKind::Device: made.form = MLGC_SCRIPT_DEVICE; break;
      case LiteralKind::List:
      case LiteralKind::Tuple: {
        made.form = literal.is(LiteralKind::List) ? MLGC_SCRIPT_LIST : MLGC_SCRIPT_TUPLE;
        std::vector<mlgc_script_constant> items;
        for (const Literal& item : literal.items) {
          items.push_back(constant(item));
          if (items.back().form == MLGC_SCRIPT_OTHER) made.form = MLGC_SCRIPT_OTHER;
        }
        made.count = items.size();
        made.items = script_.constant_items.emplace_back(std::move(items)).data();
        break;
      }
      default: made.form = MLGC_SCRIPT_OTHER; break;
    }
    return made;
  }

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
