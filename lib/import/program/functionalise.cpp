// The walk over the nodes; see functionalise.h.
#include "import/program/functionalise.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "diag/kinds_import.h"
#include "diag/kinds_import_calls.h"
#include "import/program/locations.h"
#include "import/program/schema.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

struct ViewOperator {
  std::string_view name;  // without namespace and overload
  Sharing sharing;
};
constexpr std::array kViews{
    ViewOperator{"alias", Sharing::Same},
    ViewOperator{"detach", Sharing::Same},
    ViewOperator{"detach_", Sharing::Same},
    ViewOperator{"data", Sharing::Same},
    ViewOperator{"positive", Sharing::Same},
    ViewOperator{"conj", Sharing::Same},
    ViewOperator{"real", Sharing::Same},
    ViewOperator{"pin_memory", Sharing::Same},
    ViewOperator{"view", Sharing::Reshaped},
    ViewOperator{"view_as", Sharing::Reshaped},
    ViewOperator{"unsqueeze", Sharing::Reshaped},
    ViewOperator{"squeeze", Sharing::Reshaped},
    ViewOperator{"unflatten", Sharing::Reshaped},
    ViewOperator{"permute", Sharing::Permuted},
    ViewOperator{"transpose", Sharing::Permuted},
    ViewOperator{"swapaxes", Sharing::Permuted},
    ViewOperator{"swapdims", Sharing::Permuted},
    ViewOperator{"mT", Sharing::Permuted},
    ViewOperator{"mH", Sharing::Permuted},
    ViewOperator{"adjoint", Sharing::Permuted},
    ViewOperator{"matrix_H", Sharing::Permuted},
    ViewOperator{"t", Sharing::Permuted},
    ViewOperator{"numpy_T", Sharing::Permuted},
    ViewOperator{"slice", Sharing::Part},
    ViewOperator{"select", Sharing::Part},
    ViewOperator{"expand", Sharing::Repeated},
    ViewOperator{"expand_as", Sharing::Repeated},
    ViewOperator{"broadcast_to", Sharing::Repeated},
    ViewOperator{"as_strided", Sharing::Repeated},
    ViewOperator{"diagonal", Sharing::Repeated},
    ViewOperator{"narrow", Sharing::Repeated},
    ViewOperator{"unfold", Sharing::Repeated},
    ViewOperator{"movedim", Sharing::Repeated},
    ViewOperator{"moveaxis", Sharing::Repeated},
    ViewOperator{"hsplit", Sharing::Repeated},
    ViewOperator{"vsplit", Sharing::Repeated},
    ViewOperator{"dsplit", Sharing::Repeated},
    ViewOperator{"chunk", Sharing::Repeated},
    ViewOperator{"split", Sharing::Repeated},
    ViewOperator{"split_with_sizes", Sharing::Repeated},
    ViewOperator{"tensor_split", Sharing::Repeated},
    ViewOperator{"unbind", Sharing::Repeated},
    ViewOperator{"reshape", Sharing::Perhaps},
    ViewOperator{"flatten", Sharing::Perhaps},
    ViewOperator{"contiguous", Sharing::Perhaps},
    ViewOperator{"to", Sharing::Perhaps},
    ViewOperator{"type_as", Sharing::Perhaps},
    ViewOperator{"dropout", Sharing::Perhaps},
    ViewOperator{"alpha_dropout", Sharing::Perhaps},
    ViewOperator{"feature_dropout", Sharing::Perhaps},
};

// What computes the new value of an operand that is changed, where it is not called like what changes it.
struct OtherName {
  std::string_view changing, functional;
  std::string_view argument = "";  // that may be left out of the first only; then it is `otherwise`
  double otherwise = 0;
};
constexpr std::array kOtherNames{
    OtherName{"zero.default", "zeros_like.default"},
    OtherName{"normal.default", "normal_functional.default"},
    OtherName{"bernoulli.float", "bernoulli.p", "p", 0.5},
};

// `torch.ops.aten.add_.Tensor` gives `add_` and `Tensor`; empty for what is no ATen operator.
std::pair<std::string_view, std::string_view> name_and_overload(const Node& node) {
  constexpr std::string_view kPrefix = "aten.";
  const std::string_view target = short_target(node.target);
  if (!target.starts_with(kPrefix)) return {};
  const std::string_view rest = target.substr(kPrefix.size());
  const std::size_t dot = rest.rfind('.');
  return dot == std::string_view::npos ? std::pair(rest, std::string_view())
                                       : std::pair(rest.substr(0, dot), rest.substr(dot + 1));
}

