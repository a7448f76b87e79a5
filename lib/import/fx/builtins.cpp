// What works on Python's values rather than on tensors' elements: attributes, subscripts, sizes, numbers, containers;
// see executor.h.
#include <algorithm>
#include <array>
#include <charconv>

#include "import/fx/executor.h"
#include "import/torchscript/dtypes.h"

namespace mlgc::fx {

using torchscript::Computed;
using torchscript::Device;
using torchscript::Dict;
using torchscript::Ellipsis;
using torchscript::identical;
using torchscript::kind_name;
using torchscript::List;
using torchscript::None;
using torchscript::Object;
using torchscript::Slice;
using torchscript::Tensor;
using torchscript::TorchConstant;
using torchscript::Tuple;

namespace {

using Names = std::pair<std::string_view, std::string_view>;

// Functions of Python's module operator, by the interpreter's names for what they do to numbers, lists and strings. On
// tensors they are ATen operators.
constexpr std::array<Names, 33> kOperators{{{"add", "aten::add"},
                                            {"sub", "aten::sub"},
                                            {"mul", "aten::mul"},
                                            {"truediv", "aten::div"},
                                            {"floordiv", "aten::floordiv"},
                                            {"mod", "aten::remainder"},
                                            {"pow", "aten::pow"},
                                            {"neg", "aten::neg"},
                                            {"eq", "aten::eq"},
                                            {"ne", "aten::ne"},
                                            {"lt", "aten::lt"},
                                            {"le", "aten::le"},
                                            {"gt", "aten::gt"},
                                            {"ge", "aten::ge"},
                                            {"and_", "aten::__and__"},
                                            {"or_", "aten::__or__"},
                                            {"not_", "aten::__not__"},
                                            {"is_", "aten::__is__"},
                                            {"is_not", "aten::__isnot__"},
                                            {"contains", "aten::__contains__"},
                                            {"xor", ""},
                                            {"invert", ""},
                                            {"inv", ""},
                                            {"abs", ""},
                                            {"matmul", ""},
                                            {"iadd", "aten::add"},
                                            {"isub", "aten::sub"},
                                            {"imul", "aten::mul"},
                                            {"itruediv", "aten::div"},
                                            {"ifloordiv", "aten::floordiv"},
                                            {"imod", "aten::remainder"},
                                            {"ipow", "aten::pow"},
                                            {"concat", "aten::add"}}};

constexpr std::array<Names, 15> kNumbers{{{"builtins.int", "aten::Int"},
                                          {"builtins.float", "aten::Float"},
                                          {"builtins.bool", "aten::Bool"},
                                          {"builtins.max", "prim::max"},
                                          {"builtins.min", "prim::min"},
                                          {"builtins.round", "aten::round"},
                                          {"builtins.len", "aten::len"},
                                          {"math.ceil", "aten::ceil"},
                                          {"math.floor", "aten::floor"},
                                          {"math.sqrt", "aten::sqrt"},
                                          {"torch.sym_int", "aten::Int"},
                                          {"torch.sym_float", "aten::Float"},
                                          {"torch.sym_max", "prim::max"},
                                          {"torch.sym_min", "prim::min"},
                                          {"torch.sym_not", "aten::__not__"}}};

constexpr std::array<Names, 9> kQueries{{{"dim", "aten::dim"},
                                         {"numel", "aten::numel"},
                                         {"item", "aten::item"},
                                         {"is_floating_point", "aten::is_floating_point"},
                                         {"torch.numel", "aten::numel"},
                                         {"torch.is_floating_point", "aten::is_floating_point"},
                                         {"aten::sym_numel.default", "aten::numel"},
                                         {"aten::item.default", "aten::item"},
                                         {"aten::_local_scalar_dense.default", "aten::item"}}};

constexpr std::array<std::string_view, 9> kFalse{"requires_grad", "is_cuda",   "is_sparse", "is_quantized", "is_mkldnn",
                                                 "is_meta",       "is_nested", "is_mps",    "is_xpu"};

template <std::size_t N>
const std::string_view* lookup(const std::array<Names, N>& table, std::string_view name) {
  const auto* const found =
      std::find_if(table.begin(), table.end(), [&](const Names& row) { return row.first == name; });
  return found == table.end() ? nullptr : &found->second;
}

PythonValue as_tuple(const PythonValue& value) {
  return value.items() == nullptr ? value
                                  : PythonValue{Tuple{std::make_shared<std::vector<PythonValue>>(*value.items())}};
}

}  // namespace

Executor::Builtin Executor::builtin_function(std::string_view name) {
  if (name == "builtins.getattr") return &Executor::run_getattr;
  if (name == "operator.getitem") return &Executor::run_getitem;
  if (name == "aten::sym_size.int" || name == "aten::sym_size.default") return &Executor::run_size;
  for (const std::string_view helper : {"each", "floats", "is_sequence", "children", "parameters"})
    if (name == helper) return &Executor::run_helper;
  if (lookup(kNumbers, name) != nullptr) return &Executor::run_number;
  if (lookup(kQueries, name) != nullptr) return &Executor::run_query;
  if (name.starts_with("operator.") && lookup(kOperators, name.substr(9)) != nullptr) return &Executor::run_operator;
  return nullptr;
}

Executor::Builtin Executor::builtin_method(std::string_view name) {
  if (name == "size") return &Executor::run_size;
  if (name == "to") return &Executor::run_to;
  for (const std::string_view method : {"keys", "values", "items", "append", "extend"})
    if (name == method) return &Executor::run_container;
  return name.find('.') == std::string_view::npos && lookup(kQueries, name) != nullptr ? &Executor::run_query : nullptr;
}

std::optional<bool> Executor::truth(const PythonValue& value) {
  if (const bool* flag = value.as<bool>()) return *flag;
  if (value.is<None>()) return false;
  if (const IndexExpr* number = value.as<IndexExpr>())
    if (const auto constant = index().as_constant(*number)) return *constant != 0;
  if (const std::string* text = value.as<std::string>()) return !text->empty();
  if (value.items() != nullptr) return !value.items()->empty();
  refuse("a decision depends on " + kind_name(value));
  return std::nullopt;
}

Executor::Given Executor::run_getattr(std::string_view /*name*/, Arguments& arguments) {
  const auto& given = arguments.positional;
  const std::string* const name = given.size() < 2 ? nullptr : given[1].as<std::string>();
  if (name == nullptr) return refuse("it reads an attribute without a name");
  const PythonValue& object = given[0];
  const std::array one{object};
  if (object.is<Tensor>()) {
    if (*name == "shape") {
      const Given sizes = call_python("aten::size", one);
      return sizes ? Given(as_tuple(*sizes)) : std::nullopt;
    }
    if (*name == "dtype") {
      const Given number = call_python("prim::dtype", one);
      if (!number) return std::nullopt;
      return PythonValue{
          TorchConstant{TorchConstant::Kind::Dtype, index().as_constant(*number->as<IndexExpr>()).value_or(-1)}};
    }
    if (*name == "ndim") return call_python("aten::dim", one);
    if (*name == "device") return PythonValue{Device{"cpu"}};
    if (*name == "layout") return PythonValue{TorchConstant{TorchConstant::Kind::Layout, 0}};
    if (*name == "grad") return PythonValue{None()};
    if (*name == "data") return object;
    if (*name == "T") return call_aten("numpy_T", {{object}, {}});
    if (*name == "mT") return call_aten("transpose", {{object, {index().constant(-2)}, {index().constant(-1)}}, {}});
    if (std::find(kFalse.begin(), kFalse.end(), *name) != kFalse.end()) return PythonValue{false};
  }
  // Of what torch.max() and the like give.
  if (object.is<Tuple>() && object.items()->size() == 2 && (*name == "values" || *name == "indices"))
    return (*object.items())[*name == "values" ? 0 : 1];
  if (const Device* device = object.as<Device>(); device != nullptr && *name == "type")
    return PythonValue{device->name.substr(0, device->name.find(':'))};
  if (given.size() == 3) return given[2];
  return refuse(kind_name(object) + " has no attribute `" + *name + "` here");
}

Executor::Given Executor::run_getitem(std::string_view /*name*/, Arguments& arguments) {
  if (arguments.positional.size() != 2) return refuse("a subscript has an object and an index");
  const PythonValue &object = arguments.positional[0], &key = arguments.positional[1];
  if (object.is<Tensor>()) return subscript(object, key);
  const Slice* const slice = key.as<Slice>();
  if (slice == nullptr) return call_python("aten::__getitem__", arguments.positional);
  const std::array operands{object, (*slice->bounds)[0], (*slice->bounds)[1], (*slice->bounds)[2]};
  const Given taken = call_python("aten::slice", operands);
  return taken && object.is<Tuple>() ? Given(as_tuple(*taken)) : taken;
}

// Axis by axis: integers and slices first, then one call for all tensors among the indices.
Executor::Given Executor::subscript(const PythonValue& tensor, const PythonValue& key) {
  const std::vector<PythonValue> one{key};
  const std::vector<PythonValue>& parts = key.is<Tuple>() ? *key.items() : one;
  const mlgc::Value held = tensor_value(here(), *tensor.as<Tensor>());
  if (!held.valid()) return std::nullopt;
  std::size_t taken = 0;  // axes that the parts stand for
  for (const PythonValue& part : parts) {
    const Tensor* const among = part.as<Tensor>();
    const bool mask = among != nullptr && (*among)->value.valid() && (*among)->value.dtype() == Dtype::I1;
    taken += mask ? (*among)->value.rank() : part.is<None>() || part.is<Ellipsis>() ? 0 : 1;
  }
  if (taken > held.rank()) return refuse("more indices than axes");
  last_ = false;
  PythonValue x = tensor;
  std::int64_t axis = 0;
  std::vector<PythonValue> tensors;  // by axis of x; None where a whole axis is taken
  bool any = false;
  for (const PythonValue& part : parts) {
    const PythonValue at{index().constant(axis)};
    Given next = x;
    if (part.is<Tensor>()) {
      tensors.push_back(part);
      any = true;
      const mlgc::Value value = tensor_value(here(), *part.as<Tensor>());
      if (!value.valid()) return std::nullopt;
      axis += value.dtype() == Dtype::I1 ? static_cast<std::int64_t>(value.rank()) : 1;
    } else if (part.is<Ellipsis>()) {
      const std::size_t whole = held.rank() - taken;
      tensors.insert(tensors.end(), whole, PythonValue{None()});
      axis += static_cast<std::int64_t>(whole);
    } else if (part.is<None>()) {
      next = call_aten("unsqueeze", {{x, at}, {}});
      tensors.push_back({None()});
      ++axis;
    } else if (const Slice* slice = part.as<Slice>()) {
      const auto& bounds = *slice->bounds;
      const PythonValue step = bounds[2].is<None>() ? PythonValue{index().constant(1)} : bounds[2];
      const bool whole = bounds[0].is<None>() && bounds[1].is<None>() && bounds[2].is<None>();
      if (!whole) next = call_aten("slice", {{x, at, bounds[0], bounds[1], step}, {}});
      tensors.push_back({None()});
      ++axis;
    } else if (part.is<IndexExpr>() || part.is<Computed>()) {
      next = call_aten("select", {{x, at, part}, {}});
    } else {
      return refuse("it is indexed by " + kind_name(part));
    }
    if (!next) return std::nullopt;
    x = *std::move(next);
  }
  if (!any) return x;
  while (tensors.back().is<None>()) tensors.pop_back();
  const PythonValue list{List{std::make_shared<std::vector<PythonValue>>(std::move(tensors)), depth()}};
  return call_aten("index", {{x, list}, {}});
}

Executor::Given Executor::run_operator(std::string_view name, Arguments& arguments) {
  std::string_view base = name.substr(9);
  const std::string_view python = *lookup(kOperators, base);
  const auto& given = arguments.positional;
  const bool identity = base == "is_" || base == "is_not";
  if (!identity &&
      std::any_of(given.begin(), given.end(), [](const auto& value) { return value.template is<Tensor>(); })) {
    // `x += y` changes x, whose name the node that gives it takes over.
    static constexpr std::array kInPlace{"iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"};
    if (std::find(kInPlace.begin(), kInPlace.end(), base) == kInPlace.end())
      return call_aten(base, std::move(arguments));
    base.remove_prefix(1);
    const std::string_view plain = base == "truediv"    ? "div"
                                   : base == "floordiv" ? "floor_divide"
                                   : base == "mod"      ? "remainder"
                                                        : base;
    return call_aten(std::string(plain) + "_", std::move(arguments));
  }
  if ((base == "eq" || base == "ne") && given.size() == 2 && !(given[0].number() && given[1].number()))
    return PythonValue{identical(given[0], given[1]) == (base == "eq")};
  if (python.empty()) return refuse("it is given " + (given.empty() ? "nothing" : kind_name(given[0])));
  return call_python(std::string(python), given);
}

Executor::Given Executor::run_number(std::string_view name, Arguments& arguments) {
  return call_python(std::string(*lookup(kNumbers, name)), arguments.positional);
}

Executor::Given Executor::run_query(std::string_view name, Arguments& arguments) {
  if (!arguments.positional[0].is<Tensor>()) return refuse("it is given " + kind_name(arguments.positional[0]));
  return call_python(std::string(*lookup(kQueries, name)), arguments.positional);
}

Executor::Given Executor::run_size(std::string_view /*name*/, Arguments& arguments) {
  if (const std::optional<PythonValue> axis = arguments.take("dim")) arguments.positional.push_back(*axis);
  if (arguments.positional.size() == 2 && arguments.positional[1].is<None>()) arguments.positional.pop_back();
  if (!arguments.positional[0].is<Tensor>()) return refuse("it is given " + kind_name(arguments.positional[0]));
  const Given sizes = call_python("aten::size", arguments.positional);
  return sizes ? Given(as_tuple(*sizes)) : std::nullopt;
}

Executor::Given Executor::run_container(std::string_view name, Arguments& arguments) {
  if (arguments.positional[0].is<Tensor>()) return refuse("a tensor has no method `" + std::string(name) + "` here");
  return call_python("aten::" + std::string(name), arguments.positional);
}

// A dtype, a tensor whose dtype it is, or a device, which there is one of.
Executor::Given Executor::run_to(std::string_view /*name*/, Arguments& arguments) {
  const auto& given = arguments.positional;
  std::optional<PythonValue> dtype = arguments.take("dtype");
  std::optional<PythonValue> other = arguments.take("other");
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (given[i].is<Tensor>()) other = given[i];
    const TorchConstant* const constant = given[i].as<TorchConstant>();
    if (constant != nullptr && constant->kind == TorchConstant::Kind::Dtype) dtype = given[i];
    const bool known = given[i].is<Tensor>() || constant != nullptr || given[i].is<Device>() ||
                       given[i].is<std::string>() || given[i].is<bool>() || given[i].is<None>();
    if (!known) return refuse("it is given " + kind_name(given[i]));
  }
  if (other) {
    Arguments asked{{*other, {std::string("dtype")}}, {}};
    dtype = run_getattr("getattr", asked);
    if (!dtype) return std::nullopt;
  }
  if (!dtype || dtype->is<None>()) return given[0];
  return call_aten("to", {{given[0], *dtype}, {}}, "dtype");
}

