// Segments of external targets in a unit's table: what mlgc.h says of them, as constant data.
#pragma once

#include <span>
#include <string>

#include "codegen/cpp/table_writer.h"
#include "codegen/model_table.h"

namespace mlgc::codegen {

// The array of rows for these functions (launched_externals()), or null without any. Throws a Diagnostic (kCannotEmit)
// at an op that cannot be described.
[[nodiscard]] std::string segment_rows(TableWriter& table, std::span<const OpRef> functions, const ModelData& data);

}  // namespace mlgc::codegen
