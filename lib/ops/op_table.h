// The op table: every row there is, in one explicit list, and contexts that have it.
//
// Each family of rows is a file of its own, rows_<family>.cpp; a row is checked for being well formed when its file is
// compiled (row_check.h), and that names are unique across families when the first context is made.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ir/context.h"
#include "ir/op_def.h"

namespace mlgc {

// In the order of the families; the position of a row is its Opcode.
[[nodiscard]] std::span<const OpDef* const> op_table();

// Null when no row has the name.
[[nodiscard]] const OpDef* find_op_def(std::string_view name);

// A context with op_table().
[[nodiscard]] std::shared_ptr<Context> make_context();

// The families, in the order of the table.
[[nodiscard]] std::span<const OpDef* const> structural_rows();
[[nodiscard]] std::span<const OpDef* const> elementwise_rows();
[[nodiscard]] std::span<const OpDef* const> functions_rows();
[[nodiscard]] std::span<const OpDef* const> activation_rows();
[[nodiscard]] std::span<const OpDef* const> movement_rows();
[[nodiscard]] std::span<const OpDef* const> loss_rows();
[[nodiscard]] std::span<const OpDef* const> attention_rows();
[[nodiscard]] std::span<const OpDef* const> normalisation_rows();
[[nodiscard]] std::span<const OpDef* const> indexing_rows();
[[nodiscard]] std::span<const OpDef* const> window_rows();
[[nodiscard]] std::span<const OpDef* const> random_rows();
[[nodiscard]] std::span<const OpDef* const> sampling_rows();
[[nodiscard]] std::span<const OpDef* const> creation_rows();
[[nodiscard]] std::span<const OpDef* const> reduction_rows();
[[nodiscard]] std::span<const OpDef* const> contraction_rows();

}  // namespace mlgc
