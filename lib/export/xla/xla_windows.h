// Convolutions and pools of XlaNotation; axes are [batch, channels, spatial..].
#pragma once

#include <optional>

#include "export/xla/xla_notation.h"

namespace mlgc {

[[nodiscard]] std::optional<TensorValues> xla_convolution(XlaNotation& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_transposed_convolution(XlaNotation& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_max_pool(XlaNotation& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_avg_pool(XlaNotation& xla, const RowCall& call);

}  // namespace mlgc
