// Convolutions and pools; axes are [batch, channels, spatial..].
#pragma once

#include <optional>

#include "export/xla/xla_builder.h"

namespace mlgc {

[[nodiscard]] std::optional<TensorValues> xla_convolution(XlaBuilder& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_transposed_convolution(XlaBuilder& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_max_pool(XlaBuilder& xla, const RowCall& call);
[[nodiscard]] std::optional<TensorValues> xla_avg_pool(XlaBuilder& xla, const RowCall& call);

}  // namespace mlgc
