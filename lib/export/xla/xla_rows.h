// Rows that XLA has operations for. Every other row is its formula.
#pragma once

#include <optional>

#include "export/xla/xla_builder.h"

namespace mlgc {

// Nothing: the row has none. Throws NoForm.
[[nodiscard]] std::optional<TensorValues> xla_row(XlaBuilder& xla, const RowCall& call);

}  // namespace mlgc
