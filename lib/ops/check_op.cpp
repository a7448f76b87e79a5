// Attributes and operands of an op against its row.
#include <algorithm>
#include <charconv>
#include <limits>

#include "diag/kinds_ops.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> read_real(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Attribute> read_list(AttributePool& pool, std::string_view text, AttributeKind kind) {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (text = trim(text); !text.empty();) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trim(text.substr(0, comma));
    const auto integer = read_integer(item);
    const auto real = read_real(item);
    if (!real && !integer) return std::nullopt;
    if (integer) integers.push_back(*integer);
    reals.push_back(real ? *real : static_cast<double>(*integer));
    text.remove_prefix(std::min(comma + 1, text.size()));
    text = trim(text);
  }
  const bool all_integers = integers.size() == reals.size();
  if (kind == AttributeKind::FloatList || (kind == AttributeKind::None && !all_integers)) return pool.float_list(reals);
  if (!all_integers) return std::nullopt;
  return pool.int_list(integers);
}

// What the kinds are called in messages.
std::string_view kind_text(AttributeKind kind) {
  return kind == AttributeKind::None ? "a number" : attribute_kind_name(kind);
}

bool fits(AttributeKind found, AttributeKind wanted) {
  if (found == wanted) return true;
  if (wanted == AttributeKind::None)
    return found == AttributeKind::Int || found == AttributeKind::Float || found == AttributeKind::Bool;
  // `2` is a real number too, and a single integer a list of one.
  if (wanted == AttributeKind::Float) return found == AttributeKind::Int;
  return wanted == AttributeKind::IntList && (found == AttributeKind::Int || found == AttributeKind::Subscripts);
}

std::string_view class_text(ElementClass c) {
  switch (c) {
    case ElementClass::Any: return "a tensor, scalar or vector";
    case ElementClass::Number: return "one of integers or floats";
    case ElementClass::Float: return "one of floats";
    case ElementClass::Integer: return "one of integers";
    case ElementClass::Bool: return "one of i1";
    case ElementClass::IntOrBool: return "one of integers or i1";
    case ElementClass::Position: return "one of i32 or i64";
    case ElementClass::Index: return "an index";
    case ElementClass::Buffer: return "a buffer";
    case ElementClass::Opaque: return "a tensor";
    case ElementClass::Value: return "a value";
  }
  throw InternalError("unknown element class");
}

bool admits(const TypePool& types, ElementClass wanted, Type type) {
  const TypeKind kind = types.kind(type);
  switch (wanted) {
    case ElementClass::Value: return true;
    case ElementClass::Index: return kind == TypeKind::Index;
    case ElementClass::Buffer: return kind == TypeKind::Buffer;
    default: break;
  }
  if (kind != TypeKind::Tensor && kind != TypeKind::Scalar && kind != TypeKind::Vector) return false;
  if (wanted == ElementClass::Opaque) return kind == TypeKind::Tensor;
  const Dtype dtype = types.dtype(type);
  if (is_complex(dtype)) return false;
  switch (wanted) {
    case ElementClass::Number: return dtype != Dtype::I1;
    case ElementClass::Float: return is_float(dtype);
    case ElementClass::Integer: return is_integer(dtype);
    case ElementClass::Bool: return dtype == Dtype::I1;
    case ElementClass::IntOrBool: return !is_float(dtype);
    case ElementClass::Position: return dtype == Dtype::I32 || dtype == Dtype::I64;
    default: return true;
  }
}

}  // namespace

