// Examples of rows: `relu([-1.0, 0.0, 2.0]) == [0.0, 0.0, 2.0]`. They are part of the reference and run as tests.
//
//     example = name "(" [ value { "," value } ] ")" [ attributes ] "==" value { "," value }
//     value   = tensor [ ":" dtype ] | "_"                      an absent operand
//     tensor  = number | "true" | "false" | "[" [ tensor { "," tensor } ] "]"
//
// Without a dtype, whole numbers are i64, numbers with a point, inf and nan are f32, true and false are i1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

struct Example {
  std::string_view op;
  std::vector<std::optional<Tensor>> operands;
  AttrDict attrs;
  std::vector<Tensor> results;
};

// The error says what is wrong and at which byte.
[[nodiscard]] Result<Example> parse_example(Context& context, std::string_view text);

// `{a = 1, b = [2, 3]}`, or nothing at all; the values are those of read_attribute_text().
[[nodiscard]] Result<AttrDict> parse_example_attributes(Context& context, const OpDef& def, std::string_view text);

}  // namespace mlgc
