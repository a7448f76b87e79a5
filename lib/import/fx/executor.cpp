// The walk over the nodes and what names mean; see executor.h.
#include "import/fx/executor.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/fx/prelude.h"
#include "import/program/dtypes.h"
#include "import/program/locations.h"
#include "import/python/dtypes.h"

namespace mlgc::fx {

namespace {

// Of memory formats, by c10's numbers.
constexpr std::array<std::string_view, 4> kMemoryFormats{"contiguous_format", "preserve_format", "channels_last",
                                                         "channels_last_3d"};

// Modules of Python whose functions are the ATen operators of their names, where they have no def.
constexpr std::array<std::string_view, 12> kAtenModules{"aten.",
                                                        "torch.",
                                                        "torch.functional.",
                                                        "torch._VF.",
                                                        "torch._C._nn.",
                                                        "torch._C._fft.",
                                                        "torch.fft.",
                                                        "torch._C._linalg.",
                                                        "torch.linalg.",
                                                        "torch._C._special.",
                                                        "torch.special.",
                                                        "torch._C._VariableFunctions."};

// Of torch.nn.functional, whose functions in general take other arguments than the operators of their names, those that
// are the operators themselves.
constexpr std::array<std::string_view, 33> kAtenFunctionals{"adaptive_avg_pool1d",
                                                            "avg_pool1d",
                                                            "avg_pool2d",
                                                            "avg_pool3d",
                                                            "bilinear",
                                                            "celu_",
                                                            "channel_shuffle",
                                                            "conv1d",
                                                            "conv2d",
                                                            "conv3d",
                                                            "conv_tbc",
                                                            "conv_transpose1d",
                                                            "conv_transpose2d",
                                                            "conv_transpose3d",
                                                            "cosine_similarity",
                                                            "elu_",
                                                            "gelu",
                                                            "hardshrink",
                                                            "hardtanh_",
                                                            "leaky_relu_",
                                                            "linear",
                                                            "native_channel_shuffle",
                                                            "one_hot",
                                                            "pairwise_distance",
                                                            "pdist",
                                                            "pixel_shuffle",
                                                            "pixel_unshuffle",
                                                            "prelu",
                                                            "relu_",
                                                            "scaled_dot_product_attention",
                                                            "selu_",
                                                            "softplus",
                                                            "softshrink"};

// Operators of PyTorch's own intermediate levels that are an ATen operator on the same arguments.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPrims{
    {{"prims::convert_element_type.default", "aten::to.dtype"}}};
std::string_view aten_operator(std::string_view name) {
  const auto* const row =
      std::find_if(kPrims.begin(), kPrims.end(), [&](const auto& entry) { return entry.first == name; });
  return row == kPrims.end() ? name : row->second;
}

// Whether a function of Python means the ATen operator of its name.
bool means_aten(std::string_view module, std::string_view base) {
  if (module == "torch.nn.functional.")
    return std::find(kAtenFunctionals.begin(), kAtenFunctionals.end(), base) != kAtenFunctionals.end();
  return std::find(kAtenModules.begin(), kAtenModules.end(), module) != kAtenModules.end();
}

}  // namespace

std::optional<PythonValue> Arguments::take(std::string_view name) {
  const auto found =
      std::find_if(keywords.begin(), keywords.end(), [&](const auto& entry) { return entry.first == name; });
  if (found == keywords.end()) return std::nullopt;
  PythonValue value = std::move(found->second);
  keywords.erase(found);
  return value;
}

Executor::Executor(const Graph& graph, const python::Program& program, std::span<python::ProgramValue> names,
                   ValueNumbers numbers, RecordedTypes& types, program::GraphScope& scope,
                   python::TensorSource& tensors, Location file, std::string file_name)
    : Interpreter(program, scope, tensors, file),
      graph_(graph),
      names_(names),
      numbers_(numbers),
      types_(types),
      file_(file),
      file_name_(std::move(file_name)) {
  for (const fx::Node& node : graph.nodes) {
    taken_.emplace(program::identifier(node.name), 0);
    markers_.push_back({node.target, "", {}, {}, {}, {}, node.stack, node.module, node.line});
  }
  find_items_read();
}