const Argument* find_input(const Node& node, std::string_view name) {
  for (const NamedArgument& input : node.inputs)
    if (input.name == name) return &input.value;
  return nullptr;
}

bool is_set(const Node& node, std::string_view name) {
  const Argument* const value = find_input(node, name);
  return value != nullptr && value->is(Kind::Bool) && value->constant_number() && value->flags[0];
}

// An instance norm by the input's own statistics, which running ones follow in place. ATen's schema does not say so, so
// that it is left like this at every level.
bool moves_instance_statistics(const Node& node) {
  const Argument* const mean = find_input(node, "running_mean");
  return name_and_overload(node).first == "instance_norm" && is_set(node, "use_input_stats") && mean != nullptr &&
         mean->is(Kind::Tensor);
}

bool changes_in_place(std::string_view name) { return is_in_place(name) && name != "detach_" && name != "lift_fresh_"; }

Argument tensor(std::string name) {
  Argument argument;
  argument.kind = Kind::Tensor;
  argument.names.push_back(std::move(name));
  return argument;
}

class Functionaliser {
 public:
  Functionaliser(Program& program, LocationTable& locations, DiagnosticEngine& engine)
      : program_(program), graph_(program.graph), locations_(locations), engine_(engine) {}

  bool run() {
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    graph_.nodes.reserve(nodes.size());
    for (Node& node : nodes) {
      node_ = &node;
      const auto [name, overload] = name_and_overload(node);
      if (changes_inside(node)) return refuse<kChangedInPlace>("a tensor in a graph of its own");
      const bool done = changes_in_place(name)                             ? change(node, name, overload)
                        : name == "batch_norm" && is_set(node, "training") ? change_statistics(node)
                        : moves_instance_statistics(node)                  ? change_instance_statistics(node)
                                                                           : keep(node, name);
      if (!done) return false;
    }
    node_ = nullptr;
    return finish();
  }

 private:
  // The node that changed a memory last. Nodes move, so it is kept by what diagnostics say of it.
  struct Changer {
    std::string target;
    Location at;
  };
  // What a name of the program stands for.
  struct Tensor {
    std::string current;     // the name of its value
    std::uint64_t seen = 0;  // the number of changes to its memory that `current` knows of
    std::string base;        // what it is a view of; empty: the memory is its own
    std::string root;        // whose memory it is
    std::size_t depth = 0;   // views of views
    Sharing sharing = Sharing::Same;
    std::size_t maker = kNoMaker;  // in makers_: the node that made the view, as the program has it
    std::size_t output = 0;        // which of its results
    std::uint64_t changes = 0;     // to its memory, where that is its own
    Changer changed_by{};          // of its memory, where that is its own
    bool uncertain = false;        // whether its memory may have been changed through what may be a copy of it
  };
  static constexpr std::size_t kMaxDepth = 1000;
  static constexpr std::size_t kNoMaker = static_cast<std::size_t>(-1);

  bool fail(Diagnostic diagnostic) {
    engine_.emit(std::move(diagnostic).with_note<kFunctionalProgram>(diagnostic.at));
    return false;
  }
  // Of the node that is looked at; a kind whose first argument is its operator.
  template <const DiagKind& K, class... Args>
  bool refuse(Args&&... args) {
    return fail(diagnose<K>(location_of(*node_, locations_), short_target(node_->target), std::forward<Args>(args)...));
  }
  // `reader` reads what `changed_by` may have changed.
  bool refuse_alias(const Changer& changed_by, const std::string& reader, const std::string& name) {
    return fail(diagnose<kMayAlias>(changed_by.at, changed_by.target, reader, name));
  }
  Changer changer() const { return {std::string(short_target(node_->target)), location_of(*node_, locations_)}; }

  bool changes_inside(const Node& node) const {
    for (const NamedArgument& input : node.inputs) {
      if (!input.value.graph) continue;
      for (const Node& inner : input.value.graph->nodes)
        if (changes_in_place(name_and_overload(inner).first) || changes_inside(inner)) return true;
    }
    return false;
  }

