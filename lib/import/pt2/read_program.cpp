// From JSON to Program; see read_program.h.
#include "import/pt2/read_program.h"

#include <algorithm>
#include <utility>

#include "diag/kinds_import.h"
#include "import/program/json.h"
#include "import/pt2/drop_tokens.h"

namespace mlgc::pt2 {

namespace {

constexpr std::int64_t kSchemaMajor = 8;
constexpr int kMaxDepth = 100;
using namespace program;
using Kind = Argument::Kind;

class ProgramReader {
 public:
  Program program;
  JsonReader reader;

  void read(const Json& document, const Place& top) {
    const Json& module = reader.require(document, "graph_module", top);
    const Place module_place("graph_module", &top);
    read_graph(reader.require(module, "graph", module_place), Place("graph", &module_place), program.graph);
    const Json& signature = reader.require(module, "signature", module_place);
    read_signature(signature, Place("signature", &module_place));
    read_ranges(JsonReader::find(document, "range_constraints"), Place("range_constraints", &top));
    const Json& verifiers = JsonReader::find(document, "verifiers");
    if (verifiers.is_array())
      for (const Json& verifier : verifiers) program.training_level |= verifier == "TRAINING";
  }

 private:
  template <class Visit>
  void each(const Json& object, const char* key, const Place& parent, Visit visit) {
    const Place place(key, &parent);
    const Json& list = reader.array(reader.require(object, key, parent), place);
    for (std::size_t i = 0; i < list.size() && reader.ok(); ++i) visit(list[i], Place(i, &place));
  }

  Size size(const Json& value, const Place& place) {
    const Json& expression = JsonReader::find(value, "as_expr");
    if (expression.is_null()) return {"", reader.constant_size(value, place)};
    std::string text = reader.text(reader.require(expression, "expr_str", place), place);
    if (text.empty()) reader.fail(place, "an expression");
    return {std::move(text), 0};
  }

  IntArg int_arg(const Json& value, const Place& place) {
    if (value.is_number()) return {"", reader.integer(value, place)};
    const Json& name = JsonReader::find(value, "as_name");
    if (!name.is_null()) return {reader.text(name, place), 0};
    return {"", reader.constant_size(value, place)};
  }

  std::string tensor_name(const Json& value, const Place& place) {
    return reader.text(reader.require(value, "name", place), place);
  }

  template <class Visit>
  void items(const Json& value, const Place& place, Visit visit) {
    const Json& list = reader.array(value, place);
    for (std::size_t i = 0; i < list.size() && reader.ok(); ++i) visit(list[i], Place(i, &place));
  }

  Argument argument(const Json& value, const Place& place) {
    Argument arg;
    if (!value.is_object() || value.size() != 1) {
      reader.fail(place, "an argument: an object with one member");
      return arg;
    }
    const std::string form = value.begin().key();
    const Json& content = value.begin().value();
    const auto single = [&](Kind kind) {
      arg.kind = kind;
      arg.ints.push_back({"", reader.integer(content, place)});
    };
    if (form == "as_none") {
      arg.kind = Kind::None;
    } else if (form == "as_tensor") {
      arg.kind = Kind::Tensor;
      arg.names.push_back(tensor_name(content, place));
    } else if (form == "as_tensors") {
      arg.kind = Kind::Tensors;
      items(content, place, [&](const Json& v, const Place& p) { arg.names.push_back(tensor_name(v, p)); });
    } else if (form == "as_optional_tensor") {
      return argument(content, place);
    } else if (form == "as_optional_tensors") {
      arg.kind = Kind::Tensors;
      items(content, place, [&](const Json& v, const Place& p) {
        const Json& tensor = JsonReader::find(v, "as_tensor");
        arg.names.push_back(tensor.is_null() ? std::string() : tensor_name(tensor, p));
      });
    } else if (form == "as_int") {
      single(Kind::Int);
    } else if (form == "as_sym_int") {
      arg.kind = Kind::Int;
      arg.ints.push_back(int_arg(content, place));
    } else if (form == "as_ints" || form == "as_sym_ints") {
      arg.kind = Kind::Ints;
      items(content, place, [&](const Json& v, const Place& p) { arg.ints.push_back(int_arg(v, p)); });
    } else if (form == "as_float") {
      arg.kind = Kind::Float;
      arg.reals.push_back(reader.real(content, place));
    } else if (form == "as_floats") {
      arg.kind = Kind::Floats;
      items(content, place, [&](const Json& v, const Place& p) { arg.reals.push_back(reader.real(v, p)); });
    } else if (form == "as_bool") {
      arg.kind = Kind::Bool;
      arg.flags.push_back(reader.boolean(content, place));
    } else if (form == "as_bools") {
      arg.kind = Kind::Bools;
      items(content, place, [&](const Json& v, const Place& p) { arg.flags.push_back(reader.boolean(v, p)); });
    } else if (form == "as_complex") {
      arg.kind = Kind::Complex;
      for (const char* const part : {"real", "imag"})
        arg.reals.push_back(reader.real(reader.require(content, part, place), place));
    } else if (form == "as_string") {
      arg.kind = Kind::String;
      arg.text = reader.text(content, place);
    } else if (form == "as_operator") {
      // Of with_effects alone, which drop_tokens() takes away; nothing else can be called with it.
      arg.kind = Kind::Other;
      arg.text = form;
      arg.names.push_back(reader.text(content, place));
    } else if (form == "as_scalar_type") {
      single(Kind::Dtype);
    } else if (form == "as_layout") {
      single(Kind::Layout);
    } else if (form == "as_memory_format") {
      single(Kind::MemoryFormat);
    } else if (form == "as_device") {
      arg.kind = Kind::Device;
      arg.text = reader.text(reader.require(content, "type", place), place);
    } else if (form == "as_sym_bool" && content.is_object() && content.contains("as_bool")) {
      arg.kind = Kind::Bool;
      arg.flags.push_back(reader.boolean(content["as_bool"], place));
    } else if (form == "as_sym_float" && content.is_object() && content.contains("as_float")) {
      arg.kind = Kind::Float;
      arg.reals.push_back(reader.real(content["as_float"], place));
    } else if (form == "as_sym_bool" || form == "as_sym_float") {
      arg.kind = form == "as_sym_bool" ? Kind::Bool : Kind::Float;
      arg.names.push_back(reader.text(reader.require(content, "as_name", place), place));
      if (arg.kind == Kind::Bool)
        arg.flags.push_back(false);
      else
        arg.reals.push_back(0);
    } else if (form == "as_graph") {
      arg.kind = Kind::Graph;
      arg.text = reader.text(reader.require(content, "name", place), place);
      arg.graph = nested(reader.require(content, "graph", place), place);
    } else {
      arg.kind = Kind::Other;
      arg.text = form;
    }
    return arg;
  }

