// See read_graph.h.
#include "import/fx/read_graph.h"
#include "import/program/dtypes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "diag/kinds_import.h"
#include "import/program/json.h"

namespace mlgc::fx {

namespace {

using program::Json;
using program::JsonReader;
using program::Place;
using LiteralKind = Literal::Kind;

constexpr std::int64_t kVersion = 1;

constexpr std::array<std::pair<std::string_view, Opcode>, 6> kOpcodes{{{"placeholder", Opcode::Placeholder},
                                                                       {"get_attr", Opcode::GetAttr},
                                                                       {"call_function", Opcode::CallFunction},
                                                                       {"call_method", Opcode::CallMethod},
                                                                       {"call_module", Opcode::CallModule},
                                                                       {"output", Opcode::Output}}};

// Forms that hold a text.
constexpr std::array<std::pair<const char*, LiteralKind>, 4> kTextForms{{{"dtype", LiteralKind::Dtype},
                                                                         {"layout", LiteralKind::Layout},
                                                                         {"memory_format", LiteralKind::MemoryFormat},
                                                                         {"device", LiteralKind::Device}}};
constexpr std::array<std::pair<const char*, LiteralKind>, 3> kListForms{
    {{"list", LiteralKind::List}, {"tuple", LiteralKind::Tuple}, {"slice", LiteralKind::Slice}}};

// As Python's repr() prints it.
std::optional<double> python_float(std::string_view text) {
  if (text == "inf") return HUGE_VAL;
  if (text == "-inf") return -HUGE_VAL;
  if (text == "nan") return std::nan("");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  Graph graph(const Json& document) {
    const Place top("the file");
    read_symbols(JsonReader::find(document, "symbols"));
    read_constraints(JsonReader::find(document, "constraints"));
    read_modules(JsonReader::find(document, "modules"));
    read_tensors(JsonReader::find(document, "tensors"));
    const Json& weights = JsonReader::find(document, "weights");
    if (!weights.is_null()) {
      graph_.weights_file = reader_.text(weights, Place("weights"));
      if (graph_.weights_file.find('/') != std::string::npos || graph_.weights_file.find('\\') != std::string::npos)
        reader_.fail(Place("weights"), "the name of a file in the same folder");
    }
    read_nodes(reader_.require(document, "nodes", top), Place("nodes"));
    return std::move(graph_);
  }
  [[nodiscard]] const JsonReader& reader() const { return reader_; }

 private:
  void read_nodes(const Json& json, const Place& place) {
    for (const Json& node : reader_.array(json, place)) {
      read_node(node);
      if (!reader_.ok()) return;
    }
    if (reader_.ok() && (graph_.nodes.empty() || graph_.nodes.back().opcode != Opcode::Output))
      reader_.fail(place, "an output as the last node");
  }

  // A graph inside has names of its own, and the modules and tensors of the file.
  std::shared_ptr<const Graph> body(const Json& json, const Place& place) {
    Graph outer = std::exchange(graph_, Graph());
    auto names = std::exchange(numbers_, {});
    graph_.modules = outer.modules;
    graph_.tensors = outer.tensors;
    read_nodes(json, place);
    numbers_ = std::move(names);
    return std::make_shared<const Graph>(std::exchange(graph_, std::move(outer)));
  }

  void read_symbols(const Json& json) {
    if (json.is_null()) return;
    const Place place("symbols");
    for (const auto& [name, bounds] : reader_.object(json, place).items()) {
      const Place here(name, &place);
      program::Range range{name, {}, {}};
      const Json &least = JsonReader::find(bounds, "min"), &most = JsonReader::find(bounds, "max");
      if (!least.is_null()) range.lower = reader_.integer(least, Place("min", &here));
      if (!most.is_null()) range.upper = reader_.integer(most, Place("max", &here));
      if (range.lower.value_or(0) < 0 || range.upper.value_or(range.lower.value_or(0)) < range.lower.value_or(0))
        reader_.fail(here, "a range of sizes");
      graph_.ranges.push_back(std::move(range));
    }
  }

  void read_constraints(const Json& json) {
    if (json.is_null()) return;
    const Place place("constraints");
    std::size_t index = 0;
    for (const Json& chain : reader_.array(json, place)) {
      const Place here(index++, &place);
      const Json& parts = reader_.array(chain, here);
      if (parts.size() < 3 || parts.size() % 2 == 0) reader_.fail(here, "sizes with a relation between each two");
      if (!reader_.ok()) return;
      SizeRelation made;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const Place at(i, &here);
        if (i % 2 == 0) {
          made.terms.push_back(size(parts[i], at));
          continue;
        }
        const std::optional<Relation> relation = parse_relation(reader_.text(parts[i], at));
        if (!relation) reader_.fail(at, "`==`, `!=`, `<`, `<=`, `>` or `>=`");
        made.relations.push_back(relation.value_or(Relation::Equal));
      }
      graph_.relations.push_back(std::move(made));
    }
  }