  Tensor& of(const std::string& name) {
    const auto [found, fresh] = tensors_.try_emplace(name);
    if (fresh) found->second.current = found->second.root = name;
    return found->second;
  }
  std::string root_of(const std::string& name) { return of(name).root; }

  // The name of the value that a read of `name` finds here; empty after a diagnostic.
  std::string read(const std::string& name) {
    Tensor& self = of(name);
    const Tensor& root = of(self.root);
    const std::uint64_t changes = root.changes;
    if (self.base.empty() ? !self.uncertain : self.seen == changes) return self.current;
    if (self.sharing == Sharing::Perhaps || root.uncertain) {
      const std::string reader =
          node_ == nullptr ? "the end of the program" : "`" + std::string(short_target(node_->target)) + "`";
      refuse_alias(root.changed_by, reader, name);
      return {};
    }
    const std::string base = read(self.base);
    if (base.empty()) return {};
    if (self.maker == kNoMaker) {
      self.current = base;
    } else {
      Node again = makers_[self.maker];
      if (!rename_reads(again, self.base, base)) return {};
      rename_outputs(again, self.output, name, self.current);
      graph_.nodes.push_back(std::move(again));
    }
    self.seen = changes;
    return self.current;
  }

  // Reads of `base` become reads of `value`, others those of what is there now.
  bool rename_reads(Node& node, const std::string& base, const std::string& value) {
    for (NamedArgument& input : node.inputs) {
      if (!input.value.is(Kind::Tensor) && !input.value.is(Kind::Tensors)) continue;
      for (std::string& name : input.value.names) {
        if (name.empty()) continue;
        name = name == base && !value.empty() ? value : read(name);
        if (name.empty()) return false;
      }
    }
    return true;
  }
  bool rename_reads(Node& node) { return rename_reads(node, "", ""); }

  // Its results get fresh names; the one with number `output`, called `name` by the program, becomes `current`.
  void rename_outputs(Node& node, std::size_t output, const std::string& name, std::string& current) {
    std::size_t number = 0;
    for (Argument& result : node.outputs)
      for (std::string& result_name : result.names) {
        const std::string fresh = fresh_name(result_name);
        if (number++ == output) current = fresh;
        result_name = fresh;
      }
    node.name = fresh_name(name);
  }

  // A name that nothing has, with the type of `like`.
  std::string fresh_name(const std::string& like) {
    std::string name;
    do {
      name = like + "_" + std::to_string(++fresh_);
    } while (graph_.tensors.contains(name));
    const auto meta = graph_.tensors.find(like);
    if (meta != graph_.tensors.end()) graph_.tensors.emplace(name, meta->second);
    return name;
  }

  // A node without effects. Results that share memory with an operand are remembered.
  bool keep(Node& node, std::string_view name) {
    const std::optional<Sharing> sharing = sharing_of(name, short_target(node.target));
    if (sharing && !node.inputs.empty() && node.inputs[0].value.is(Kind::Tensor)) {
      const std::string base = node.inputs[0].value.names[0];
      const std::size_t maker = makers_.size();
      makers_.push_back(node);
      std::size_t number = 0;
      for (const Argument& result : node.outputs)
        for (const std::string& result_name : result.names)
          if (!add_view(result_name, result_name, base, *sharing, maker, number++)) return false;
    }
    if (!rename_reads(node)) return false;
    graph_.nodes.push_back(std::move(node));
    return true;
  }

  bool add_view(const std::string& name, const std::string& current, const std::string& base, Sharing sharing,
                std::size_t maker, std::size_t output) {
    const Tensor& whole = of(base);
    if (whole.depth >= kMaxDepth) return refuse<kImportLimit>(whole.depth + 1, "views of views", kMaxDepth);
    const std::uint64_t changes = of(whole.root).changes;
    tensors_[name] = {.current = current,
                      .seen = changes,
                      .base = base,
                      .root = whole.root,
                      .depth = whole.depth + 1,
                      .sharing = sharing,
                      .maker = maker,
                      .output = output};
    return true;
  }

