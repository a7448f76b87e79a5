// `nonzero` as two loop functions, between which the number of positions becomes known.
//
// Guarantees
//   - Positions are in row-major order, whatever the number of threads: tiles of the tensor are counted and searched
//     side by side, and each position looks up the tile that it is in.
//   - The tensor is read once; its N elements take N steps, its H positions H log N.
#pragma once

#include <string_view>

#include "ir/module.h"

namespace mlgc {

// Appends `func @name(x, found, ends, count)`: of each tile the places of what is not zero in it, how many there are up
// to its end, and how many there are in all.
OpRef lower_nonzero_count(Module& module, OpRef nonzero, std::string_view name);
// Appends `func @name(found, ends, positions)`. Precondition: the tensor has an axis.
OpRef lower_nonzero_positions(Module& module, OpRef nonzero, std::string_view name);

}  // namespace mlgc
