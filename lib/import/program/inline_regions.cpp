// The walk over nodes and the graphs inside of them; see inline_regions.h.
#include "import/program/inline_regions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "diag/kinds_import.h"
#include "import/program/dtypes.h"
#include "import/program/locations.h"
#include "import/program/schema.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
constexpr std::string_view kAutocast = "wrap_with_autocast", kGradientMode = "wrap_with_set_grad_enabled";
constexpr std::array<std::string_view, 6> kRegions{
    kGradientMode, "invoke_subgraph", "strict_mode", "tag_activation_checkpoint", "wrap", kAutocast};
// Their operands may differ in type: parameters in f32 beside values of 16 bits.
constexpr std::array<std::string_view, 5> kMixed{"layer_norm", "group_norm", "instance_norm", "batch_norm", "rms_norm"};
// Their result has the type they are asked for.
constexpr std::array<std::string_view, 4> kCasting{"to", "_to_copy", "type_as", "view"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `torch.ops.aten.linear.default` gives `linear`.
std::string_view qualified_operator(const Node& node) {
  const std::string_view target = short_target(node.target);
  const std::size_t start = target.find('.') + 1;
  return target.substr(start, target.rfind('.') - start);
}

std::string_view region_kind(const Node& node) {
  if (!node.target.starts_with(kHigherOrder)) return {};
  const std::string_view kind = std::string_view(node.target).substr(kHigherOrder.size());
  return is_one_of(kRegions, kind) ? kind : std::string_view();
}

// What a name of the graph is called where the graph has been inlined: a name, or for an integer a number.
using Names = std::map<std::string, IntArg, std::less<>>;

// How PyTorch runs the operators of a graph.
struct Mode {
  bool autocast = false;
  bool gradients = true;
};

class Inliner {
 public:
  Inliner(Graph& graph, LocationTable& locations, DiagnosticEngine& engine)
      : graph_(graph), locations_(locations), engine_(engine) {}

  // `mode`: that of the region around the graph.
  bool run(Mode mode) {
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    graph_.nodes.reserve(nodes.size());
    for (const Argument& input : graph_.inputs) take_names(input);
    for (const Node& node : nodes) {
      if (!region_kind(node).empty()) continue;  // its results will be called as they are inside
      for (const Argument& output : node.outputs) take_names(output);
    }
    for (Node& node : nodes)
      if (!place(std::move(node), names_, mode)) return false;
    for (Argument& output : graph_.outputs) rename(output, names_);
    return true;
  }
  [[nodiscard]] const Names& names() const { return names_; }
  static void rename(Argument& argument, const Names& names) {
    for (std::string& name : argument.names)
      if (const auto found = names.find(name); found != names.end()) name = found->second.name;
    for (IntArg& integer : argument.ints)
      if (const auto found = names.find(integer.name); found != names.end()) integer = found->second;
  }

 private:
  bool fail(const Node& node, std::string_view expected) {
    engine_.emit(diagnose<kModelStructure>(location_of(node, locations_), node.name, expected));
    return false;
  }

  void take_names(const Argument& argument) {
    taken_.insert(argument.names.begin(), argument.names.end());
    for (const IntArg& integer : argument.ints) taken_.insert(integer.name);
  }
  std::string fresh_name(const std::string& like) {
    std::string name = like;
    if (taken_.insert(name).second) return name;
    int& number = last_[like];  // of the names that were made of it: none is tried twice
    do name = like + "_" + std::to_string(++number);
    while (!taken_.insert(name).second);
    return name;
  }

  // Appends a node whose arguments are called as `names` says, or what is inside of it.
  bool place(Node node, Names& names, Mode mode) {
    for (NamedArgument& input : node.inputs) rename(input.value, names);
    if (!region_kind(node).empty()) return place_region(node, names, mode);
    for (NamedArgument& input : node.inputs) {
      if (!input.value.graph) continue;
      auto inside = std::make_shared<Graph>(*input.value.graph);
      if (!Inliner(*inside, locations_, engine_).run(mode)) return false;
      input.value.graph = std::move(inside);
    }
    if (mode.autocast && !node.target.starts_with(kHigherOrder)) cast_operands(node);
    if (!mode.gradients)
      for (const Argument& output : node.outputs)
        for (const std::string& name : output.names) without_gradient_.emplace(name, graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
    return true;
  }

  bool place_region(const Node& node, Names& names, const Mode around) {
    Mode mode = around;
    std::size_t at = 0;
    while (at < node.inputs.size() && !node.inputs[at].value.is(Kind::Graph)) ++at;
    if (at == node.inputs.size() || node.inputs[at].value.graph == nullptr)
      return fail(node, "a graph among its arguments");
    if (region_kind(node) == kAutocast) {
      if (node.inputs.size() < 3 || !node.inputs[2].value.is(Kind::Bool))
        return fail(node, "whether autocast is enabled as its third argument");
      mode.autocast = node.inputs[2].value.flags.at(0);
    }
    if (region_kind(node) == kGradientMode) {
      if (!node.inputs[0].value.is(Kind::Bool))
        return fail(node, "whether gradients are enabled as its first argument");
      mode.gradients = node.inputs[0].value.flags.at(0);
    }
    const Graph& inside = *node.inputs[at].value.graph;
    Names inner;
    if (!bind_inputs(node, at + 1, inside, inner)) return false;
    if (mode.gradients && !around.gradients)
      for (auto& [name, given] : inner) given.name = with_gradients(given.name);
    for (const auto& [name, size] : inside.sym_ints) {
      if (inner.contains(name)) continue;
      const auto found = inner.emplace(name, IntArg{fresh_name(name)}).first;
      graph_.sym_ints.emplace(found->second.name, size);
    }
    for (Node step : inside.nodes) {
      for (Argument& output : step.outputs) {
        for (const std::string& name : output.names) {
          if (name.empty() || inner.contains(name)) continue;
          const auto found = inner.emplace(name, IntArg{fresh_name(name)}).first;
          const auto meta = inside.tensors.find(name);
          if (meta != inside.tensors.end()) graph_.tensors.emplace(found->second.name, meta->second);
        }
        rename(output, inner);
      }
      if (!place(std::move(step), inner, mode)) return false;
    }
    if (around.gradients && !mode.gradients)
      for (const Argument& output : inside.outputs)
        for (const std::string& name : output.names)
          if (const auto found = inner.find(name); found != inner.end())
            found->second.name = with_gradients(found->second.name);
    return bind_outputs(node, inside, inner, names);
  }

  // What stands for a value where gradients are enabled: what was computed where they are not is a constant there.
  std::string with_gradients(const std::string& name) {
    const auto found = without_gradient_.find(name);
    if (found == without_gradient_.end() || !float_type(name)) return name;
    Argument self;
    self.kind = Kind::Tensor;
    self.names = {name};
    const Node like = graph_.nodes[found->second];
    return append(like, "torch.ops.aten.detach.default", name + "_detached", graph_.tensors.find(name)->second,
                  {{"self", std::move(self)}});
  }

  // The arguments of the node after its graph are, in order, the graph's inputs.
  bool bind_inputs(const Node& node, std::size_t first, const Graph& inside, Names& inner) {
    std::vector<IntArg> given;
    for (std::size_t i = first; i < node.inputs.size(); ++i) {
      const Argument& argument = node.inputs[i].value;
      if (argument.is(Kind::Tensor) || argument.is(Kind::Tensors))
        for (const std::string& name : argument.names) given.push_back({name});
      else if (argument.is(Kind::Int) || argument.is(Kind::Ints))
        given.insert(given.end(), argument.ints.begin(), argument.ints.end());
    }
    if (given.size() != inside.inputs.size()) return fail(node, "a graph with as many inputs as it is given");
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Argument& input = inside.inputs[i];
      const bool tensor = input.is(Kind::Tensor);
      if (tensor ? given[i].name.empty() : !input.is(Kind::Int))
        return fail(node, "a graph of tensors and integers, as they are given");
      const std::string& name = tensor ? input.names[0] : input.ints[0].name;
      if (!name.empty() && !inner.emplace(name, given[i]).second)
        return fail(node, "a graph whose inputs have different names");
    }
    return true;
  }

  bool bind_outputs(const Node& node, const Graph& inside, const Names& inner, Names& names) {
    std::vector<IntArg> results;
    for (Argument output : inside.outputs) {
      rename(output, inner);
      if (output.is(Kind::Int) || output.is(Kind::Ints))
        results.insert(results.end(), output.ints.begin(), output.ints.end());
      else if (output.none())
        results.emplace_back();
      else
        for (const std::string& name : output.names) results.push_back({name});
    }
    std::size_t number = 0;
    for (const Argument& output : node.outputs) {
      const std::size_t count =
          output.is(Kind::Int) || output.is(Kind::Ints) ? output.ints.size() : output.names.size();
      for (std::size_t i = 0; i < count; ++i, ++number) {
        if (number == results.size()) return fail(node, "as many results as its graph has");
        const std::string& name = output.names.empty() ? output.ints[i].name : output.names[i];
        if (!name.empty()) names.insert_or_assign(name, results[number]);
      }
    }
    return true;
  }

  std::optional<Dtype> float_type(const std::string& name) const {
    const auto meta = graph_.tensors.find(name);
    if (meta == graph_.tensors.end()) return std::nullopt;
    const std::optional<Dtype> dtype = dtype_of_number(meta->second.dtype);
    return dtype && is_float(*dtype) ? dtype : std::nullopt;
  }

  // Autocast has cast the operands where the result is of another float type than they promote to.
  void cast_operands(Node& node) {
    const std::string_view name = qualified_operator(node);
    const bool mixed = std::any_of(kMixed.begin(), kMixed.end(),
                                   [&](std::string_view norm) { return name.find(norm) != std::string_view::npos; });
    if (is_in_place(name) || mixed || is_one_of(kCasting, name)) return;
    std::optional<Dtype> recorded;
    std::int64_t number = 0;
    for (const Argument& output : node.outputs)
      for (const std::string& result : output.names)
        if (const std::optional<Dtype> dtype = float_type(result); dtype && !recorded) {
          recorded = dtype;
          number = graph_.tensors.find(result)->second.dtype;
        }
    std::optional<Dtype> promoted;
    const auto each_operand = [&](const auto& visit) {
      for (NamedArgument& input : node.inputs)
        if (input.value.is(Kind::Tensor) || input.value.is(Kind::Tensors))
          for (std::string& operand : input.value.names)
            if (const std::optional<Dtype> dtype = float_type(operand)) visit(operand, *dtype);
    };
    each_operand([&](const std::string&, Dtype dtype) {
      if (!promoted || dtype == Dtype::F64)
        promoted = dtype;
      else if (*promoted != dtype && *promoted != Dtype::F64)
        promoted = Dtype::F32;
    });
    if (!recorded || !promoted || *recorded == *promoted) return;
    each_operand([&](std::string& operand, Dtype dtype) {
      if (dtype != *recorded) operand = cast(node, operand, number);
    });
  }

  std::string cast(const Node& like, const std::string& operand, std::int64_t number) {
    TensorMeta meta = graph_.tensors.find(operand)->second;
    meta.dtype = number;
    Argument self, dtype;
    self.kind = Kind::Tensor;
    self.names = {operand};
    dtype.kind = Kind::Dtype;
    dtype.ints.push_back({"", number});
    return append(like, "torch.ops.aten._to_copy.default", operand + "_cast", std::move(meta),
                  {{"self", std::move(self)}, {"dtype", std::move(dtype)}});
  }

  // Appends a node of one result, placed in the source as another one; gives the name of the result.
  std::string append(const Node& like, std::string_view target, const std::string& wanted, TensorMeta meta,
                     std::vector<NamedArgument> inputs) {
    std::string name = fresh_name(wanted);
    graph_.tensors.emplace(name, std::move(meta));
    Argument result;
    result.kind = Kind::Tensor;
    result.names = {name};
    Node made;
    made.stack_trace = like.stack_trace;
    made.module_stack = like.module_stack;
    made.target = target;
    made.name = name;
    made.inputs = std::move(inputs);
    made.outputs = {std::move(result)};
    graph_.nodes.push_back(std::move(made));
    return name;
  }

  Graph& graph_;
  LocationTable& locations_;
  DiagnosticEngine& engine_;
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int, std::less<>> last_;
  // What was computed where gradients are not enabled, and the node of graph_ that did it.
  std::map<std::string, std::size_t, std::less<>> without_gradient_;
  Names names_;
};

}  // namespace

bool inline_regions(Program& program, LocationTable& locations, DiagnosticEngine& engine) {
  Inliner inliner(program.graph, locations, engine);
  if (!inliner.run({})) return false;
  for (OutputSpec& output : program.outputs) Inliner::rename(output.argument, inliner.names());
  return true;
}

}  // namespace mlgc::program
