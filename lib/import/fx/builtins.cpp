// See builtins.h.
#include "import/fx/builtins.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/python/dtypes.h"

namespace mlgc::fx {

using python::identical;
using python::kind_name;

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

Builtins::Builtin Builtins::function(std::string_view name) {
  if (name == "builtins.getattr") return &Builtins::run_getattr;
  if (name == "operator.getitem") return &Builtins::run_getitem;
  if (name == "aten::sym_size.int" || name == "aten::sym_size.default") return &Builtins::run_size;
  for (const std::string_view helper : {"each", "floats", "is_sequence", "children", "parameters", "check"})
    if (name == helper) return &Builtins::run_helper;
  if (lookup(kNumbers, name) != nullptr) return &Builtins::run_number;
  if (lookup(kQueries, name) != nullptr) return &Builtins::run_query;
  if (name.starts_with("operator.") && lookup(kOperators, name.substr(9)) != nullptr) return &Builtins::run_operator;
  return nullptr;
}

Builtins::Builtin Builtins::method(std::string_view name) {
  if (name == "size") return &Builtins::run_size;
  if (name == "to") return &Builtins::run_to;
  for (const std::string_view method : {"keys", "values", "items", "append", "extend"})
    if (name == method) return &Builtins::run_container;
  return name.find('.') == std::string_view::npos && lookup(kQueries, name) != nullptr ? &Builtins::run_query : nullptr;
}

Given Builtins::call(Builtin builtin, std::string_view name, Arguments& arguments) {
  if (arguments.positional.empty()) return place_.refuse<kArgumentCount>(1, 0);
  static constexpr std::array<std::string_view, 7> kKnown{"dim",          "dtype", "device",       "other",
                                                          "non_blocking", "copy",  "memory_format"};
  for (const auto& [keyword, value] : arguments.keywords)
    if (std::find(kKnown.begin(), kKnown.end(), keyword) == kKnown.end())
      return place_.refuse<kUnknownArgument>(keyword);
  return (this->*builtin)(name, arguments);
}

Given Builtins::attribute(const PythonValue& object, const std::string& name) {
  Arguments asked{{object, {name}}, {}};
  return run_getattr("getattr", asked);
}

Given Builtins::run_getattr(std::string_view /*name*/, Arguments& arguments) {
  const auto& given = arguments.positional;
  const std::string* const name = given.size() < 2 ? nullptr : given[1].as<std::string>();
  if (name == nullptr) return place_.refuse<kArgumentMissing>("name");
  const PythonValue& object = given[0];
  const std::array one{object};
  if (object.is<Tensor>()) {
    if (*name == "shape") {
      const Given sizes = operators_.call_python("aten::size", one);
      return sizes ? Given(as_tuple(*sizes)) : std::nullopt;
    }
    if (*name == "dtype") {
      const Given number = operators_.call_python("prim::dtype", one);
      if (!number) return std::nullopt;
      return PythonValue{
          TorchConstant{TorchConstant::Kind::Dtype, place_.index().as_constant(*number->as<IndexExpr>()).value_or(-1)}};
    }
    if (*name == "ndim") return operators_.call_python("aten::dim", one);
    if (*name == "device") return PythonValue{Device{"cpu"}};
    if (*name == "layout") return PythonValue{TorchConstant{TorchConstant::Kind::Layout, 0}};
    if (*name == "grad") return PythonValue{None()};
    if (*name == "data") return object;
    if (*name == "T") return operators_.call_aten("numpy_T", {{object}, {}});
    if (*name == "mT")
      return operators_.call_aten("transpose",
                                  {{object, {place_.index().constant(-2)}, {place_.index().constant(-1)}}, {}});
    if (std::find(kFalse.begin(), kFalse.end(), *name) != kFalse.end()) return PythonValue{false};
  }
  // Of what torch.max() and the like give.
  if (object.is<Tuple>() && object.items()->size() == 2 && (*name == "values" || *name == "indices"))
    return (*object.items())[*name == "values" ? 0 : 1];
  if (const Device* device = object.as<Device>(); device != nullptr && *name == "type")
    return PythonValue{device->name.substr(0, device->name.find(':'))};
  if (given.size() == 3) return given[2];
  return place_.refuse<kNoMember>(kind_name(object), "attribute", *name);
}

Given Builtins::run_getitem(std::string_view /*name*/, Arguments& arguments) {
  if (arguments.positional.size() != 2) return place_.refuse<kArgumentCount>(2, arguments.positional.size());
  const PythonValue &object = arguments.positional[0], &key = arguments.positional[1];
  if (object.is<Tensor>()) return subscript(object, key);
  const Slice* const slice = key.as<Slice>();
  if (slice == nullptr) return operators_.call_python("aten::__getitem__", arguments.positional);
  const std::array operands{object, (*slice->bounds)[0], (*slice->bounds)[1], (*slice->bounds)[2]};
  const Given taken = operators_.call_python("aten::slice", operands);
  return taken && object.is<Tuple>() ? Given(as_tuple(*taken)) : taken;
}

Given Builtins::from_start(const PythonValue& position, IndexExpr size, bool clamped) {
  if (!position.is<IndexExpr>() || place_.index().as_constant(*position.as<IndexExpr>())) return position;
  const IndexExpr at = *position.as<IndexExpr>(), zero = place_.index().constant(0);
  const Truth negative = place_.index().less(at, zero, place_.builder.scope().facts());
  if (negative == Truth::Unknown)
    return place_.refuse<kValueNotKnown>("whether the index " + place_.index().print(at) + " is less than 0", "sizes");
  if (negative == Truth::No) return position;
  const IndexExpr counted = place_.index().add(size, at);
  const bool inside = !clamped || place_.index().less(counted, zero, place_.builder.scope().facts()) == Truth::No;
  return PythonValue{inside ? counted : place_.index().max(counted, zero)};
}

// Axis by axis: integers and slices first, then one call for all tensors among the indices.
Given Builtins::subscript(const PythonValue& tensor, const PythonValue& key) {
  const std::vector<PythonValue> one{key};
  const std::vector<PythonValue>& parts = key.is<Tuple>() ? *key.items() : one;
  const mlgc::Value held = tensors_.value(place_.node(), *tensor.as<Tensor>());
  if (!held.valid()) return std::nullopt;
  std::size_t taken = 0;  // axes that the parts stand for
  for (const PythonValue& part : parts) {
    const Tensor* const among = part.as<Tensor>();
    const bool mask = among != nullptr && (*among)->value.valid() && (*among)->value.dtype() == Dtype::I1;
    taken += mask ? (*among)->value.rank() : part.is<None>() || part.is<Ellipsis>() ? 0 : 1;
  }
  if (taken > held.rank()) return place_.refuse<kCountsDiffer>(taken, "indices", held.rank(), "axes");
  place_.sites.set_last(false);
  PythonValue x = tensor;
  const auto dim_of = [&](const PythonValue& of, std::int64_t at) {
    return tensors_.value(place_.node(), *of.as<Tensor>()).dims()[static_cast<std::size_t>(at)];
  };
  std::int64_t axis = 0;
  std::vector<PythonValue> tensors;  // by axis of x; None where a whole axis is taken
  bool any = false;
  for (const PythonValue& part : parts) {
    const PythonValue at{place_.index().constant(axis)};
    Given next = x;
    if (part.is<Tensor>()) {
      tensors.push_back(part);
      any = true;
      const mlgc::Value value = tensors_.value(place_.node(), *part.as<Tensor>());
      if (!value.valid()) return std::nullopt;
      axis += value.dtype() == Dtype::I1 ? static_cast<std::int64_t>(value.rank()) : 1;
    } else if (part.is<Ellipsis>()) {
      const std::size_t whole = held.rank() - taken;
      tensors.insert(tensors.end(), whole, PythonValue{None()});
      axis += static_cast<std::int64_t>(whole);
    } else if (part.is<None>()) {
      next = operators_.call_aten("unsqueeze", {{x, at}, {}});
      tensors.push_back({None()});
      ++axis;
    } else if (const Slice* slice = part.as<Slice>()) {
      const auto& bounds = *slice->bounds;
      const PythonValue step = bounds[2].is<None>() ? PythonValue{place_.index().constant(1)} : bounds[2];
      const bool whole = bounds[0].is<None>() && bounds[1].is<None>() && bounds[2].is<None>();
      if (!whole) {
        const IndexExpr size = dim_of(x, axis);
        const Given start = from_start(bounds[0], size, true), end = from_start(bounds[1], size, true);
        if (!start || !end) return std::nullopt;
        next = operators_.call_aten("slice", {{x, at, *start, *end, step}, {}});
      }
      tensors.push_back({None()});
      ++axis;
    } else if (part.is<IndexExpr>() || part.is<Computed>()) {
      const Given position = from_start(part, dim_of(x, axis), false);
      if (!position) return std::nullopt;
      next = operators_.call_aten("select", {{x, at, *position}, {}});
    } else {
      return place_.refuse<kArgumentKind>("an index", kind_name(part), "a number, a slice or a tensor");
    }
    if (!next) return std::nullopt;
    x = *std::move(next);
  }
  if (!any) return x;
  while (tensors.back().is<None>()) tensors.pop_back();
  const PythonValue list{List{std::make_shared<std::vector<PythonValue>>(std::move(tensors)), place_.builder.depth()}};
  return operators_.call_aten("index", {{x, list}, {}});
}

Given Builtins::run_operator(std::string_view name, Arguments& arguments) {
  std::string_view base = name.substr(9);
  const std::string_view python = *lookup(kOperators, base);
  const auto& given = arguments.positional;
  const bool identity = base == "is_" || base == "is_not";
  if (!identity &&
      std::any_of(given.begin(), given.end(), [](const auto& value) { return value.template is<Tensor>(); })) {
    // `x += y` changes x, whose name the node that gives it takes over.
    static constexpr std::array kInPlace{"iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"};
    if (std::find(kInPlace.begin(), kInPlace.end(), base) == kInPlace.end())
      return operators_.call_aten(base, std::move(arguments));
    base.remove_prefix(1);
    const std::string_view plain = base == "truediv"    ? "div"
                                   : base == "floordiv" ? "floor_divide"
                                   : base == "mod"      ? "remainder"
                                                        : base;
    return operators_.call_aten(std::string(plain) + "_", std::move(arguments));
  }
  if ((base == "eq" || base == "ne") && given.size() == 2 && !(given[0].number() && given[1].number())) {
    const PythonValue same = equal(given[0], given[1]);
    if (!same.is<bool>()) return place_.refuse<kValueNotKnown>("whether its operands are equal", "sizes or data");
    return PythonValue{*same.as<bool>() == (base == "eq")};
  }
  const bool bits = base == "and_" || base == "or_";
  if (bits && std::any_of(given.begin(), given.end(), [](const auto& value) { return value.template is<IndexExpr>(); }))
    return place_.refuse<kArgumentKind>("an operand", "an int", "a bool or a tensor");
  if ((base == "pow" || base == "ipow") && given.size() == 2 && !given[0].is<double>() && !given[1].is<double>())
    return in_range(power(given[0], given[1]));
  if (python.empty())
    return place_.refuse<kArgumentKind>("an operand", given.empty() ? "missing" : kind_name(given[0]), "a tensor");
  return in_range(operators_.call_python(std::string(python), given));
}

// Of integers, Python gives an integer or a float, by the sign of the exponent.
Given Builtins::power(const PythonValue& base, const PythonValue& exponent) {
  const IndexExpr* const number = exponent.as<IndexExpr>();
  const Truth negative = number == nullptr
                             ? exponent.is<bool>() ? Truth::No : Truth::Unknown
                             : place_.index().less(*number, place_.index().constant(0), place_.builder.scope().facts());
  if (negative == Truth::Unknown)
    return place_.refuse<kValueNotKnown>("whether its exponent is less than 0", "sizes or data");
  if (negative == Truth::No) return operators_.call_python("aten::pow", std::array{base, exponent});
  const Given real = operators_.call_python("aten::Float", std::array{base});
  if (!real) return std::nullopt;
  if (const double* divisor = real->as<double>(); divisor != nullptr && *divisor == 0)
    return place_.refuse<kModelRaises>(": 0 has no power of less than 0");
  return operators_.call_python("aten::pow", std::array{*real, exponent});
}

Given Builtins::in_range(Given number) {
  const IndexExpr* const integer = number ? number->as<IndexExpr>() : nullptr;
  if (integer != nullptr && *integer == place_.index().overflow()) return place_.refuse<kIntegerRange>(64);
  return number;
}

PythonValue Builtins::equal(const PythonValue& a, const PythonValue& b) {
  if (a.is<IndexExpr>() && b.is<IndexExpr>()) {
    const Truth same = place_.index().equal(*a.as<IndexExpr>(), *b.as<IndexExpr>(), place_.builder.scope().facts());
    return same == Truth::Unknown ? PythonValue() : PythonValue{same == Truth::Yes};
  }
  if (a.number() && b.number()) {
    const Given same = operators_.call_python("aten::eq", std::array{a, b});
    return same ? *same : PythonValue();
  }
  if (a.is<Tensor>() || b.is<Tensor>()) return identical(a, b) ? PythonValue{true} : PythonValue();
  const auto *const left = a.items(), *const right = b.items();
  if (left == nullptr || right == nullptr || a.is<Tuple>() != b.is<Tuple>()) return {identical(a, b)};
  if (left->size() != right->size()) return {false};
  bool unknown = false;
  for (std::size_t i = 0; i < left->size(); ++i) {
    const PythonValue same = equal((*left)[i], (*right)[i]);
    if (!same.is<bool>())
      unknown = true;
    else if (!*same.as<bool>())
      return {false};
  }
  return unknown ? PythonValue() : PythonValue{true};
}

Given Builtins::run_number(std::string_view name, Arguments& arguments) {
  if (name == "builtins.round" && arguments.positional.size() > 1) return place_.refuse<kUnknownArgument>("ndigits");
  return in_range(operators_.call_python(std::string(*lookup(kNumbers, name)), arguments.positional));
}

Given Builtins::run_query(std::string_view name, Arguments& arguments) {
  if (!arguments.positional[0].is<Tensor>())
    return place_.refuse<kArgumentKind>("its operand", kind_name(arguments.positional[0]), "a tensor");
  return operators_.call_python(std::string(*lookup(kQueries, name)), arguments.positional);
}

Given Builtins::run_size(std::string_view /*name*/, Arguments& arguments) {
  if (const std::optional<PythonValue> axis = arguments.take("dim")) arguments.positional.push_back(*axis);
  if (arguments.positional.size() == 2 && arguments.positional[1].is<None>()) arguments.positional.pop_back();
  if (!arguments.positional[0].is<Tensor>())
    return place_.refuse<kArgumentKind>("its operand", kind_name(arguments.positional[0]), "a tensor");
  const Given sizes = operators_.call_python("aten::size", arguments.positional);
  return sizes ? Given(as_tuple(*sizes)) : std::nullopt;
}

Given Builtins::run_container(std::string_view name, Arguments& arguments) {
  if (arguments.positional[0].is<Tensor>()) return place_.refuse<kNoMember>("a tensor", "method", name);
  return operators_.call_python("aten::" + std::string(name), arguments.positional);
}

// A dtype, a tensor whose dtype it is, or a device, which there is one of.
Given Builtins::run_to(std::string_view /*name*/, Arguments& arguments) {
  const auto& given = arguments.positional;
  std::optional<PythonValue> dtype = arguments.take("dtype");
  std::optional<PythonValue> other = arguments.take("other");
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (given[i].is<Tensor>()) other = given[i];
    const TorchConstant* const constant = given[i].as<TorchConstant>();
    if (constant != nullptr && constant->kind == TorchConstant::Kind::Dtype) dtype = given[i];
    const bool known = given[i].is<Tensor>() || constant != nullptr || given[i].is<Device>() ||
                       given[i].is<std::string>() || given[i].is<bool>() || given[i].is<None>();
    if (!known)
      return place_.refuse<kArgumentKind>("an argument", kind_name(given[i]), "an element type, a tensor or a device");
  }
  if (other) {
    dtype = attribute(*other, "dtype");
    if (!dtype) return std::nullopt;
  }
  if (!dtype || dtype->is<None>()) return given[0];
  return operators_.call_aten("to", {{given[0], *dtype}, {}}, "dtype");
}

