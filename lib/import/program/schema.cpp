// Reads the signatures that torch prints; see schema.h.
#include "import/program/schema.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace mlgc::program {

namespace {

using SchemaKind = SchemaArgument::Kind;
using Form = Argument::Kind;

constexpr SchemaRow kRows[] = {
#include "diag/kinds_import.h"
#include "import/program/aten_schemas.inc"
};

struct KindName {
  std::string_view name;
  SchemaKind one, list;
};
constexpr KindName kKindNames[] = {
    {"Tensor", SchemaKind::Tensor, SchemaKind::TensorList},
    {"SymInt", SchemaKind::Int, SchemaKind::IntList},
    {"int", SchemaKind::Int, SchemaKind::IntList},
    {"float", SchemaKind::Float, SchemaKind::FloatList},
    {"bool", SchemaKind::Bool, SchemaKind::BoolList},
    {"Scalar", SchemaKind::Number, SchemaKind::Other},
    {"str", SchemaKind::String, SchemaKind::Other},
    {"ScalarType", SchemaKind::Dtype, SchemaKind::Other},
    {"Layout", SchemaKind::Layout, SchemaKind::Other},
    {"MemoryFormat", SchemaKind::MemoryFormat, SchemaKind::Other},
    {"Device", SchemaKind::Device, SchemaKind::Other},
    {"Generator", SchemaKind::Device, SchemaKind::Other},  // always left out: a file holds none
};

template <class T>
T number(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  MLGC_ASSERT(status == std::errc{} && end == text.data() + text.size(),
              "a schema's number cannot be read: " + std::string(text));
  return value;
}

// Splits at commas outside brackets and quotes.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    std::string_view part = text.substr(begin, i - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

Argument integers(Form form, std::span<const std::string_view> items) {
  Argument value;
  value.kind = form;
  for (const std::string_view item : items) value.ints.push_back({"", number<std::int64_t>(item)});
  return value;
}

// Enumerations print as c10's numbers. Of element types a .pt2 file counts one higher; layouts and memory formats are
// never looked at.
Argument enumeration(SchemaKind kind, std::string_view text) {
  Argument value;
  value.kind = kind == SchemaKind::MemoryFormat ? Form::MemoryFormat
               : kind == SchemaKind::Dtype      ? Form::Dtype
                                                : Form::Layout;
  value.ints.push_back({"", number<std::int64_t>(text) + (kind == SchemaKind::Dtype ? 1 : 0)});
  return value;
}

Argument fallback(const SchemaArgument& argument, std::string_view text) {
  Argument value;
  if (text == "None") return value;
  std::vector<std::string_view> items;
  if (text.starts_with('[')) items = split(text.substr(1, text.size() - 2));
  switch (argument.kind) {
    case SchemaKind::Int: return integers(Form::Int, std::span(&text, 1));
    case SchemaKind::IntList:
      if (text.starts_with('[')) return integers(Form::Ints, items);
      value = integers(Form::Ints, std::span(&text, 1));
      if (argument.length > 0) value.ints.resize(argument.length, value.ints.front());
      return value;
    case SchemaKind::Float:
    case SchemaKind::Number:
      if (text == "True" || text == "False") break;
      if (argument.kind == SchemaKind::Number && text.find_first_of(".en") == std::string_view::npos)
        return integers(Form::Int, std::span(&text, 1));
      value.kind = Form::Float;
      value.reals.push_back(text == "inf"    ? std::numeric_limits<double>::infinity()
                            : text == "-inf" ? -std::numeric_limits<double>::infinity()
                                             : number<double>(text));
      return value;
    case SchemaKind::FloatList:
      value.kind = Form::Floats;
      for (const std::string_view item : items) value.reals.push_back(number<double>(item));
      return value;
    case SchemaKind::Bool: break;
    case SchemaKind::BoolList:
      value.kind = Form::Bools;
      for (const std::string_view item : items) value.flags.push_back(item == "True");
      return value;
    case SchemaKind::String:
    case SchemaKind::Device:
      value.kind = argument.kind == SchemaKind::String ? Form::String : Form::Device;
      while (text.starts_with('"') || text.starts_with('\'')) text.remove_prefix(1);
      while (text.ends_with('"') || text.ends_with('\'')) text.remove_suffix(1);
      value.text = text;
      return value;
    case SchemaKind::Dtype:
    case SchemaKind::Layout:
    case SchemaKind::MemoryFormat: return enumeration(argument.kind, text);
    case SchemaKind::TensorList: value.kind = Form::Tensors; return value;
    case SchemaKind::Tensor:
    case SchemaKind::Other: value.kind = Form::Other; return value;
  }
  value.kind = Form::Bool;
  value.flags.push_back(text == "True");
  return value;
}

SchemaArgument parse_argument(std::string_view text) {
  SchemaArgument argument;
  const std::size_t equals = text.find('=');
  const std::string_view declared = text.substr(0, equals);
  const std::size_t space = declared.rfind(' ');
  argument.name = declared.substr(space + 1);
  std::string type(declared.substr(0, space));
  // Aliasing marks such as `Tensor(a!)` do not concern a functional graph.
  if (const std::size_t open = type.find('('); open != std::string::npos)
    type.erase(open, type.find(')', open) - open + 1);
  if (type.ends_with('?')) {
    argument.optional = true;
    type.pop_back();
  }
  bool list = false;
  if (type.ends_with(']')) {
    const std::size_t open = type.rfind('[');
    const std::string length = type.substr(open + 1, type.size() - open - 2);
    argument.length = length.empty() ? 0 : number<std::size_t>(length);
    list = true;
    type.erase(open);
    if (type.ends_with('?')) type.pop_back();
  }
  for (const KindName& row : kKindNames)
    if (row.name == type) argument.kind = list ? row.list : row.one;
  if (equals != std::string_view::npos) {
    argument.has_default = true;
    argument.fallback = fallback(argument, text.substr(equals + 1));
  }
  return argument;
}

// The text between the first `(` and its partner.
std::string_view argument_list(std::string_view schema) {
  int depth = 0;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i] == '(') ++depth;
    if (schema[i] == ')' && --depth == 0) return schema.substr(1, i - 1);
  }
  throw InternalError("a schema without arguments: " + std::string(schema));
}