Location Executor::location(const Node& node) const {
  const fx::Node& from = origin(node);
  LocationTable& locations = scope().context().locations();
  const program::UserFrame frame = program::innermost_user_frame(from.stack);
  const Location user = frame.line == 0 ? Location{} : locations.position(frame.file, frame.line, 1);
  return locations.origin({from.module, opcode_name(from.opcode), from.target, from.name}, user);
}

const fx::Node& Executor::origin(const Node& node) const {
  const auto call = node_of_.find(&node);
  return graph_.nodes[call != node_of_.end() ? call->second : current_];
}

std::string Executor::spelling(const Node& node) const { return origin(node).target; }

void Executor::report(const Node& node, Diagnostic diagnostic) {
  diagnostic.add_note<kAtNode>({}, origin(node).name, file_name_);
  Interpreter::report(node, std::move(diagnostic));
}

// torch.ops.aten.max.dim gives a tuple, of which operator.getitem reads what is needed.
void Executor::find_items_read() {
  items_read_.assign(graph_.nodes.size(), std::set<std::int64_t>());
  const auto use = [&](const auto& self, const Literal& literal) -> void {
    if (literal.is(Literal::Kind::Node)) items_read_[static_cast<std::size_t>(literal.integer)].reset();
    for (const Literal& item : literal.items) self(self, item);
  };
  for (const fx::Node& node : graph_.nodes) {
    const bool item = node.target == "operator.getitem" && node.arguments.size() == 2 &&
                      node.arguments[0].is(Literal::Kind::Node) && node.arguments[1].is(Literal::Kind::Int);
    if (item) {
      if (auto& read = items_read_[static_cast<std::size_t>(node.arguments[0].integer)])
        read->insert(node.arguments[1].integer);
      continue;
    }
    for (const Literal& literal : node.arguments) use(use, literal);
    for (const auto& [name, literal] : node.keywords) use(use, literal);
  }
}

bool Executor::reads_result(std::size_t i) const {
  const auto& read = items_read_[current_];
  return !last_ || !read || read->contains(static_cast<std::int64_t>(i)) || (!read->empty() && *read->begin() < 0);
}

std::vector<Type> Executor::recorded_types(const Node& /*node*/) {
  std::vector<Type> out;
  if (!last_ || !types_.comparable()) return out;
  const Recorded& recorded = current().recorded;
  const std::vector<Recorded> one{recorded};
  for (const Recorded& part : recorded.kind == Recorded::Kind::Several ? recorded.parts : one) {
    const Result<Type> type = types_.tensor(part);
    if (part.kind != Recorded::Kind::Tensor || !type) break;
    out.push_back(*type);
  }
  return out;
}

std::nullopt_t Executor::refuse(const std::string& reason) {
  fail(here(), reason);
  return std::nullopt;
}