// Nothing is left of a condition that holds.
Given Builtins::asserted(const PythonValue& condition, const PythonValue& message) {
  const std::string* const text = message.as<std::string>();
  if (text == nullptr) return place_.refuse<kArgumentKind>("its message", kind_name(message), "a string");
  PythonValue tensor = condition;
  if (condition.is<Computed>()) {
    const Given made = operators_.call_python("prim::NumToTensor", std::array{condition});
    if (!made) return std::nullopt;
    tensor = *made;
  }
  if (tensor.is<Tensor>()) return operators_.call_aten("_assert_async", {{tensor, message}, {}}, "msg");
  const std::optional<bool> holds = truth(place_, condition);
  if (!holds) return std::nullopt;
  return *holds ? Given(PythonValue{None()}) : place_.refuse<kModelRaises>(": the condition does not hold: " + *text);
}

// What a recurrent layer lists.
Given Builtins::parameters(const PythonValue& module) {
  const Object* const object = module.as<Object>();
  const Given names = object == nullptr ? std::nullopt : modules_.attribute(*object, "_flat_weights_names");
  if (!names || names->items() == nullptr)
    return place_.refuse<kNoMember>("its module", "list of weights", "_flat_weights_names");
  auto made = std::make_shared<std::vector<PythonValue>>();
  for (const PythonValue& each : *names->items()) {
    const std::string* const path = each.as<std::string>();
    const Given weight = path == nullptr ? std::nullopt : modules_.attribute(*object, *path);
    if (!weight) return place_.refuse<kNoMember>("its module", "list of weights", "_flat_weights_names");
    made->push_back(*weight);
  }
  return PythonValue{List{made, place_.builder.depth()}};
}

Given Builtins::run_helper(std::string_view name, Arguments& arguments) {
  const PythonValue& value = arguments.positional.at(0);
  if (name == "is_sequence") return PythonValue{value.items() != nullptr};
  if (name == "children") return modules_.children(value);
  if (name == "parameters") return parameters(value);
  if (name == "check") return asserted(value, arguments.positional.at(1));
  auto made = std::make_shared<std::vector<PythonValue>>();
  if (name == "each") {
    if (value.items() != nullptr) return value;
    const auto count = place_.index().as_constant(*arguments.positional.at(1).as<IndexExpr>());
    made->assign(static_cast<std::size_t>(std::clamp<std::int64_t>(count.value_or(0), 0, 8)), value);
  } else if (name == "floats") {
    for (const PythonValue& item : *value.items()) {
      const Given real = operators_.call_python("aten::Float", std::array{item});
      if (!real) return std::nullopt;
      made->push_back(*real);
    }
  }
  return PythonValue{List{made, place_.builder.depth()}};
}

}  // namespace mlgc::fx
