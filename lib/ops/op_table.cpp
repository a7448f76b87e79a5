// Concatenates the families.
#include "ops/op_table.h"

#include <vector>

#include "ops/rows_loop.h"
#include "ops/rows_quantisation.h"

namespace mlgc {

std::span<const OpDef* const> op_table() {
  static const std::vector<const OpDef*> table = [] {
    std::vector<const OpDef*> rows;
    for (auto family : {structural_rows, elementwise_rows, functions_rows, activation_rows, movement_rows,
                        contraction_rows, reduction_rows, creation_rows, random_rows, window_rows, sampling_rows,
                        indexing_rows, normalisation_rows, loss_rows, attention_rows, quantisation_rows, loop_rows})
      for (const OpDef* row : family()) rows.push_back(row);
    return rows;
  }();
  return table;
}

const OpDef* find_op_def(std::string_view name) {
  for (const OpDef* row : op_table())
    if (row->name == name) return row;
  return nullptr;
}

std::shared_ptr<Context> make_context() { return std::make_shared<Context>(op_table()); }

}  // namespace mlgc
