// See operators.h.
#include "import/fx/operators.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"

namespace mlgc::fx {

using python::Undefined;

namespace {

using SchemaKind = program::SchemaArgument::Kind;

// Names of torch and of Python's module operator for ATen operators.
constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kAliases{{
    {"absolute", "abs"},
    {"and_", "bitwise_and"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"expit", "sigmoid"},
    {"fix", "trunc"},
    {"floordiv", "floor_divide"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"inv", "bitwise_not"},
    {"invert", "bitwise_not"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"logsigmoid", "log_sigmoid"},
    {"mod", "remainder"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"or_", "bitwise_or"},
    {"swapaxes", "transpose"},
    {"swapdims", "transpose"},
    {"truediv", "div"},
    {"unsafe_chunk", "chunk"},
    {"xor", "bitwise_xor"},
    {"special_expit", "sigmoid"},
    {"special_log_softmax", "log_softmax"},
    {"special_softmax", "softmax"},
    {"vector_norm", "linalg_vector_norm"},
}};

// Python's words for arguments that ATen calls otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kArgumentAliases{{{"input", "self"},
                                                                                         {"axis", "dim"},
                                                                                         {"keepdims", "keepdim"},
                                                                                         {"axis0", "dim0"},
                                                                                         {"axis1", "dim1"},
                                                                                         {"x1", "self"}}};

// Their sizes may be given one by one: x.view(2, 3).
constexpr std::array<std::string_view, 18> kVariadic{
    "view",  "reshape", "permute", "expand",   "repeat",    "flip",     "tile",      "zeros",     "ones",
    "empty", "rand",    "randn",   "new_full", "new_zeros", "new_ones", "new_empty", "view_copy", "broadcast_to"};

bool integral(const PythonValue& value) {
  if (value.is<IndexExpr>()) return true;
  const Computed* const computed = value.as<Computed>();
  return computed != nullptr && computed->value.dtype() == Dtype::I64;
}

bool is_constant(const PythonValue& value, TorchConstant::Kind kind) {
  const TorchConstant* const constant = value.as<TorchConstant>();
  return constant != nullptr && constant->kind == kind;
}

// How well a value fits an argument: 0 not at all, 1 after a conversion, 2 well.
int fit(const PythonValue& value, const program::SchemaArgument& wanted) {
  if (value.is<None>()) return wanted.optional ? 2 : 0;
  const std::vector<PythonValue>* const items = value.items();
  const auto all = [&](const auto& good) {
    return items != nullptr && std::all_of(items->begin(), items->end(), good);
  };
  switch (wanted.kind) {
    case SchemaKind::Tensor: return value.is<Tensor>() ? 2 : value.number() ? 1 : 0;
    case SchemaKind::TensorList:
      return all([](const auto& v) { return v.template is<Tensor>() || v.template is<None>(); }) ? 2 : 0;
    case SchemaKind::Int: return integral(value) ? 2 : 0;
    case SchemaKind::IntList: return all(integral) ? 2 : integral(value) ? 1 : 0;
    case SchemaKind::Float: return value.is<double>() ? 2 : value.number() && !value.is<bool>() ? 1 : 0;
    case SchemaKind::FloatList: return all([](const auto& v) { return v.number(); }) ? 2 : 0;
    case SchemaKind::Bool: return value.is<bool>() ? 2 : 0;
    case SchemaKind::BoolList: return all([](const auto& v) { return v.template is<bool>(); }) ? 2 : 0;
    case SchemaKind::Number: return value.number() ? 2 : 0;
    case SchemaKind::String: return value.is<std::string>() ? 2 : 0;
    case SchemaKind::Dtype: return is_constant(value, TorchConstant::Kind::Dtype) ? 2 : 0;
    case SchemaKind::Layout: return is_constant(value, TorchConstant::Kind::Layout) ? 2 : 0;
    case SchemaKind::MemoryFormat: return is_constant(value, TorchConstant::Kind::MemoryFormat) ? 2 : 0;
    case SchemaKind::Device: return value.is<Device>() || value.is<std::string>() ? 2 : 0;
    case SchemaKind::Other: return 0;
  }
  return 0;
}

struct Bound {
  int score = 0;  // 0: the overload does not take the arguments
  std::vector<PythonValue> operands;
};

