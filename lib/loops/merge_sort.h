// Private to lib/loops: `sort` and `topk` for a GPU, where many threads share a row. A block sorts a tile of a row by a
// network (sorting_network.h). Sorted tiles are merged in passes over the row: first it is searched how much of each of
// two runs is in a tile of their merge (Odeh, Green, Mwassi, Shmueli, Birk, Merge path, 2012), then a block merges it.
// Of few elements to keep, tiles leave as many each, and what they leave is sorted in turn.
//
// Guarantees
//   - As of lower_sort.h. Rows of any length, also of one that only the call knows, and keys of any dtype.
//   - N elements take a number of passes logarithmic in N / 8192; each is vector loops in parallel loops, of whose
//     iterations subscripts say that they are independent.
#pragma once

#include <span>
#include <string_view>

#include "ir/module.h"

namespace mlgc::loops {

// As lower_sort().
OpRef sort_by_merges(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name);

}  // namespace mlgc::loops
