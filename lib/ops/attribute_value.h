// Attributes as values of the kinds that formulas and rules compute with, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/instantiate.h"
#include "ir/module.h"

namespace mlgc {

// The attribute as formulas see it: an integer where the row wants a real is one, a single integer where it wants a
// list is a list. Nothing for kinds that formulas have no use for.
[[nodiscard]] std::optional<AttrValue> attribute_value(Context& context, Attribute attribute, AttributeKind wanted);

// What an op has for an attribute of its row: what is stated, else the fallback. Nothing when there is neither.
[[nodiscard]] std::optional<AttrValue> effective_attribute(Context& context, const OpDef& def, AttrDict attrs,
                                                           std::string_view name);
// The value when the op does not state it.
[[nodiscard]] std::optional<AttrValue> fallback_attribute(Context& context, const OpDef& def, std::string_view name);

// The value in the form of a kind: a whole number becomes a real for a Float, a list for an IntList. Nothing when the
// value does not fit the kind.
[[nodiscard]] std::optional<AttrValue> convert_attribute(const Context& context, const AttrValue& value,
                                                         AttributeKind kind);
// Nothing when the value does not fit the kind.
[[nodiscard]] std::optional<Attribute> make_attribute(Context& context, const AttrValue& value, AttributeKind kind);

// The values that a String may have; empty: any.
[[nodiscard]] std::vector<std::string> attribute_choices(const AttrDef& def);

// The row of an attribute; null when there is none of that name.
[[nodiscard]] const AttrDef* find_attribute(const OpDef& def, std::string_view name);

}  // namespace mlgc