Executor::Given Executor::run_helper(std::string_view name, Arguments& arguments) {
  const PythonValue& value = arguments.positional.at(0);
  if (name == "is_sequence") return PythonValue{value.items() != nullptr};
  auto made = std::make_shared<std::vector<PythonValue>>();
  if (name == "each") {
    if (value.items() != nullptr) return value;
    const auto count = index().as_constant(*arguments.positional.at(1).as<IndexExpr>());
    made->assign(static_cast<std::size_t>(std::clamp<std::int64_t>(count.value_or(0), 0, 8)), value);
  } else if (name == "floats") {
    for (const PythonValue& item : *value.items()) {
      const Given real = call_python("aten::Float", std::array{item});
      if (!real) return std::nullopt;
      made->push_back(*real);
    }
  } else if (name == "parameters") {
    const Given names = get_attribute(value, "_flat_weights_names");
    if (!names || names->items() == nullptr) return refuse("its weights are not listed");
    for (const PythonValue& each : *names->items()) {
      const std::string* const path = each.as<std::string>();
      const Given weight = path == nullptr ? std::nullopt : get_attribute(value, *path);
      if (!weight) return refuse("its weights are not listed");
      made->push_back(*weight);
    }
  } else {
    if (!value.is<Object>()) return refuse("its modules are " + kind_name(value));
    const std::string prefix = value.as<Object>()->path + ".";
    std::map<int, std::string> paths;
    for (auto at = graph_.modules.lower_bound(prefix); at != graph_.modules.end() && at->first.starts_with(prefix);
         ++at) {
      const std::string_view rest = std::string_view(at->first).substr(prefix.size());
      int number = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error == std::errc() && end == rest.data() + rest.size()) paths.emplace(number, at->first);
    }
    for (const auto& [number, path] : paths) made->push_back({Object{0, path}});
  }
  return PythonValue{List{made, depth()}};
}

}  // namespace mlgc::fx
