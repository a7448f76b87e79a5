// How rows of the op table are expressed as calls of ATen.
//
// Most need no word: a row names its operators (`.aten`), tensors are its operands in order, and other arguments are
// attributes of the same name. The table holds what is different.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "ir/op_def.h"

namespace mlgc {

// What an argument is given beside what has its name: the row's attribute of another name, or a literal.
struct AttributeNamed {
  std::string_view name;
};
using SpelledValue = std::variant<AttributeNamed, bool, std::int64_t, double, std::string_view>;
struct SpelledArgument {
  std::string_view parameter;
  SpelledValue value;
};

struct Spelling {
  std::string_view row;
  std::string_view aten;  // `aten::div.Tensor_mode`
  RowList<SpelledArgument, 4> arguments = {};
};

// Those of a row, to be tried in this order; empty when its own `.aten` names are enough.
[[nodiscard]] std::span<const Spelling> spellings_of(std::string_view row);

// Why no operator of ATen computes what the row does; empty when one does.
[[nodiscard]] std::string_view why_not_spelled(std::string_view row);

// The number that stands for a word where ATen wants an integer, e.g. 2 for `reduction = "sum"`; -1 when there is none.
[[nodiscard]] std::int64_t number_for_word(std::string_view attribute, std::string_view word);

// Results that ATen leaves open, so that comparing them means nothing.
[[nodiscard]] bool is_unspecified(std::string_view row, std::size_t result);

}  // namespace mlgc