std::optional<Attribute> read_attribute_text(Context& context, std::string_view text, AttributeKind kind) {
  AttributePool& pool = context.attributes();
  text = trim(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return pool.string(text.substr(1, text.size() - 2));
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
    return read_list(pool, text.substr(1, text.size() - 2), kind);
  if (text == "true" || text == "false") return pool.boolean(text == "true");
  if (const auto dtype = parse_dtype(text)) return pool.dtype(*dtype);
  if (const auto integer = read_integer(text))
    return kind == AttributeKind::Float ? pool.real(static_cast<double>(*integer)) : pool.integer(*integer);
  if (const auto real = read_real(text)) return pool.real(*real);
  return std::nullopt;
}

Result<AttrValues, Diagnostic> check_attributes(Context& context, const OpDef& def, AttrDict attrs) {
  const AttributePool& pool = context.attributes();
  for (const NamedAttribute& entry : pool.entries(attrs)) {
    const std::string_view name = context.strings().text(entry.name);
    if (name.find('.') != std::string_view::npos || entry.name == context.names().where) continue;
    const bool known =
        std::any_of(def.attrs.begin(), def.attrs.end(), [&](const AttrDef& a) { return a.name == name; });
    if (known) continue;
    std::vector<std::string_view> names;
    for (const AttrDef& a : def.attrs) names.push_back(a.name);
    Diagnostic d = diagnose<kNoSuchAttribute>({}, def.name, name);
    if (const auto near = closest_name(name, names)) d.add_note<kDidYouMean>({}, *near);
    return Failure{std::move(d)};
  }
  AttrValues out;
  for (const AttrDef& attr : def.attrs) {
    Attribute a = pool.get(attrs, attr.name);
    if (!a.valid() && attr.required)
      return Failure{diagnose<kMissingAttribute>({}, def.name, attr.name, kind_text(attr.kind))};
    if (!a.valid() && attr.fallback.empty()) continue;
    if (!a.valid()) {
      if (const AttrValue* other = out.find(attr.fallback)) {
        const AttrValue copy = *other;
        out.values.emplace_back(attr.name, copy);
        continue;
      }
      const auto read = read_attribute_text(context, attr.fallback, attr.kind);
      MLGC_ASSERT(read.has_value(), "the fallback of attribute `" + std::string(attr.name) + "` of `" +
                                        std::string(def.name) + "` does not read");
      a = *read;
    }
    const AttributeKind kind = pool.kind(a);
    if (!fits(kind, attr.kind))
      return Failure{diagnose<kAttributeKind>({}, attr.name, def.name, kind_text(kind), kind_text(attr.kind))};
    const bool complex = (kind == AttributeKind::Dtype && is_complex(*pool.as_dtype(a))) ||
                         (kind == AttributeKind::Tensor && is_complex(context.types().dtype(pool.as_tensor(a).type)));
    if (complex) return Failure{diagnose<kComplexNumbers>({}, "attribute", attr.name, def.name)};
    if (!attr.choices.empty()) {
      const std::vector<std::string> choices = attribute_choices(attr);
      const std::string value(*pool.as_string(a));
      if (std::find(choices.begin(), choices.end(), value) == choices.end())
        return Failure{diagnose<kAttributeChoice>({}, attr.name, def.name, value, choices)};
    }
    if (auto value = attribute_value(context, a, attr.kind)) out.values.emplace_back(attr.name, std::move(*value));
  }
  return out;
}

std::optional<Diagnostic> check_operands(Context& context, const OpDef& def, std::span<const Type> operands) {
  const TypePool& types = context.types();
  std::size_t least = 0;
  bool variadic = false;
  for (const OperandDef& operand : def.operands) {
    variadic = variadic || operand.variadic;
    if (!operand.optional && !operand.variadic) ++least;
  }
  for (const AttrDef& attr : def.attrs) variadic = variadic || attr.kind == AttributeKind::Subscripts;
  const std::size_t most = def.operands.size();
  if (operands.size() < least || (!variadic && operands.size() > most)) {
    std::string expected = std::to_string(least);
    if (variadic) expected = "at least " + expected;
    if (!variadic && most != least) expected += " to " + std::to_string(most);
    expected += least == 1 && (variadic || most == 1) ? " operand" : " operands";
    return diagnose<kRowOperandCount>({}, def.name, expected, operands.size());
  }
  for (std::size_t i = 0; i < operands.size() && !def.operands.empty(); ++i) {
    const OperandDef& operand = def.operands[std::min(i, def.operands.size() - 1)];
    if (i >= def.operands.size() && !operand.variadic) break;  // values that stand in subscripts
    if (!operands[i].valid() && operand.optional) continue;
    if (operands[i].valid() && admits(types, operand.elements, operands[i])) continue;
    if (types.is_tensor(operands[i]) && is_complex(types.dtype(operands[i])))
      return diagnose<kComplexNumbers>({}, "operand", operand.name, def.name);
    return diagnose<kOperandClass>({}, operand.name, def.name, types.print(operands[i]), class_text(operand.elements));
  }
  return std::nullopt;
}

}  // namespace mlgc