Bound bind(const program::Schema& schema, const Arguments& arguments, bool variadic) {
  Bound bound;
  std::size_t next = 0;
  const auto& given = arguments.positional;
  std::size_t named = 0;
  int misfit = 0;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const program::SchemaArgument& wanted = schema.arguments[i];
    PythonValue value;
    const auto keyword = std::find_if(arguments.keywords.begin(), arguments.keywords.end(), [&](const auto& entry) {
      if (entry.first == wanted.name) return true;
      const auto* const alias = std::find_if(kArgumentAliases.begin(), kArgumentAliases.end(),
                                             [&](const auto& row) { return row.first == entry.first; });
      return alias != kArgumentAliases.end() && alias->second == wanted.name;
    });
    if (keyword != arguments.keywords.end()) {
      value = keyword->second;
      ++named;
    } else if (next < given.size()) {
      const bool rest = variadic && wanted.kind == SchemaKind::IntList && given[next].items() == nullptr &&
                        std::all_of(given.begin() + static_cast<std::ptrdiff_t>(next), given.end(), integral);
      if (rest) {
        value = {Tuple{std::make_shared<std::vector<PythonValue>>(given.begin() + static_cast<std::ptrdiff_t>(next),
                                                                  given.end())}};
        next = given.size();
      } else {
        value = given[next++];
      }
    } else if (!wanted.has_default) {
      return {};
    }
    if (value.is<Undefined>()) {
      bound.operands.push_back(value);
      continue;
    }
    const int how = fit(value, wanted);
    if (how == 0) return {};
    misfit += 2 - how;
    bound.operands.push_back(std::move(value));
  }
  if (next != given.size() || named != arguments.keywords.size()) return {};
  while (!bound.operands.empty() && bound.operands.back().is<Undefined>()) bound.operands.pop_back();
  bound.score = 1000 - misfit;
  return bound;
}

// Overloads of an operator, in the order of the table.
std::span<const program::SchemaRow> overloads(std::string_view base) {
  const std::span<const program::SchemaRow> all = program::schema_table();
  const std::string prefix = "aten." + std::string(base) + ".";
  const auto first =
      std::lower_bound(all.begin(), all.end(), prefix,
                       [](const program::SchemaRow& row, const std::string& name) { return row.target < name; });
  auto last = first;
  while (last != all.end() && last->target.starts_with(prefix)) ++last;
  return {first, last};
}

std::string_view aten_name(std::string_view base) {
  const auto* const alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const auto& row) { return row.first == base; });
  return alias == kAliases.end() ? base : alias->second;
}

// How many results a schema has, and whether it is one list of tensors.
struct Results {
  std::size_t count = 1;
  bool list = false;
};
Results results_of(std::string_view schema) {
  const std::string_view results = schema.substr(schema.rfind("->") + 2);
  if (results.ends_with("[]")) return {1, true};
  if (results == " ()") return {0, false};
  return {static_cast<std::size_t>(std::count(results.begin(), results.end(), ',')) + 1, false};
}

}  // namespace

// Undefined where Python has no value for it.
PythonValue Operators::default_of(const program::SchemaArgument& argument) const {
  using Form = program::Argument::Kind;
  const program::Argument& value = argument.fallback;
  auto items = std::make_shared<std::vector<PythonValue>>();
  switch (value.kind) {
    case Form::None: return {None()};
    case Form::Bool: return {static_cast<bool>(value.flags[0])};
    case Form::Float: return {value.reals[0]};
    case Form::Int: return {place_.index().constant(value.ints[0].value)};
    case Form::String: return {value.text};
    case Form::Ints:
      for (const program::IntArg& item : value.ints) items->push_back({place_.index().constant(item.value)});
      return {Tuple{items}};
    default: return {};
  }
}

bool known_base(const python::FunctionBuilder& builder, std::string_view base) {
  std::string_view name = aten_name(base);
  if (name == base && program::is_in_place(base)) name = aten_name(base.substr(0, base.size() - 1));
  const auto rows = overloads(name);
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return builder.knows(row.target); });
}