  std::shared_ptr<const Graph> nested(const Json& graph, const Place& place) {
    auto out = std::make_shared<Graph>();
    if (++depth_ > kMaxDepth)
      reader.fail(place, "at most " + std::to_string(kMaxDepth) + " graphs inside of each other");
    else
      read_graph(graph, Place("graph", &place), *out);
    --depth_;
    return out;
  }

  void read_graph(const Json& graph, const Place& place, Graph& out) {
    each(graph, "inputs", place, [&](const Json& v, const Place& p) { out.inputs.push_back(argument(v, p)); });
    each(graph, "outputs", place, [&](const Json& v, const Place& p) { out.outputs.push_back(argument(v, p)); });
    const Place tensors_place("tensor_values", &place);
    for (const auto& [name, meta] :
         reader.object(reader.require(graph, "tensor_values", place), tensors_place).items()) {
      const Place at(name, &tensors_place);
      TensorMeta& tensor = out.tensors[name];
      tensor.dtype = reader.integer(reader.require(meta, "dtype", at), at);
      each(meta, "sizes", at, [&](const Json& v, const Place& p) { tensor.sizes.push_back(size(v, p)); });
    }
    const Json& sym_ints = JsonReader::find(graph, "sym_int_values");
    const Place sym_place("sym_int_values", &place);
    if (!sym_ints.is_null())
      for (const auto& [name, value] : reader.object(sym_ints, sym_place).items())
        out.sym_ints.emplace(name, size(value, Place(name, &sym_place)));
    each(graph, "nodes", place, [&](const Json& v, const Place& p) { out.nodes.push_back(node(v, p)); });
  }

  Node node(const Json& value, const Place& place) {
    Node out;
    out.target = reader.text(reader.require(value, "target", place), place);
    const Json& name = JsonReader::find(value, "name");
    if (name.is_string()) out.name = name.get<std::string>();
    each(value, "inputs", place, [&](const Json& input, const Place& p) {
      NamedArgument arg;
      arg.name = reader.text(reader.require(input, "name", p), p);
      arg.value = argument(reader.require(input, "arg", p), p);
      out.inputs.push_back(std::move(arg));
    });
    each(value, "outputs", place, [&](const Json& v, const Place& p) { out.outputs.push_back(argument(v, p)); });
    const Json& metadata = JsonReader::find(value, "metadata");
    const auto note = [&](const char* key) {
      const Json& text = JsonReader::find(metadata, key);
      return text.is_string() ? text.get<std::string>() : std::string();
    };
    out.stack_trace = note("stack_trace");
    out.module_stack = note("nn_module_stack");
    return out;
  }

  // A spec is an object with one member, the form.
  const Json& form_of(const Json& spec, std::string& form, const Place& place) {
    static const Json nothing;
    if (!spec.is_object() || spec.size() != 1) {
      reader.fail(place, "an object with one member");
      return nothing;
    }
    form = spec.begin().key();
    return spec.begin().value();
  }

