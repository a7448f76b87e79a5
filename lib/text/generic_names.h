// Names of the generic form, in our own words: ops and attributes of MLIR's own that say what we say.
#pragma once

#include <string_view>

#include "ir/op_def.h"

namespace mlgc::text {

// The op that a name of the generic form stands for: `mlgc.relu`, `func.func`.
[[nodiscard]] std::string_view short_name(std::string_view name);
// `mlgc.key` is how MLIR's own ops carry our attribute `key`.
[[nodiscard]] std::string_view plain_key(const OpDef& def, std::string_view key);

}  // namespace mlgc::text
