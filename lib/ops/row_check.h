// Checks a family of rows when it is compiled. A row that is not well formed does not compile, and the compiler's
// message names the row and the fault:
//
//     constexpr OpDef kRows[] = {…};
//     constexpr auto kFamily = family<kRows>();
//
//     error: … mlgc::RowFault<mlgc::RowText{"relu"}, mlgc::RowText{"a formula row needs an example"}>
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "ir/op_def.h"

namespace mlgc {

// A text that may be a template argument.
struct RowText {
  char text[96]{};
  constexpr RowText(std::string_view from) { std::copy_n(from.data(), std::min<std::size_t>(from.size(), 95), text); }
  [[nodiscard]] constexpr bool empty() const { return text[0] == '\0'; }
};

namespace row_check {

constexpr bool is_word(std::string_view text) {
  if (text.empty()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return true;
}

// Words, with dots between them.
constexpr bool is_op_name(std::string_view text) {
  const std::size_t dot = text.find('.');
  return is_word(text.substr(0, dot)) && (dot == std::string_view::npos || is_op_name(text.substr(dot + 1)));
}

constexpr bool balanced(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return false;
  }
  return depth == 0;
}

// Where the statement that writes `name` starts: the name, a bracket after it, before it a statement's end or nothing.
constexpr std::size_t written_at(std::string_view formula, std::string_view name) {
  for (std::size_t at = formula.find(name); at != std::string_view::npos; at = formula.find(name, at + 1)) {
    std::size_t before = at;
    while (before > 0 && formula[before - 1] == ' ') --before;
    const bool starts = before == 0 || formula[before - 1] == ';';
    const std::size_t after = at + name.size();
    if (starts && after < formula.size() && formula[after] == '[') return at;
  }
  return std::string_view::npos;
}

// The fault of a row, empty when it has none. `earlier` rows of the family must have other names.
constexpr std::string_view fault(const OpDef& row, const OpDef* begin, const OpDef* end) {
  if (!is_op_name(row.name)) return "the name is not a word";
  for (const OpDef* other = begin; other != end; ++other)
    if (other != &row && other->name == row.name) return "two rows have this name";
  if (row.summary.empty()) return "no summary";
  if (row.summary[row.summary.size() - 1] != '.') return "the summary is not a sentence";
  const bool formula = !row.formula.empty() || row.hooks.build != nullptr;
  const bool by_formula = row.tier == Tier::Formula || row.tier == Tier::Composite;
  if (!row.formula.empty() && row.hooks.build) return "both a formula and a function that builds one";
  if (by_formula && !formula) return "a row of tier Formula or Composite without a formula";
  if (row.tier == Tier::Structural && formula) return "a structural row with a formula";
  if (row.tier == Tier::Hook && !formula && row.no_formula.empty()) return "a hook without a formula or a reason";
  if (row.tier == Tier::Hook && !formula && row.hooks.gradient == nullptr && row.no_gradient.empty())
    return "a hook without a gradient or a reason";
  if (by_formula && row.example.empty()) return "a formula row needs an example";
  if (!balanced(row.formula)) return "brackets in the formula do not match";
  if (by_formula && row.result_count == kVariadicResults) return "a formula row states how many results it has";
  if (row.result_count != kVariadicResults && !row.result_names.empty() &&
      row.result_names.size() != static_cast<std::size_t>(row.result_count))
    return "as many result names as results";
  if (row.result_count > 1 && row.result_names.empty()) return "several results need names";
  for (std::size_t i = 0; i < row.result_names.size() && !row.formula.empty(); ++i) {
    const std::size_t at = written_at(row.formula, row.result_names[i]);
    if (at == std::string_view::npos) return "a result that the formula does not write";
    if (i > 0 && at < written_at(row.formula, row.result_names[i - 1]))
      return "results are not in the order of their statements";
  }
  bool trailing = false;
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const OperandDef& operand = row.operands[i];
    if (!is_word(operand.name)) return "the name of an operand is not a word";
    if (trailing && !operand.optional) return "an operand follows an optional or variadic one";
    trailing = trailing || operand.optional || operand.variadic;
    for (std::size_t j = 0; j < i; ++j)
      if (row.operands[j].name == operand.name) return "two operands have one name";
    for (const AttrDef& attr : row.attrs)
      if (attr.name == operand.name) return "an attribute has the name of an operand";
  }
  for (std::size_t i = 0; i < row.attrs.size(); ++i) {
    const AttrDef& attr = row.attrs[i];
    if (!is_word(attr.name)) return "the name of an attribute is not a word";
    for (std::size_t j = 0; j < i; ++j)
      if (row.attrs[j].name == attr.name) return "two attributes have one name";
    if (attr.required && !attr.fallback.empty()) return "a required attribute with a fallback";
    if (!attr.choices.empty() && attr.kind != AttributeKind::String) return "choices of an attribute that is no string";
    if (attr.instead_of.empty()) continue;
    bool found = false;
    for (const OperandDef& operand : row.operands)
      found = found || (operand.optional && operand.name == attr.instead_of);
    if (!found) return "an attribute instead of something that is no optional operand";
  }
  return {};
}

}  // namespace row_check

// Instantiated for the first row at fault only: the names of its arguments are the message.
template <RowText Row, RowText Fault>
struct RowFault {
  static_assert(Fault.empty(), "a row of the op table is not well formed; RowFault<row, fault> names it");
  static constexpr bool kNone = true;
};

// The rows of a family as the table wants them.
template <const auto& Rows>
consteval auto family() {
  constexpr std::size_t kCount = std::size(Rows);
  constexpr auto kAt = [] {
    std::size_t i = 0;
    while (i < kCount && row_check::fault(Rows[i], std::begin(Rows), std::end(Rows)).empty()) ++i;
    return i;
  }();
  if constexpr (kAt < kCount)
    static_assert(RowFault<RowText(Rows[kAt].name),
                           RowText(row_check::fault(Rows[kAt], std::begin(Rows), std::end(Rows)))>::kNone);
  std::array<const OpDef*, kCount> rows{};
  for (std::size_t i = 0; i < kCount; ++i) rows[i] = &Rows[i];
  return rows;
}

}  // namespace mlgc