  // Batch normalisation in training mode moves its running statistics.
  bool change_statistics(Node& node) {
    Node made = node;
    made.target = "torch.ops.aten._native_batch_norm_legit_functional.default";
    std::erase_if(made.inputs, [](const NamedArgument& input) { return input.name == "cudnn_enabled"; });
    std::array<std::string, 2> statistics;
    for (const NamedArgument& input : node.inputs) {
      if (!input.value.is(Kind::Tensor)) continue;
      if (input.name == "running_mean") statistics[0] = input.value.names[0];
      if (input.name == "running_var") statistics[1] = input.value.names[0];
    }
    if (statistics[0].empty() || statistics[1].empty()) return keep(node, "");
    if (!rename_reads(made)) return false;
    std::array<std::string, 2> moved;
    for (std::size_t i = 0; i < 2; ++i) made.outputs.push_back(tensor(fresh_name(statistics[i])));
    for (std::size_t i = 0; i < 2; ++i) made.outputs.push_back(tensor(moved[i] = fresh_name(statistics[i])));
    graph_.nodes.push_back(std::move(made));
    return write(statistics[0], moved[0]) && write(statistics[1], moved[1]);
  }

  // The running statistics move towards the means, over the batch, of each sample's own.
  bool change_instance_statistics(Node& node) {
    const Argument *x = find_input(node, "input"), *momentum = find_input(node, "momentum");
    const auto sizes = x == nullptr || !x->is(Kind::Tensor) ? graph_.tensors.end() : graph_.tensors.find(x->names[0]);
    if (x == nullptr || momentum == nullptr) return refuse<kArgumentMissing>(x == nullptr ? "input" : "momentum");
    if (!x->is(Kind::Tensor)) return refuse<kArgumentKind>("argument `input`", "not a tensor", "a tensor");
    if (sizes == graph_.tensors.end())
      return fail(diagnose<kModelStructure>(location_of(node, locations_), "tensor_values",
                                            "an entry for `" + x->names[0] + "`"));
    if (const std::size_t rank = sizes->second.sizes.size(); rank < 3)
      return refuse<kOperandAxes>("argument `input`", rank, "3 or more");
    const std::string input = x->names[0];
    const Argument rate = *momentum;
    Argument inner;
    inner.kind = Kind::Ints;
    for (std::size_t i = 2; i < sizes->second.sizes.size(); ++i)
      inner.ints.push_back({"", static_cast<std::int64_t>(i)});
    TensorMeta of_sample = sizes->second;
    of_sample.sizes.resize(2);
    std::array<std::string, 2> statistics, moved;
    for (const std::size_t i : {0U, 1U}) {
      const Argument* const running = find_input(node, i == 0 ? "running_mean" : "running_var");
      if (running == nullptr || !running->is(Kind::Tensor))
        return refuse<kArgumentMissing>(i == 0 ? "running_mean" : "running_var");
      statistics[i] = running->names[0];
      const std::string own = fresh_name(input), mean = fresh_name(statistics[i]);
      moved[i] = fresh_name(statistics[i]);
      graph_.tensors[own] = of_sample;
      Argument batch = inner;
      batch.ints = {{"", 0}};
      const bool made =
          add(node, i == 0 ? "mean.dim" : "var.correction", {{"self", tensor(input)}, {"dim", inner}}, own) &&
          add(node, "mean.dim", {{"self", tensor(own)}, {"dim", batch}}, mean) &&
          add(node, "lerp.Scalar", {{"self", tensor(statistics[i])}, {"end", tensor(mean)}, {"weight", rate}},
              moved[i]);
      if (!made) return false;
    }
    Node made = node;
    for (NamedArgument& argument : made.inputs)
      if (argument.name == "running_mean" || argument.name == "running_var") argument.value = Argument();
    return keep(made, "") && write(statistics[0], moved[0]) && write(statistics[1], moved[1]);
  }

  // An operator in the place of `node`.
  bool add(const Node& node, std::string_view target, std::vector<NamedArgument> inputs, const std::string& result) {
    Node made = node;
    made.target = "torch.ops.aten." + std::string(target);
    made.name = result;
    made.inputs = std::move(inputs);
    made.outputs = {tensor(result)};
    if (!rename_reads(made)) return false;
    graph_.nodes.push_back(std::move(made));
    return true;
  }

