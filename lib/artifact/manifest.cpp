// See manifest.h. The JSON library stays private to this file.
#include "artifact/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "diag/kinds_artifact.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string blanks(text);
  std::ranges::replace(blanks, ',', ' ');
  std::istringstream stream(blanks);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

template <class Value>
ManifestValue describe(const Value& value) {
  ManifestValue described{value.name, static_cast<Dtype>(value.dtype), {}, ""};
  for (std::int32_t i = 0; i < value.rank; ++i)
    described.dims.push_back(value.dims[i].size.program == nullptr ? std::to_string(value.dims[i].size.constant)
                                                                   : "[" + std::string(value.dims[i].text) + "]");
  return described;
}

ManifestLaunch describe_launch(const mlgc_unit& unit, const mlgc_kernel& kernel) {
  ManifestLaunch launch;
  launch.name = kernel.name;
  launch.within = kernel.within;
  for (std::int32_t i = 0; i < kernel.operand_count; ++i) launch.operands.push_back(describe(kernel.operands[i]));
  launch.written = static_cast<std::size_t>(kernel.written_count);
  if (kernel.segment < 0) return launch;
  const mlgc_segment& segment = unit.segments[kernel.segment].segment;
  launch.target = segment.target;
  for (std::int32_t i = 0; i < segment.body.op_count; ++i) launch.ops.emplace_back(segment.body.ops[i].name);
  return launch;
}

Json to_json(const ManifestValue& value) {
  Json json{{"name", value.name}, {"dtype", dtype_info(value.dtype).name}, {"dims", value.dims}};
  if (!value.updates.empty()) json["updates"] = value.updates;
  return json;
}

Json to_json(const std::vector<ManifestValue>& values) {
  Json json = Json::array();
  for (const ManifestValue& value : values) json.push_back(to_json(value));
  return json;
}

// What is wrong, thrown within this file.
struct Wrong {
  std::string field, what;
};

// A JSON value and where it stands.
class Node {
 public:
  Node(const Json& json, std::string field) : json_(json), field_(std::move(field)) {}

  [[nodiscard]] Node operator[](const std::string& key) const {
    if (!json_.is_object()) fail("is not an object");
    const auto found = json_.find(key);
    const std::string field = field_.empty() ? key : field_ + "." + key;
    if (found == json_.end()) throw Wrong{field, "is missing"};
    return {*found, field};
  }
  [[nodiscard]] bool has(const std::string& key) const { return json_.is_object() && json_.contains(key); }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) fail("is not a string");
    return json_.get<std::string>();
  }
  [[nodiscard]] std::int64_t integer() const {
    if (!json_.is_number_integer()) fail("is not an integer");
    return json_.get<std::int64_t>();
  }
  [[nodiscard]] std::vector<Node> items() const {
    if (!json_.is_array()) fail("is not a list");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_.size(); ++i) nodes.emplace_back(json_[i], field_ + "[" + std::to_string(i) + "]");
    return nodes;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const Node& node : items()) texts.push_back(node.text());
    return texts;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Wrong{field_, what}; }

 private:
  const Json& json_;
  std::string field_;
};

std::vector<ManifestValue> values_from(const Node& nodes) {
  std::vector<ManifestValue> values;
  for (const Node& node : nodes.items()) {
    const std::optional<Dtype> dtype = parse_dtype(node["dtype"].text());
    if (!dtype) node["dtype"].fail("is not an element type");
    values.push_back({node["name"].text(), *dtype, node["dims"].texts(),
                      node.has("updates") ? node["updates"].text() : std::string()});
  }
  return values;
}

ManifestLaunch launch_from(const Node& node) {
  ManifestLaunch launch;
  launch.name = node["name"].text();
  if (node.has("target")) launch.target = node["target"].text();
  if (node.has("ops")) launch.ops = node["ops"].texts();
  if (node.has("within")) launch.within = node["within"].text();
  launch.operands = values_from(node["operands"]);
  const std::int64_t written = node["written"].integer();
  if (written < 0 || static_cast<std::size_t>(written) > launch.operands.size())
    node["written"].fail("is more than there are operands");
  launch.written = static_cast<std::size_t>(written);
  return launch;
}

