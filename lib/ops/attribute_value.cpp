// Attributes as values.
#include "ops/attribute_value.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ops/instantiate_op.h"

namespace mlgc {

std::optional<AttrValue> attribute_value(Context& context, Attribute a, AttributeKind wanted) {
  const AttributePool& pool = context.attributes();
  switch (pool.kind(a)) {
    case AttributeKind::Bool: return AttrValue(*pool.as_bool(a));
    case AttributeKind::Int: {
      const IndexExpr e = *pool.as_int(a);
      if (wanted == AttributeKind::IntList) return AttrValue(std::vector<IndexExpr>{e});
      const auto c = context.index().as_constant(e);
      if (wanted == AttributeKind::Float && c) return AttrValue(static_cast<double>(*c));
      return AttrValue(e);
    }
    case AttributeKind::IntList:
    case AttributeKind::Subscripts: {
      const auto items = pool.as_int_list(a);
      return AttrValue(std::vector<IndexExpr>(items.begin(), items.end()));
    }
    case AttributeKind::Float: return AttrValue(*pool.as_float(a));
    case AttributeKind::FloatList: {
      const auto items = pool.as_float_list(a);
      return AttrValue(std::vector<double>(items.begin(), items.end()));
    }
    case AttributeKind::BoolList: {
      std::vector<IndexExpr> items;
      for (bool b : pool.as_bool_list(a)) items.push_back(context.index().constant(b ? 1 : 0));
      return AttrValue(std::move(items));
    }
    case AttributeKind::String: return AttrValue(std::string(*pool.as_string(a)));
    case AttributeKind::Dtype: return AttrValue(*pool.as_dtype(a));
    default: return std::nullopt;  // formulas have no use for the other kinds
  }
}

std::vector<std::string> attribute_choices(const AttrDef& def) {
  std::vector<std::string> out;
  for (std::string_view rest = def.choices; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    out.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return out;
}

const AttrDef* find_attribute(const OpDef& def, std::string_view name) {
  for (const AttrDef& attr : def.attrs)
    if (attr.name == name) return &attr;
  return nullptr;
}

std::optional<AttrValue> fallback_attribute(Context& context, const OpDef& def, std::string_view name) {
  const AttrDef* attr = find_attribute(def, name);
  if (attr == nullptr || attr->fallback.empty()) return std::nullopt;
  // A fallback may name another attribute, which is not stated either.
  if (find_attribute(def, attr->fallback) != nullptr) return fallback_attribute(context, def, attr->fallback);
  const auto read = read_attribute_text(context, attr->fallback, attr->kind);
  return read ? attribute_value(context, *read, attr->kind) : std::nullopt;
}

std::optional<AttrValue> effective_attribute(Context& context, const OpDef& def, AttrDict attrs,
                                             std::string_view name) {
  const AttrDef* attr = find_attribute(def, name);
  if (attr == nullptr) return std::nullopt;
  if (const Attribute stated = context.attributes().get(attrs, name); stated.valid())
    return attribute_value(context, stated, attr->kind);
  if (find_attribute(def, attr->fallback) != nullptr) return effective_attribute(context, def, attrs, attr->fallback);
  return fallback_attribute(context, def, name);
}

std::optional<AttrValue> convert_attribute(const Context& context, const AttrValue& value, AttributeKind kind) {
  const auto* whole = std::get_if<IndexExpr>(&value);
  switch (kind) {
    case AttributeKind::Bool: return std::holds_alternative<bool>(value) ? std::optional(value) : std::nullopt;
    case AttributeKind::Int: return whole != nullptr ? std::optional(value) : std::nullopt;
    case AttributeKind::Float:
      if (whole != nullptr) {
        const auto c = context.index().as_constant(*whole);
        return c ? std::optional<AttrValue>(static_cast<double>(*c)) : std::nullopt;
      }
      return std::holds_alternative<double>(value) ? std::optional(value) : std::nullopt;
    case AttributeKind::None:
      return whole != nullptr || std::holds_alternative<double>(value) || std::holds_alternative<bool>(value)
                 ? std::optional(value)
                 : std::nullopt;
    case AttributeKind::IntList:
      if (whole != nullptr) return AttrValue(std::vector<IndexExpr>{*whole});
      return std::holds_alternative<std::vector<IndexExpr>>(value) ? std::optional(value) : std::nullopt;
    case AttributeKind::FloatList:
      return std::holds_alternative<std::vector<double>>(value) ? std::optional(value) : std::nullopt;
    case AttributeKind::String: return std::holds_alternative<std::string>(value) ? std::optional(value) : std::nullopt;
    case AttributeKind::Dtype: return std::holds_alternative<Dtype>(value) ? std::optional(value) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Attribute> make_attribute(Context& context, const AttrValue& value, AttributeKind kind) {
  const auto converted = convert_attribute(context, value, kind);
  if (!converted) return std::nullopt;
  AttributePool& pool = context.attributes();
  struct Visitor {
    AttributePool& pool;
    Attribute operator()(bool v) const { return pool.boolean(v); }
    Attribute operator()(IndexExpr v) const { return pool.integer(v); }
    Attribute operator()(double v) const { return pool.real(v); }
    Attribute operator()(const std::string& v) const { return pool.string(v); }
    Attribute operator()(Dtype v) const { return pool.dtype(v); }
    Attribute operator()(const std::vector<IndexExpr>& v) const { return pool.int_list(v); }
    Attribute operator()(const std::vector<double>& v) const { return pool.float_list(v); }
  };
  return std::visit(Visitor{pool}, *converted);
}

}  // namespace mlgc
