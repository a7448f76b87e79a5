// What the row of an op says about its syntax. Parser and printer ask the same functions, so they agree.
#pragma once

#include <cstddef>
#include <string_view>

#include "ir/op_def.h"

namespace mlgc::text {

inline constexpr std::size_t kMaxSubscriptValues = 64;

// No size is called that.
[[nodiscard]] constexpr bool is_reserved_word(std::string_view word) {
  return word == "where" || word == "loc" || word == "updates" || word == "attributes" || word == "weights";
}

// No op is called that, but `where`: PyTorch's name for a choice. An op that has results is named right after `=`,
// where no constraint can stand.
[[nodiscard]] constexpr bool is_reserved_op_name(std::string_view word, bool has_results) {
  return is_reserved_word(word) && !(word == "where" && has_results);
}

// The attribute that `@name` among the operands stands for: the first of kind Symbol.
[[nodiscard]] constexpr const AttrDef* symbol_attribute(const OpDef& def) {
  for (const AttrDef& attr : def.attrs)
    if (attr.kind == AttributeKind::Symbol) return &attr;
  return nullptr;
}

// The attribute that `[…]` after the operands stands for: the one of kind Subscripts; without operands the required
// integer (`dim [B*S]`).
[[nodiscard]] constexpr const AttrDef* bracket_attribute(const OpDef& def) {
  for (const AttrDef& attr : def.attrs)
    if (attr.kind == AttributeKind::Subscripts) return &attr;
  if (!def.operands.empty()) return nullptr;
  for (const AttrDef& attr : def.attrs)
    if (attr.kind == AttributeKind::Int && attr.required) return &attr;
  return nullptr;
}

// Operands before those that initialise region arguments, or stand in subscripts.
[[nodiscard]] constexpr std::size_t leading_operands(const OpDef& def) {
  std::size_t count = 0;
  for (const OperandDef& operand : def.operands) {
    if (operand.variadic) break;
    ++count;
  }
  return count;
}

}  // namespace mlgc::text