ManifestFunction function_from(const Node& node) {
  ManifestFunction function{node["name"].text(), values_from(node["inputs"]), values_from(node["outputs"]), {}, {}, {}};
  for (const Node& symbol : node["symbols"].items()) {
    function.symbols.push_back({symbol["name"].text(), symbol["low"].integer(), std::nullopt});
    if (symbol.has("high")) function.symbols.back().high = symbol["high"].integer();
  }
  function.constraints = node["constraints"].texts();
  for (const Node& launch : node["launches"].items()) function.launches.push_back(launch_from(launch));
  return function;
}

Manifest manifest_from(const Node& node, const std::string& path) {
  const auto same = [&](const std::string& field, const std::string& found, std::string_view known) {
    if (found != known) throw diagnose<kArtifactVersion>({}, path, field, found, known);
  };
  same("format", std::to_string(node["format"].integer()), std::to_string(kManifestFormat));
  same("runtime_abi", std::to_string(node["runtime_abi"].integer()), std::to_string(MLGC_UNIT_ABI));
  same("architecture", node["architecture"].text(), this_architecture());
  Manifest manifest;
  manifest.mlgc = node["mlgc"].text();
  manifest.name = node["name"].text();
  manifest.unit = node["unit"].text();
  manifest.target = node["target"].text();
  manifest.architecture = node["architecture"].text();
  manifest.cpu_features = node["cpu_features"].texts();
  manifest.numerics = node["numerics"].text();
  manifest.compiler = node["compiler"].text();
  manifest.flags = node["flags"].text();
  manifest.externals = node["externals"].texts();
  for (const Node& function : node["functions"].items()) manifest.functions.push_back(function_from(function));
  manifest.states = values_from(node["states"]);
  for (const Node& file : node["files"].items()) {
    const std::int64_t bytes = file["bytes"].integer();
    if (bytes < 0) file["bytes"].fail("is negative");
    manifest.files.push_back({file["name"].text(), static_cast<std::uint64_t>(bytes), file["sha256"].text()});
  }
  return manifest;
}

}  // namespace

std::string ManifestValue::type() const {
  std::string text = "tensor<";
  for (const std::string& dim : dims) text += dim + "x";
  return text + std::string(dtype_info(dtype).name) + ">";
}