Given Operators::call_aten(std::string_view base, Arguments arguments, std::string_view overload) {
  std::string name(aten_name(base));
  const bool in_place = program::is_in_place(name);
  if (in_place) name = aten_name(std::string_view(name).substr(0, name.size() - 1));
  const std::optional<PythonValue> out = arguments.take("out");
  if (out && !out->is<None>()) return place_.refuse<kUnknownArgument>("out");
  const bool variadic = std::find(kVariadic.begin(), kVariadic.end(), name) != kVariadic.end();
  Bound best;
  std::string_view chosen;
  bool any = false;
  for (const program::SchemaRow& row : overloads(name)) {
    if (!place_.builder.knows(row.target)) continue;
    const std::string_view own = row.target.substr(6 + name.size());
    if (!overload.empty() && own != overload && program::find_schema_row("aten." + name + "." + std::string(overload)))
      continue;
    any = true;
    Bound bound = bind(*program::find_schema(row.target), arguments, variadic);
    if (bound.score <= best.score) continue;
    best = std::move(bound);
    chosen = own;
  }
  if (!any) return place_.refuse<kNoCounterpart>();
  if (best.score == 0) {
    std::string kinds;
    for (const PythonValue& value : arguments.positional)
      kinds += (kinds.empty() ? "" : ", ") + python::kind_name(value);
    for (const auto& [keyword, value] : arguments.keywords)
      kinds += (kinds.empty() ? "" : ", ") + keyword + " = " + python::kind_name(value);
    return place_.refuse<kNoOverload>(name, kinds.empty() ? "nothing" : kinds);
  }
  return call_overload(name + (in_place ? "_" : "") + "." + std::string(chosen), std::move(best.operands));
}

// The form that the interpreter takes.
const python::Node& Operators::make_node(const std::string& kind, std::span<const PythonValue> operands,
                                         std::size_t results, bool list) {
  const python::Node& node = place_.sites.make(kind, operands.size(), results, list);
  for (std::size_t i = 0; i < operands.size(); ++i) interpreter_.values().set(node.inputs[i], operands[i]);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    interpreter_.results().set_used(node.outputs[i], results < 2 || place_.sites.reads_result(i));
  return node;
}

Given Operators::call_python(const std::string& kind, std::span<const PythonValue> operands) {
  const python::Node& node = make_node(kind, operands, 1, false);
  if (!interpreter_.run(node)) return std::nullopt;
  return interpreter_.values().get(node.outputs[0]);
}

Given Operators::call_overload(std::string_view name, std::vector<PythonValue> operands) {
  std::string base(name.substr(0, name.find('.')));
  const std::string overload(name.substr(name.find('.')));
  if (program::is_in_place(base)) base.pop_back();
  const std::string target = "aten." + base + overload;
  const program::SchemaRow* const row = program::find_schema_row(target);
  const program::Schema schema = *program::find_schema(target);
  // What is left out is the schema's own, as in a script.
  operands.resize(schema.arguments.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].is<Undefined>()) operands[i] = default_of(schema.arguments[i]);
  if (operands.size() > ValueNumbers::kOperands)
    return place_.refuse<kArgumentCount>(ValueNumbers::kOperands, operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    // The interpreter has c10's numbers for these, and takes any device for the one there is.
    if (const TorchConstant* constant = operands[i].as<TorchConstant>())
      operands[i] = {place_.index().constant(constant->number)};
    if (schema.arguments[i].kind == SchemaKind::Device && operands[i].is<std::string>())
      operands[i] = {Device{*operands[i].as<std::string>()}};
    const bool reals = schema.arguments[i].kind == SchemaKind::Float;
    if (const IndexExpr* number = operands[i].as<IndexExpr>(); reals && number != nullptr)
      if (const auto constant = place_.index().as_constant(*number)) operands[i] = {static_cast<double>(*constant)};
  }
  const Results results = results_of(row->schema);
  const python::Node& node = make_node("aten::" + std::string(name), operands, results.count, results.list);
  if (!interpreter_.run(node)) return std::nullopt;
  if (results.count == 0) return PythonValue{None()};
  if (results.count == 1) return interpreter_.values().get(node.outputs[0]);
  auto items = std::make_shared<std::vector<PythonValue>>();
  for (std::size_t i = 0; i < results.count; ++i) items->push_back(interpreter_.values().get(node.outputs[i]));
  return PythonValue{Tuple{items}};
}

}  // namespace mlgc::fx