  // `add_` becomes `add`; a few have no counterpart of that name.
  bool change(Node& node, std::string_view name, std::string_view overload) {
    if (node.inputs.empty()) return refuse<kUnknownChange>("it has no operands");
    if (!node.inputs[0].value.is(Kind::Tensor)) return refuse<kUnknownChange>("its first argument is not a tensor");
    if (node.outputs.size() > 1)
      return refuse<kUnknownChange>("it has " + std::to_string(node.outputs.size()) + " results");
    const std::string self = node.inputs[0].value.names[0];
    Node made = node;
    if (!rename_reads(made)) return false;
    const std::string spelt = std::string(name.substr(0, name.size() - 1)) + "." + std::string(overload);
    const auto other = std::ranges::find(kOtherNames, spelt, &OtherName::changing);
    made.target = "torch.ops.aten." + (other == kOtherNames.end() ? spelt : std::string(other->functional));
    if (other != kOtherNames.end() && !other->argument.empty() && find_input(made, other->argument) == nullptr) {
      Argument number;
      number.kind = Kind::Float;
      number.reals.push_back(other->otherwise);
      made.inputs.push_back({std::string(other->argument), number});
    }
    const std::string value = fresh_name(self);
    made.name = value;
    made.outputs = {tensor(value)};
    graph_.nodes.push_back(std::move(made));
    if (!write(self, value)) return false;
    // Its result is its operand.
    for (const Argument& result : node.outputs)
      for (const std::string& alias : result.names)
        if (!add_view(alias, value, self, Sharing::Same, kNoMaker, 0)) return false;
    return true;
  }

  // What may be a copy has memory of its own from here on; what it may be a copy of is not known any more.
  void part_ways(const std::string& name) {
    Tensor& root = of(root_of(name));
    root.uncertain = true;
    root.changed_by = changer();
    ++root.changes;
    Tensor& self = of(name);
    self.base.clear();
    self.root = name;
    self.depth = 0;
  }

  // `name` has a new value, and so has what it is a view of.
  bool write(const std::string& name, const std::string& value) {
    for (std::string view = name; !view.empty(); view = of(view).base)
      if (of(view).sharing == Sharing::Perhaps && !of(view).base.empty()) {
        if (view != name) return refuse<kViewOrCopy>(short_target(makers_[of(view).maker].target));
        part_ways(view);
        break;
      }
    const std::string root = root_of(name);
    const std::uint64_t changes = of(root).changes + 1;
    std::vector<std::pair<std::string, std::string>> values{{name, value}};
    while (!of(values.back().first).base.empty()) {
      const Tensor view = of(values.back().first);
      const std::string whole = carry_back(view, values.back().second);
      if (whole.empty()) return false;
      values.emplace_back(view.base, whole);
    }
    of(root).changes = changes;
    of(root).changed_by = changer();
    for (const auto& [changed, now] : values) {
      of(changed).current = now;
      of(changed).seen = changes;
    }
    return true;
  }

  // The value of what `view` is a view of, when the view has this one; empty after a diagnostic.
  std::string carry_back(const Tensor& view, const std::string& value) {
    if (view.sharing == Sharing::Same) return value;
    if (view.sharing == Sharing::Repeated) {
      refuse<kViewChanged>(short_target(makers_[view.maker].target));
      return {};
    }
    const std::string before = view.sharing == Sharing::Part ? read(view.base) : std::string();
    if (view.sharing == Sharing::Part && before.empty()) return {};
    const Argument sizes = view.sharing == Sharing::Reshaped ? sizes_of(view.base) : Argument();
    Result<Node, Diagnostic> back = put_back(makers_[view.maker], view.sharing, value, before, sizes);
    if (!back) {
      back.error().at = location_of(makers_[view.maker], locations_);
      fail(back.error());
      return {};
    }
    std::string result = fresh_name(view.base);
    back->name = result;
    back->outputs = {tensor(result)};
    graph_.nodes.push_back(*std::move(back));
    return result;
  }

  // The recorded sizes of a tensor as an argument.
  Argument sizes_of(const std::string& name) {
    Argument sizes;
    sizes.kind = Kind::Ints;
    const auto meta = graph_.tensors.find(name);
    if (meta == graph_.tensors.end()) return sizes;
    for (const Size& size : meta->second.sizes) {
      if (size.expression.empty()) {
        sizes.ints.push_back({"", size.value});
        continue;
      }
      const std::string symbol = name + "_size_" + std::to_string(++fresh_);
      graph_.sym_ints.emplace(symbol, size);
      sizes.ints.push_back({symbol, 0});
    }
    return sizes;
  }