  void read_modules(const Json& json) {
    if (json.is_null()) return;
    const Place place("modules");
    for (const auto& [path, module] : reader_.object(json, place).items()) {
      const Place here(path, &place);
      Module made;
      made.type = reader_.text(reader_.require(module, "class", here), Place("class", &here));
      const Place hyper("hyper", &here);
      const Json& given = JsonReader::find(module, "hyper");
      if (!given.is_null())
        for (const auto& [name, value] : reader_.object(given, hyper).items())
          made.hyper_parameters.emplace(name, literal(value, Place(name, &hyper)));
      graph_.modules.emplace(path, std::move(made));
    }
  }

  std::vector<std::int64_t> integers(const Json& json, const Place& place) {
    std::vector<std::int64_t> values;
    for (const Json& item : reader_.array(json, place)) {
      values.push_back(reader_.integer(item, place));
      if (values.back() < 0) reader_.fail(place, "integers from 0 on");
    }
    return values;
  }

  void read_tensors(const Json& json) {
    if (json.is_null()) return;
    const Place place("tensors");
    for (const auto& [path, tensor] : reader_.object(json, place).items()) {
      const Place here(path, &place);
      TensorEntry entry;
      entry.array = reader_.text(reader_.require(tensor, "data", here), Place("data", &here));
      const std::string name = reader_.text(reader_.require(tensor, "dtype", here), Place("dtype", &here));
      const std::optional<Dtype> dtype = program::dtype_of_name(name);
      if (!dtype) reader_.fail(Place("dtype", &here), "an element type that is supported, not `" + name + "`");
      entry.dtype = dtype.value_or(Dtype::F32);
      entry.shape = integers(reader_.require(tensor, "shape", here), Place("shape", &here));
      entry.strides = integers(reader_.require(tensor, "stride", here), Place("stride", &here));
      entry.offset = reader_.integer(reader_.require(tensor, "offset", here), Place("offset", &here));
      if (entry.shape.size() != entry.strides.size())
        reader_.fail(Place("stride", &here), "as many strides as there are sizes");
      if (entry.offset < 0) reader_.fail(Place("offset", &here), "an offset from 0 on");
      graph_.tensors.emplace(path, std::move(entry));
    }
  }