PythonValue Executor::value_of(const Literal& literal) {
  const auto items = [&] {
    auto made = std::make_shared<std::vector<PythonValue>>();
    for (const Literal& item : literal.items) made->push_back(value_of(item));
    return made;
  };
  switch (literal.kind) {
    case Literal::Kind::None: return {None()};
    case Literal::Kind::Bool: return {literal.integer != 0};
    case Literal::Kind::Int: return {index().constant(literal.integer)};
    case Literal::Kind::Float: return {literal.real};
    case Literal::Kind::String: return {literal.text};
    case Literal::Kind::Node: return get(numbers_.first_node + static_cast<std::uint32_t>(literal.integer));
    case Literal::Kind::List: return {List{items(), depth()}};
    case Literal::Kind::Tuple: return {Tuple{items()}};
    case Literal::Kind::Slice: return {Slice{items()}};
    case Literal::Kind::Ellipsis: return {python::Ellipsis()};
    case Literal::Kind::Device: return {Device{literal.text}};
    case Literal::Kind::Layout:
      if (literal.text != "strided") return {Foreign{"the layout " + literal.text}};
      return {TorchConstant{TorchConstant::Kind::Layout, 0}};
    case Literal::Kind::Complex: return {Foreign{"complex"}};
    case Literal::Kind::Graph: return {Foreign{"a graph"}};
    case Literal::Kind::Dtype: {
      const std::optional<Dtype> dtype = program::dtype_of_name(literal.text);
      if (!dtype) return {Foreign{"the element type " + literal.text}};
      return {TorchConstant{TorchConstant::Kind::Dtype, python::c10_number(*dtype)}};
    }
    case Literal::Kind::MemoryFormat: {
      const auto* const found = std::find(kMemoryFormats.begin(), kMemoryFormats.end(), literal.text);
      return {TorchConstant{TorchConstant::Kind::MemoryFormat, found - kMemoryFormats.begin()}};
    }
    case Literal::Kind::Dict: {
      Dict dict{std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(), depth()};
      for (std::size_t i = 0; i + 1 < literal.items.size(); i += 2)
        dict.items->emplace_back(value_of(literal.items[i]), value_of(literal.items[i + 1]));
      return {dict};
    }
  }
  return {};
}

bool Executor::knows_function(std::string_view name) const {
  name = aten_operator(name);
  // The prelude's own helpers are nobody else's.
  if (name.find_first_of(".:") == std::string_view::npos) return false;
  if (is_higher_order(name) || builtin_function(name) != nullptr || find_function(name) != nullptr) return true;
  if (const std::size_t colons = name.find("::"); colons != std::string_view::npos) {
    const std::string_view overload = name.substr(colons + 2);
    return name.starts_with("aten::") &&
           (overload.find('.') == std::string_view::npos ? known_base(overload)
                                                         : known_base(overload.substr(0, overload.find('.'))));
  }
  const std::size_t dot = name.rfind('.');
  const std::string_view base = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (find_function("torch.nn.functional." + std::string(base)) != nullptr && name.starts_with("torch._C._nn."))
    return true;
  return means_aten(name.substr(0, name.size() - base.size()), base) && known_base(base);
}

bool Executor::knows_method(std::string_view name) const {
  return builtin_method(name) != nullptr || find_function("Tensor." + std::string(name)) != nullptr || known_base(name);
}

std::optional<std::string> Executor::unknown_target(const fx::Node& node) const {
  if (node.opcode == Opcode::CallFunction && !knows_function(node.target)) return node.target;
  if (node.opcode == Opcode::CallMethod && !knows_method(node.target)) return "method " + node.target;
  if (node.opcode != Opcode::CallModule) return std::nullopt;
  const auto module = graph_.modules.find(node.target);
  if (module == graph_.modules.end() || find_function(module->second.type) != nullptr) return std::nullopt;
  return "module " + module->second.type;
}

// Lists all that cannot be called.
bool Executor::check_known() {
  std::map<std::string, int> unknown;
  std::size_t first = 0;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const fx::Node& node = graph_.nodes[i];
    if (node.opcode == Opcode::CallModule && !graph_.modules.contains(node.target)) {
      current_ = i;
      report(here(), diagnose<kFxStructure>(location(here()), "node `" + node.name + "`",
                                            "an entry for `" + node.target + "` among `modules`"));
      return false;
    }
    const std::optional<std::string> what = unknown_target(node);
    if (!what) continue;
    if (unknown.empty()) first = i;
    ++unknown[*what];
  }
  if (unknown.empty()) return true;
  std::vector<std::string> listed;
  for (const auto& [name, count] : unknown)
    listed.push_back(name + " (" + std::to_string(count) + (count == 1 ? " node)" : " nodes)"));
  current_ = first;
  report(here(), diagnose<kFxUnknown>(location(here()), static_cast<std::int64_t>(unknown.size()), std::move(listed)));
  return false;
}

