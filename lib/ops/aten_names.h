// The operators of PyTorch that real models use, and the rows that compute them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/op_def.h"

namespace mlgc {

struct AtenName {
  std::string_view name;  // `aten.relu.default`
  int models;             // architectures of the census that hold it
  const OpDef* row;       // null: no row yet
  bool without_op;        // an importer resolves it without an op
};

// The census of core operators, most used first.
[[nodiscard]] std::vector<AtenName> aten_names();
// The first row that names the operator; null when none does.
[[nodiscard]] const OpDef* row_for_aten(std::string_view name);
// Nothing for an operator that the census did not meet.
[[nodiscard]] std::optional<int> aten_model_count(std::string_view name);

}  // namespace mlgc