  // Of an object with one member: which form it is.
  Literal tagged(const Json& json, const Place& place) {
    Literal made;
    const std::string& form = json.begin().key();
    const Json& value = json.begin().value();
    const Place here(form, &place);
    for (const auto& [name, kind] : kTextForms) {
      if (form != name) continue;
      made.kind = kind;
      made.text = reader_.text(value, here);
      return made;
    }
    for (const auto& [name, kind] : kListForms) {
      if (form != name) continue;
      made.kind = kind;
      made.items = literals(value, here);
      if (kind == LiteralKind::Slice && made.items.size() != 3) reader_.fail(here, "start, stop and step");
      return made;
    }
    if (form == "node") {
      made.kind = LiteralKind::Node;
      made.text = reader_.text(value, here);
      const auto known = numbers_.find(made.text);
      if (known == numbers_.end())
        reader_.fail(here, "an earlier node; `" + made.text + "` is none");
      else
        made.integer = static_cast<std::int64_t>(known->second);
    } else if (form == "float") {
      made.kind = LiteralKind::Float;
      made.text = reader_.text(value, here);
      const std::optional<double> real = python_float(made.text);
      if (!real) reader_.fail(here, "a float as Python writes it");
      made.real = real.value_or(0);
    } else if (form == "complex") {
      made.kind = LiteralKind::Complex;
      for (const Json& part : reader_.array(value, here))
        made.items.push_back({LiteralKind::String, 0, 0, reader_.text(part, here), {}});
      if (made.items.size() != 2) reader_.fail(here, "a real and an imaginary part");
    } else if (form == "dict") {
      made.kind = LiteralKind::Dict;
      std::size_t index = 0;
      for (const Json& pair : reader_.array(value, here)) {
        const std::vector<Literal> both = literals(pair, Place(index++, &here));
        if (both.size() != 2) reader_.fail(here, "pairs of a key and a value");
        made.items.insert(made.items.end(), both.begin(), both.end());
      }
    } else if (form == "graph") {
      made.kind = LiteralKind::Graph;
      made.graph = body(value, here);
    } else if (form == "ellipsis") {
      made.kind = LiteralKind::Ellipsis;
    } else {
      reader_.fail(place, "a value; there is no form `" + form + "`");
    }
    return made;
  }

  std::vector<Literal> literals(const Json& json, const Place& place) {
    std::vector<Literal> made;
    std::size_t index = 0;
    for (const Json& item : reader_.array(json, place)) made.push_back(literal(item, Place(index++, &place)));
    return made;
  }

  Literal literal(const Json& json, const Place& place) {
    Literal made;
    if (!reader_.ok() || json.is_null()) return made;
    if (json.is_boolean()) {
      made.kind = LiteralKind::Bool;
      made.integer = json.get<bool>() ? 1 : 0;
    } else if (json.is_number_integer()) {
      made.kind = LiteralKind::Int;
      made.integer = reader_.integer(json, place);
    } else if (json.is_string()) {
      made.kind = LiteralKind::String;
      made.text = json.get<std::string>();
    } else if (json.is_object() && json.size() == 1) {
      return tagged(json, place);
    } else {
      reader_.fail(place, "null, a bool, an int, a string, or an object of one member");
    }
    return made;
  }

  program::Size size(const Json& json, const Place& place) {
    const Json& expression = JsonReader::find(json, "expr");
    if (!expression.is_null()) return {reader_.text(expression, place), 0};
    return {"", reader_.integer(json, place)};
  }

  Recorded recorded(const Json& json, const Place& place) {
    Recorded made;
    if (!reader_.ok() || json.is_null()) return made;
    if (json.is_array()) {
      made.kind = Recorded::Kind::Several;
      std::size_t index = 0;
      for (const Json& part : json) made.parts.push_back(recorded(part, Place(index++, &place)));
      return made;
    }
    const Json& number = JsonReader::find(json, "number");
    if (!number.is_null()) {
      const std::string kind = reader_.text(number, Place("number", &place));
      made.kind = kind == "int" ? Recorded::Kind::Int : kind == "float" ? Recorded::Kind::Float : Recorded::Kind::Bool;
      if (kind != "int" && kind != "float" && kind != "bool")
        reader_.fail(Place("number", &place), "`int`, `float` or `bool`");
      const Json& value = JsonReader::find(json, "value");
      if (!value.is_null()) made.sizes.push_back(size(value, Place("value", &place)));
      return made;
    }
    made.kind = Recorded::Kind::Tensor;
    made.dtype = reader_.text(reader_.require(json, "dtype", place), Place("dtype", &place));
    const Place shape("shape", &place);
    std::size_t index = 0;
    for (const Json& dim : reader_.array(reader_.require(json, "shape", place), shape))
      made.sizes.push_back(size(dim, Place(index++, &shape)));
    return made;
  }