PythonValue Executor::stand_in(const Recorded& recorded) {
  switch (recorded.kind) {
    case Recorded::Kind::Nothing: break;
    case Recorded::Kind::Tensor:
      if (const Result<Type> type = types_.tensor(recorded))
        return {new_tensor(scope().builder.region().add_argument(*type))};
      break;
    case Recorded::Kind::Int:
    case Recorded::Kind::Float:
    case Recorded::Kind::Bool: {
      const Dtype dtype = recorded.kind == Recorded::Kind::Int     ? Dtype::I64
                          : recorded.kind == Recorded::Kind::Float ? Dtype::F64
                                                                   : Dtype::I1;
      return {Computed{scope().builder.region().add_argument(scope().context().types().tensor(dtype, {}))}};
    }
    case Recorded::Kind::Several: {
      auto items = std::make_shared<std::vector<PythonValue>>();
      for (const Recorded& part : recorded.parts) items->push_back(stand_in(part));
      return {Tuple{items}};
    }
  }
  return {Foreign{"a value of an unknown type"}};
}

void Executor::judge_node(std::size_t number) {
  const fx::Node& node = graph_.nodes[number];
  DiagnosticEngine& own = scope().engine();
  DiagnosticEngine heard(scope().context().locations());
  scope().set_engine(heard);
  current_ = number;
  FxVerdict verdict{node.name, node.target, {}, location(here()), {}};
  const program::GraphScope::Mark before = scope().mark();
  if (const auto unknown = unknown_target(node))
    verdict.reason = "`" + *unknown + "` is not known";
  else if (!run_node(number))
    verdict.reason = heard.sorted().empty() ? "it cannot be imported" : heard.sorted().front().message();
  // The ops that the node was converted to come after `before.last`.
  for (OpRef op = scope().mark().last; verdict.reason.empty() && op.valid() && op != before.last; op = op.previous())
    verdict.reason = judge_->refuse(op);
  if (!verdict.reason.empty()) set(numbers_.first_node + static_cast<std::uint32_t>(number), stand_in(node.recorded));
  scope().set_engine(own);
  const auto read = [&](const auto& self, const Literal& literal) -> void {
    if (literal.is(Literal::Kind::Node))
      if (const auto from = verdict_of_[static_cast<std::size_t>(literal.integer)]) verdict.operands.push_back(*from);
    for (const Literal& item : literal.items) self(self, item);
  };
  for (const Literal& literal : node.arguments) read(read, literal);
  for (const auto& [name, literal] : node.keywords) read(read, literal);
  verdict_of_[number] = judge_->verdicts.size();
  judge_->verdicts.push_back(std::move(verdict));
}

bool Executor::run_program() {
  if (judge_ == nullptr && !check_known()) return false;
  verdict_of_.assign(graph_.nodes.size(), std::nullopt);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Opcode opcode = graph_.nodes[i].opcode;
    if (opcode == Opcode::Placeholder) {
      current_ = i;
      if (!check_recorded(graph_.nodes[i].recorded, get(numbers_.first_node + static_cast<std::uint32_t>(i))))
        return false;
      continue;
    }
    if (judge_ != nullptr && opcode != Opcode::Output)
      judge_node(i);
    else if (!run_node(i))
      return false;
  }
  return true;
}

bool Executor::run_node(std::size_t number) {
  current_ = number;
  last_ = true;
  const fx::Node& node = graph_.nodes[number];
  Given value = evaluate(node);
  if (!value) return false;
  if (!check_recorded(node.recorded, *value)) return false;
  value = recorded_size(node.recorded, *std::move(value));
  // What a call made has a name of its own until it is known to be the node's.
  if (const Tensor* tensor = value->as<Tensor>(); tensor != nullptr && (*tensor)->value.valid()) {
    const Value made = (*tensor)->value;
    const auto fresh = taken_.find(made.name());
    if (fresh != taken_.end() && fresh->second == number + 1) made.set_name(program::identifier(node.name));
  }
  set(numbers_.first_node + static_cast<std::uint32_t>(number), *value);
  return true;
}