  bool finish() {
    for (OutputSpec& spec : program_.outputs) {
      if (!spec.argument.is(Kind::Tensor)) continue;
      const std::string name = read(spec.argument.names[0]);
      if (name.empty()) return false;
      spec.argument.names[0] = name;
    }
    for (const InputSpec& spec : program_.inputs) {
      const bool user = spec.kind == InputSpec::Kind::User;
      if (user && !spec.argument.is(Kind::Tensor)) continue;
      const std::string& name = user ? spec.argument.names[0] : spec.name;
      if (of(name).changes == 0) continue;
      const Changer changed_by = of(name).changed_by;
      if (of(name).uncertain) return refuse_alias(changed_by, "the end of the program", name);
      if (spec.kind == InputSpec::Kind::Constant || spec.kind == InputSpec::Kind::Other)
        return fail(diagnose<kStateChanged>(changed_by.at, "another value", name, "a constant of the program"));
      OutputSpec changed;
      changed.kind = user                                      ? OutputSpec::Kind::InputMutation
                     : spec.kind == InputSpec::Kind::Parameter ? OutputSpec::Kind::ParameterMutation
                                                               : OutputSpec::Kind::BufferMutation;
      changed.argument = tensor(of(name).current);
      changed.target = user ? name : spec.target;
      program_.outputs.push_back(std::move(changed));
    }
    return true;
  }

  Program& program_;
  Graph& graph_;
  LocationTable& locations_;
  DiagnosticEngine& engine_;
  const Node* node_ = nullptr;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::vector<Node> makers_;
  std::uint64_t fresh_ = 0;
};

// The other way round.
Status<Diagnostic> invert(Node& permute) {
  const std::string_view target = short_target(permute.target);
  if (permute.inputs.size() < 2 || !permute.inputs[1].value.is(Kind::Ints))
    return Failure{diagnose<kArgumentMissing>({}, target, "dims")};
  const std::vector<IntArg> axes = permute.inputs[1].value.ints;
  const auto rank = static_cast<std::int64_t>(axes.size());
  std::vector<IntArg> inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i].value < 0 ? axes[i].value + rank : axes[i].value;
    if (axis < 0 || axis >= rank) return Failure{diagnose<kOutOfRange>({}, target, "axis", axes[i].value, rank)};
    inverse[static_cast<std::size_t>(axis)].value = static_cast<std::int64_t>(i);
  }
  permute.inputs[1].value.ints = std::move(inverse);
  return {};
}

}  // namespace

std::optional<Sharing> sharing_of(std::string_view name, std::string_view target) {
  for (const ViewOperator& row : kViews)
    if (row.name == name) return row.sharing;
  const SchemaRow* const row = find_schema_row(target);
  if (row != nullptr && row->schema.find("-> Tensor(a)") != std::string_view::npos) return Sharing::Perhaps;
  return std::nullopt;
}

Result<Node, Diagnostic> put_back(const Node& maker, Sharing sharing, const std::string& value,
                                  const std::string& before, const Argument& sizes) {
  Node back = maker;
  const std::string name(name_and_overload(back).first);
  if (sharing == Sharing::Part) {
    back.target = "torch.ops.aten." + name + "_scatter.default";
    back.inputs[0].value = tensor(before);
    back.inputs.insert(back.inputs.begin() + 1, {"src", tensor(value)});
  } else if (sharing == Sharing::Reshaped) {
    back.target = "torch.ops.aten.view.default";
    back.inputs = {{"self", tensor(value)}, {"size", sizes}};
  } else {
    back.inputs[0].value = tensor(value);
    if (name == "permute")
      if (const Status<Diagnostic> inverted = invert(back); !inverted) return Failure{inverted.error()};
  }
  return back;
}

bool functionalise(Program& program, LocationTable& locations, DiagnosticEngine& engine) {
  if (!program.training_level && std::ranges::none_of(program.graph.nodes, moves_instance_statistics)) return true;
  return Functionaliser(program, locations, engine).run();
}

}  // namespace mlgc::program