  std::string optional_text(const Json& json, const char* key, const Place& place) {
    const Json& value = JsonReader::find(json, key);
    return value.is_null() ? std::string() : reader_.text(value, Place(key, &place));
  }

  void read_node(const Json& json) {
    const Place nodes("nodes");
    const std::size_t number = graph_.nodes.size();
    const Place unnamed(number, &nodes);
    Node node;
    node.name = reader_.text(reader_.require(json, "name", unnamed), Place("name", &unnamed));
    const std::string label = "node `" + node.name + "`";
    const Place place(label);
    const std::string opcode = reader_.text(reader_.require(json, "op", place), Place("op", &place));
    const auto* const known =
        std::find_if(kOpcodes.begin(), kOpcodes.end(), [&](const auto& row) { return row.first == opcode; });
    if (known == kOpcodes.end())
      reader_.fail(Place("op", &place),
                   "placeholder, get_attr, call_function, call_method, call_module or output, not `" + opcode + "`");
    else
      node.opcode = known->second;
    node.target = reader_.text(reader_.require(json, "target", place), Place("target", &place));
    node.arguments = literals(reader_.require(json, "args", place), Place("args", &place));
    const Place keywords("kwargs", &place);
    for (const Json& pair : reader_.array(reader_.require(json, "kwargs", place), keywords)) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
        reader_.fail(keywords, "pairs of a name and a value");
        break;
      }
      const std::string name = pair[0].get<std::string>();
      node.keywords.emplace_back(name, literal(pair[1], Place(name, &keywords)));
    }
    node.recorded = recorded(JsonReader::find(json, "meta"), Place("meta", &place));
    node.printed = optional_text(json, "printed", place);
    node.stack = optional_text(json, "stack", place);
    node.module = optional_text(json, "module", place);
    if (const std::size_t end = node.stack.find('\n'); end != std::string::npos) {
      const std::size_t start = std::min(node.stack.find_first_not_of(' ', end + 1), node.stack.size());
      node.line = node.stack.substr(start, node.stack.find('\n', start) - start);
    }
    const bool needs_operand = node.opcode == Opcode::CallMethod || node.opcode == Opcode::Output;
    if (reader_.ok() && needs_operand && node.arguments.empty())
      reader_.fail(Place("args", &place), "at least one argument");
    if (reader_.ok() && !graph_.nodes.empty() && graph_.nodes.back().opcode == Opcode::Output)
      reader_.fail(place, "no node after the output");
    if (!numbers_.emplace(node.name, number).second) reader_.fail(place, "a name that no other node has");
    graph_.nodes.push_back(std::move(node));
  }

  JsonReader reader_;
  Graph graph_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // of nodes, by name
};

}  // namespace

std::string_view opcode_name(Opcode opcode) {
  for (const auto& [name, known] : kOpcodes)
    if (known == opcode) return name;
  return "";
}

std::optional<Graph> read_graph(std::span<const std::byte> json, const std::string& file, Location at,
                                DiagnosticEngine& engine) {
  const std::optional<Json> document = program::parse_json(json, file, at, engine);
  if (!document) return std::nullopt;
  const Json &format = JsonReader::find(*document, "format"), &version = JsonReader::find(*document, "version");
  if (!format.is_string() || format.get_ref<const std::string&>() != "mlgc-fx") {
    engine.emit(diagnose<kNotFx>(at));
    return std::nullopt;
  }
  if (!version.is_number_integer() || version != kVersion) {
    const std::string found =
        version.is_null() ? "nothing" : version.dump(-1, ' ', true, Json::error_handler_t::replace);
    engine.emit(diagnose<kFxVersion>(at, found, kVersion));
    return std::nullopt;
  }
  Reader reader;
  Graph graph = reader.graph(*document);
  if (reader.reader().ok()) return graph;
  engine.emit(diagnose<kFxStructure>(at, reader.reader().error_place(), reader.reader().error_expected()));
  return std::nullopt;
}

}  // namespace mlgc::fx