  void read_signature(const Json& signature, const Place& place) {
    each(signature, "input_specs", place, [&](const Json& spec, const Place& p) {
      std::string form;
      const Json& content = form_of(spec, form, p);
      InputSpec in;
      const auto named = [&](InputSpec::Kind kind, const char* key) {
        in.kind = kind;
        in.name = tensor_name(reader.require(content, "arg", p), p);
        in.target = reader.text(reader.require(content, key, p), p);
      };
      if (form == "parameter") {
        named(InputSpec::Kind::Parameter, "parameter_name");
      } else if (form == "buffer") {
        named(InputSpec::Kind::Buffer, "buffer_name");
        const Json& persistent = JsonReader::find(content, "persistent");
        in.persistent = !persistent.is_boolean() || persistent.get<bool>();
      } else if (form == "tensor_constant") {
        named(InputSpec::Kind::Constant, "tensor_constant_name");
        in.persistent = false;
      } else if (form == "user_input") {
        in.kind = InputSpec::Kind::User;
        in.argument = argument(reader.require(content, "arg", p), p);
      } else if (form == "constant_input") {
        in.kind = InputSpec::Kind::Specialised;
        in.name = reader.text(reader.require(content, "name", p), p);
        const Json& fixed = JsonReader::find(content, "value");
        in.target = fixed.is_object() && fixed.size() == 1
                        ? fixed.begin().value().dump(-1, ' ', true, Json::error_handler_t::replace)
                        : "None";
      } else {
        in.target = form;
      }
      program.inputs.push_back(std::move(in));
    });
    each(signature, "output_specs", place, [&](const Json& spec, const Place& p) {
      std::string form;
      const Json& content = form_of(spec, form, p);
      OutputSpec out;
      const auto mutation = [&](OutputSpec::Kind kind, const char* key) {
        out.kind = kind;
        out.argument.kind = Kind::Tensor;
        out.argument.names.push_back(tensor_name(reader.require(content, "arg", p), p));
        out.target = reader.text(reader.require(content, key, p), p);
      };
      if (form == "user_output") {
        out.kind = OutputSpec::Kind::User;
        out.argument = argument(reader.require(content, "arg", p), p);
      } else if (form == "loss_output") {
        out.kind = OutputSpec::Kind::Loss;
        out.argument.kind = Kind::Tensor;
        out.argument.names.push_back(tensor_name(reader.require(content, "arg", p), p));
      } else if (form == "gradient_to_parameter") {
        mutation(OutputSpec::Kind::Gradient, "parameter_name");
      } else if (form == "gradient_to_user_input") {
        mutation(OutputSpec::Kind::Gradient, "user_input_name");
      } else if (form == "buffer_mutation") {
        mutation(OutputSpec::Kind::BufferMutation, "buffer_name");
      } else if (form == "user_input_mutation") {
        mutation(OutputSpec::Kind::InputMutation, "user_input_name");
      } else if (form == "parameter_mutation") {
        mutation(OutputSpec::Kind::ParameterMutation, "parameter_name");
      } else {
        out.target = form;
      }
      program.outputs.push_back(std::move(out));
    });
    if (program.inputs.size() != program.graph.inputs.size()) reader.fail(place, "one input spec for each input");
    if (program.outputs.size() != program.graph.outputs.size()) reader.fail(place, "one output spec for each output");
  }

  void read_ranges(const Json& ranges, const Place& place) {
    if (ranges.is_null()) return;
    for (const auto& [symbol, range] : reader.object(ranges, place).items()) {
      const Place at(symbol, &place);
      Range out{symbol, std::nullopt, std::nullopt};
      const Json& lower = JsonReader::find(range, "min_val");
      const Json& upper = JsonReader::find(range, "max_val");
      if (!lower.is_null()) out.lower = reader.integer(lower, at);
      if (!upper.is_null()) out.upper = reader.integer(upper, at);
      program.ranges.push_back(std::move(out));
    }
  }

  int depth_ = 0;
};

}  // namespace

std::optional<program::Program> read_program(std::span<const std::byte> json, const std::string& member, Location at,
                                             DiagnosticEngine& engine) {
  const std::optional<Json> document = parse_json(json, member, at, engine);
  if (!document) return std::nullopt;
  const Json& version = JsonReader::find(*document, "schema_version");
  const Json& major = JsonReader::find(version, "major");
  if (!major.is_number_integer() || major.get<std::int64_t>() != kSchemaMajor) {
    engine.emit(diagnose<kArchiveVersion>(
        at, "schema_version.major", major.is_number_integer() ? std::to_string(major.get<std::int64_t>()) : "absent",
        std::to_string(kSchemaMajor)));
    return std::nullopt;
  }
  ProgramReader reader;
  reader.read(*document, Place(member));
  if (!reader.reader.ok()) {
    engine.emit(diagnose<kModelStructure>(at, reader.reader.error_place(), reader.reader.error_expected()));
    return std::nullopt;
  }
  drop_tokens(reader.program);
  return std::move(reader.program);
}

}  // namespace mlgc::pt2
