// Which overload of ATen computes an op, and with which arguments.
//
// Most ops need no entry: the definition names its operators (`.aten`), tensors are its operands in order, and other
// arguments are attributes of the same name. The table holds what is different.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "ir/op_def.h"

namespace mlgc {

// What an argument is given beside what has its name: the op's attribute of another name, or a literal.
struct AttributeNamed {
  std::string_view name;
};
using OverloadValue = std::variant<AttributeNamed, bool, std::int64_t, double, std::string_view>;
struct OverloadArgument {
  std::string_view parameter;
  OverloadValue value;
};

struct AtenOverload {
  std::string_view op;
  std::string_view aten;  // `aten::div.Tensor_mode`
  RowList<OverloadArgument, 4> arguments = {};
};

// Those of an op, to be tried in this order; empty when its own `.aten` names are enough.
[[nodiscard]] std::span<const AtenOverload> aten_overloads_of(std::string_view op);

// Why no operator of ATen computes what the op does; empty when one does.
[[nodiscard]] std::string_view why_no_overload(std::string_view op);

// The number that stands for a word where ATen wants an integer, e.g. 2 for `reduction = "sum"`; -1 when there is none.
[[nodiscard]] std::int64_t number_for_word(std::string_view attribute, std::string_view word);

// Results that ATen leaves open, so that comparing them means nothing.
[[nodiscard]] bool is_unspecified(std::string_view op, std::size_t result);

}  // namespace mlgc