// A number that was computed on the way through floats (`int(1.7 * x.shape[0])`) is still a size where the trace knows
// it as one.
PythonValue Executor::recorded_size(const Recorded& recorded, PythonValue value) {
  const bool size = recorded.kind == Recorded::Kind::Int && !recorded.sizes.empty();
  if (!size || !value.is<python::Computed>() || !types_.comparable()) return value;
  const std::optional<IndexExpr> known = types_.size(recorded.sizes.front());
  return known ? PythonValue{*known} : value;
}

Executor::Given Executor::evaluate(const fx::Node& node) {
  if (node.opcode == Opcode::CallFunction && is_higher_order(node.target)) return call_higher_order(node);
  Arguments arguments;
  for (const Literal& literal : node.arguments) arguments.positional.push_back(value_of(literal));
  for (const auto& [name, literal] : node.keywords) arguments.keywords.emplace_back(name, value_of(literal));
  switch (node.opcode) {
    case Opcode::GetAttr: return tensor_at(node.target);
    case Opcode::CallFunction: return call_function(node.target, std::move(arguments));
    case Opcode::CallMethod: return call_method(node.target, std::move(arguments));
    case Opcode::CallModule: return call_module(node.target, std::move(arguments));
    case Opcode::Output: return arguments.positional.at(0);
    case Opcode::Placeholder: break;
  }
  return std::nullopt;
}

// Whether a size is one that the interpreter gave a symbol of its own, u0, u1, …
// Types of tensors, however they are nested; of numbers, only that they are some.
bool Executor::check_recorded(const Recorded& recorded, const PythonValue& value) {
  if (recorded.kind == Recorded::Kind::Nothing || value.is<python::Undefined>()) return true;
  const bool tensor_expected = recorded.kind == Recorded::Kind::Tensor;
  const bool several_expected = recorded.kind == Recorded::Kind::Several;
  const std::vector<PythonValue>* const items = value.items();
  const bool same_kind = tensor_expected    ? value.is<Tensor>()
                         : several_expected ? items != nullptr && items->size() == recorded.parts.size()
                                            : value.number();
  if (!same_kind) {
    const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " item" : " items"); };
    report(here(), diagnose<kRecordedType>(location(here()), spelling(here()),
                                           items != nullptr ? count(items->size()) : python::kind_name(value),
                                           tensor_expected    ? "a tensor"
                                           : several_expected ? count(recorded.parts.size())
                                                              : "a number"));
    return false;
  }
  if (several_expected) {
    for (std::size_t i = 0; i < items->size(); ++i)
      if (!check_recorded(recorded.parts[i], (*items)[i])) return false;
    return true;
  }
  const Tensor* const tensor = value.as<Tensor>();
  if (recorded.kind != Recorded::Kind::Tensor || tensor == nullptr || !(*tensor)->value.valid()) return true;
  const Result<Type> type = types_.tensor(recorded);
  if (!type) return fail(here(), type.error());
  const Value made = (*tensor)->value;
  const TypePool& types = scope().context().types();
  const auto ours = made.dims(), theirs = types.dims(*type);
  bool same = made.dtype() == types.dtype(*type) && ours.size() == theirs.size();
  for (std::size_t axis = 0; same && types_.comparable() && axis < ours.size(); ++axis)
    same = index().equal(ours[axis], theirs[axis], scope().facts()) == Truth::Yes || depends_on_data(ours[axis]);
  if (!same)
    report(here(),
           diagnose<kRecordedType>(location(here()), spelling(here()), types.print(made.type()), types.print(*type)));
  return same;
}

Executor::Given Executor::tensor_at(const std::string& path) {
  if (const auto known = attributes().find(path); known != attributes().end()) return known->second;
  const auto entry = graph_.tensors.find(path);
  if (entry == graph_.tensors.end()) return refuse("the file has no tensor `" + path + "`");
  const auto number = static_cast<std::size_t>(std::distance(graph_.tensors.begin(), entry));
  const Result<Tensor> found = tensors().find(number, path);
  if (!found) return refuse("`" + path + "` " + found.error());
  if (const mlgc::Value read = (*found)->value; read.valid() && read.is_result() && !read.definer().location().known())
    read.definer().set_location(location(here()));
  keep_attribute(path, {*found});
  return PythonValue{*found};
}

