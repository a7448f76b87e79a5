// Sums of products that round once.
#pragma once

#include <optional>
#include <string_view>

#include "ir/module.h"

namespace mlgc {

// A sum that rounds once: `%s = add %c, %p {loop.fused = 1}` is a*b + c, where `%p = mul %a, %b`. The number is that of
// the operand whose rounding is left out; whoever else reads it has it rounded.
inline constexpr std::string_view kFusedAttribute = "loop.fused";
struct FusedSum {
  OpRef product;
  Value addend;
};
// Nothing: the op rounds as its row says, or what it states is no product of f32.
[[nodiscard]] std::optional<FusedSum> fused_sum(OpRef op);
// All uses of the product are such sums, so it is never rounded.
[[nodiscard]] bool is_only_fused(OpRef product);

// The op states one of the attributes that change what its row computes, as `alpha`.
[[nodiscard]] bool has_row_attributes(OpRef op);

}  // namespace mlgc