std::string ManifestFunction::where() const {
  std::vector<std::string> all;
  for (const ManifestSymbol& symbol : symbols) {
    const std::string low = symbol.low > 0 ? std::to_string(symbol.low) + " <= " : "";
    const std::string high = symbol.high ? " <= " + std::to_string(*symbol.high) : "";
    if (!low.empty() || !high.empty()) all.push_back(low + symbol.name + high);
  }
  all.insert(all.end(), constraints.begin(), constraints.end());
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

const ManifestFile* Manifest::file(std::string_view name) const {
  const auto found = std::ranges::find(files, name, &ManifestFile::name);
  return found == files.end() ? nullptr : &*found;
}

std::string_view this_architecture() {
#if defined(__x86_64__)
  return "x86_64-linux";
#elif defined(__aarch64__)
  return "aarch64-linux";
#else
  return "unknown";
#endif
}

void describe_unit(const mlgc_unit& unit, Manifest& manifest) {
  manifest.mlgc = unit.version;
  manifest.name = unit.name;
  manifest.target = unit.device == nullptr ? "cpp" : "cuda";
  manifest.cpu_features = words_of(unit.cpu_features);
  for (std::int32_t f = 0; f < unit.function_count; ++f) {
    const mlgc_function& function = unit.functions[f];
    ManifestFunction described{function.name, {}, {}, {}, {}, {}};
    for (std::int32_t i = 0; i < function.input_count; ++i) described.inputs.push_back(describe(function.inputs[i]));
    for (std::int32_t i = 0; i < function.output_count; ++i) {
      const mlgc_value& output = function.outputs[i];
      described.outputs.push_back(describe(output));
      if (output.state >= 0) described.outputs.back().updates = "@" + std::string(unit.states[output.state].name);
      if (output.input >= 0) described.outputs.back().updates = function.inputs[output.input].name;
    }
    for (std::int32_t i = 0; i < function.symbol_count; ++i) {
      const mlgc_symbol& symbol = function.symbols[i];
      described.symbols.push_back({symbol.name, symbol.low, std::nullopt});
      if (symbol.high != MLGC_I64_MAX) described.symbols.back().high = symbol.high;
    }
    for (std::int32_t i = 0; i < function.constraint_count; ++i)
      described.constraints.emplace_back(function.constraints[i].text);
    for (std::int32_t i = 0; i < function.kernel_count; ++i)
      described.launches.push_back(describe_launch(unit, function.kernels[i]));
    manifest.functions.push_back(std::move(described));
  }
  for (std::int32_t s = 0; s < unit.segment_count; ++s)
    if (std::ranges::find(manifest.externals, unit.segments[s].segment.target) == manifest.externals.end())
      manifest.externals.emplace_back(unit.segments[s].segment.target);
  for (std::int32_t s = 0; s < unit.state_count; ++s) {
    const mlgc_data& state = unit.states[s];
    ManifestValue described{state.name, static_cast<Dtype>(state.dtype), {}, ""};
    for (std::int32_t i = 0; i < state.rank; ++i) described.dims.push_back(std::to_string(state.sizes[i]));
    manifest.states.push_back(std::move(described));
  }
}

std::string print_manifest(const Manifest& manifest) {
  Json json{{"format", kManifestFormat},
            {"mlgc", manifest.mlgc},
            {"name", manifest.name},
            {"unit", manifest.unit},
            {"runtime_abi", MLGC_UNIT_ABI},
            {"target", manifest.target},
            {"architecture", manifest.architecture},
            {"cpu_features", manifest.cpu_features},
            {"numerics", manifest.numerics},
            {"compiler", manifest.compiler},
            {"flags", manifest.flags},
            {"externals", manifest.externals},
            {"functions", Json::array()},
            {"states", to_json(manifest.states)},
            {"files", Json::array()}};
  for (const ManifestFunction& function : manifest.functions) {
    Json described{
        {"name", function.name},    {"inputs", to_json(function.inputs)},  {"outputs", to_json(function.outputs)},
        {"symbols", Json::array()}, {"constraints", function.constraints}, {"launches", Json::array()}};
    for (const ManifestSymbol& symbol : function.symbols) {
      Json range{{"name", symbol.name}, {"low", symbol.low}};
      if (symbol.high) range["high"] = *symbol.high;
      described["symbols"].push_back(std::move(range));
    }
    for (const ManifestLaunch& launch : function.launches) {
      Json written{{"name", launch.name}};
      if (!launch.target.empty()) written["target"] = launch.target;
      if (!launch.ops.empty()) written["ops"] = launch.ops;
      if (!launch.within.empty()) written["within"] = launch.within;
      written["operands"] = to_json(launch.operands);
      written["written"] = launch.written;
      described["launches"].push_back(std::move(written));
    }
    json["functions"].push_back(std::move(described));
  }
  for (const ManifestFile& file : manifest.files)
    json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return json.dump(2) + "\n";
}

Result<Manifest, Diagnostic> parse_manifest(std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Failure{diagnose<kNoArtifact>({}, path, "its manifest.json is not JSON")};
  try {
    return manifest_from(Node(json, ""), path);
  } catch (const Wrong& wrong) {
    return Failure{diagnose<kManifestField>({}, path, wrong.field.empty() ? "{}" : wrong.field, wrong.what)};
  } catch (Diagnostic& diagnostic) {
    return Failure{std::move(diagnostic)};
  }
}

}  // namespace mlgc