Executor::Given Executor::get_attribute(const PythonValue& object, const std::string& name) {
  const Object* const module = object.as<Object>();
  if (module == nullptr) {
    Arguments arguments{{object, {name}}, {}};
    return run_getattr("getattr", arguments);
  }
  const std::string path = module->path.empty() ? name : module->path + "." + name;
  if (graph_.tensors.contains(path)) return tensor_at(path);
  const auto held = graph_.modules.find(module->path);
  if (held != graph_.modules.end()) {
    const auto& parameters = held->second.hyper_parameters;
    if (const auto value = parameters.find(name); value != parameters.end()) {
      // `bias` says whether there is one.
      if (name != "bias" || !value->second.is(Literal::Kind::Bool)) return value_of(value->second);
      if (value->second.integer == 0) return PythonValue{None()};
    }
  }
  if (graph_.modules.contains(path)) return PythonValue{Object{0, path}};
  return refuse("module `" + module->path + "` has neither a hyper-parameter nor a tensor `" + name + "` in the file");
}

Executor::Given Executor::call_module(const std::string& path, Arguments arguments) {
  const auto module = graph_.modules.find(path);
  if (module == graph_.modules.end()) return refuse("the file has no module `" + path + "`");
  const Function* const function = find_function(module->second.type);
  if (function == nullptr)
    return refuse("its module `" + path + "` is a " + module->second.type + ", which is not known");
  arguments.positional.insert(arguments.positional.begin(), PythonValue{Object{0, path}});
  return call_def(*function, std::move(arguments));
}

Executor::Given Executor::call_builtin(Builtin builtin, std::string_view name, Arguments& arguments) {
  if (arguments.positional.empty()) return refuse("it is given nothing");
  static constexpr std::array<std::string_view, 7> kKnown{"dim",          "dtype", "device",       "other",
                                                          "non_blocking", "copy",  "memory_format"};
  for (const auto& [keyword, value] : arguments.keywords)
    if (std::find(kKnown.begin(), kKnown.end(), keyword) == kKnown.end())
      return refuse("it has no argument `" + keyword + "` here");
  return (this->*builtin)(name, arguments);
}

Executor::Given Executor::call_function(std::string_view name, Arguments arguments) {
  name = aten_operator(name);
  if (const Builtin builtin = builtin_function(name)) return call_builtin(builtin, name, arguments);
  if (const Function* function = find_function(name)) return call_def(*function, std::move(arguments));
  if (name.starts_with("aten::")) {
    const std::string_view overload = name.substr(6);
    const std::size_t dot = overload.find('.');
    return call_aten(overload.substr(0, dot), std::move(arguments),
                     dot == std::string_view::npos ? "" : overload.substr(dot + 1));
  }
  const std::size_t dot = name.rfind('.');
  const std::string base(name.substr(dot == std::string_view::npos ? 0 : dot + 1));
  if (name.starts_with("torch._C._nn."))
    if (const Function* function = find_function("torch.nn.functional." + base))
      return call_def(*function, std::move(arguments));
  return call_aten(base, std::move(arguments));
}

Executor::Given Executor::call_method(std::string_view name, Arguments arguments) {
  if (arguments.positional.empty()) return refuse("a method of nothing");
  if (const Builtin builtin = builtin_method(name)) return call_builtin(builtin, name, arguments);
  if (!arguments.positional[0].is<Tensor>())
    return refuse(python::kind_name(arguments.positional[0]) + " has no method `" + std::string(name) + "`");
  if (const Function* function = find_function("Tensor." + std::string(name)))
    return call_def(*function, std::move(arguments));
  return call_aten(name, std::move(arguments));
}

}  // namespace mlgc::fx