// Brings a given argument to the schema's kind where torch writes another form for it.
void adapt(Argument& value, const SchemaArgument& argument) {
  const bool empty_list = value.is(Form::Tensors) && value.names.empty();
  switch (argument.kind) {
    case SchemaKind::IntList:
      if (empty_list) value.kind = Form::Ints;
      if (value.is(Form::Int)) value.kind = Form::Ints;
      if (value.is(Form::Ints) && value.ints.size() == 1 && argument.length > 1)
        value.ints.resize(argument.length, value.ints.front());
      break;
    case SchemaKind::FloatList:
      if (empty_list) value.kind = Form::Floats;
      break;
    case SchemaKind::BoolList:
      if (empty_list) value.kind = Form::Bools;
      break;
    case SchemaKind::Float:
      if (value.is(Form::Int) && value.ints.front().name.empty()) {
        value.kind = Form::Float;
        value.reals.push_back(static_cast<double>(value.ints.front().value));
        value.ints.clear();
      }
      break;
    default: break;
  }
}

bool fits(const Argument& value, const SchemaArgument& argument) {
  if (value.none()) return argument.optional;
  switch (argument.kind) {
    case SchemaKind::Tensor:  // a number may stand for a tensor
      return value.is(Form::Tensor) || value.is(Form::Int) || value.is(Form::Float) || value.is(Form::Bool);
    case SchemaKind::TensorList: return value.is(Form::Tensors);
    case SchemaKind::Int: return value.is(Form::Int);
    case SchemaKind::IntList: return value.is(Form::Ints);
    case SchemaKind::Float: return value.is(Form::Float);
    case SchemaKind::FloatList: return value.is(Form::Floats);
    case SchemaKind::Bool: return value.is(Form::Bool);
    case SchemaKind::BoolList: return value.is(Form::Bools);
    case SchemaKind::Number: return value.is(Form::Int) || value.is(Form::Float) || value.is(Form::Bool);
    case SchemaKind::String: return value.is(Form::String);
    case SchemaKind::Dtype: return value.is(Form::Dtype);
    case SchemaKind::Layout: return value.is(Form::Layout);
    case SchemaKind::MemoryFormat: return value.is(Form::MemoryFormat);
    case SchemaKind::Device: return value.is(Form::Device);
    case SchemaKind::Other: return false;
  }
  return false;
}

}  // namespace

std::span<const SchemaRow> schema_table() { return kRows; }

const SchemaRow* find_schema_row(std::string_view target) {
  const auto* const end = std::end(kRows);
  const auto* const found = std::lower_bound(
      std::begin(kRows), end, target, [](const SchemaRow& row, std::string_view name) { return row.target < name; });
  return found == end || found->target != target ? nullptr : found;
}

bool is_in_place(std::string_view name) { return name.ends_with('_') && !name.ends_with("__"); }

std::optional<Schema> find_schema(std::string_view target) {
  const SchemaRow* const found = find_schema_row(target);
  if (found == nullptr) return std::nullopt;
  Schema schema;
  for (const std::string_view part : split(argument_list(found->schema)))
    if (part != "*") schema.arguments.push_back(parse_argument(part));
  return schema;
}

Result<std::vector<BoundArgument>, Diagnostic> bind_arguments(const Schema& schema, std::string_view target,
                                                              std::span<const NamedArgument> given) {
  const auto unsupported = [&](std::string_view name, std::string_view value, std::string_view supported) {
    return Failure{diagnose<kUnsupportedArgument>({}, target, name, value, supported)};
  };
  std::vector<BoundArgument> bound;
  for (const SchemaArgument& argument : schema.arguments) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const NamedArgument& candidate) { return candidate.name == argument.name; });
    if (found == given.end() && !argument.has_default)
      return Failure{diagnose<kArgumentMissing>({}, target, argument.name)};
    BoundArgument value{argument.name, argument.kind, found == given.end() ? argument.fallback : found->value, false};
    adapt(value.value, argument);
    value.neutral = argument.has_default && value.value == argument.fallback;
    if (value.value.is(Form::Other))
      return unsupported(argument.name, "of the form `" + value.value.text + "`", "tensors, numbers and lists of them");
    if (!fits(value.value, argument)) return unsupported(argument.name, "of the wrong kind", "what its schema states");
    bound.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto same = [&](const auto& other) { return other.name == given[i].name; };
    if (std::none_of(schema.arguments.begin(), schema.arguments.end(), same))
      return Failure{diagnose<kUnknownArgument>({}, target, given[i].name)};
    if (std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), same))
      return unsupported(given[i].name, "given twice", "one value");
  }
  return bound;
}

}  // namespace mlgc::program
