// Private to lib/codegen: the functions that compute register tiles of products, each for any number of terms and any
// strides, so that kernels of many sizes share one.
//
// A tile is out[r, lane] = the sum over the iterations of some loops, one in the other, of rows[r] * panel[lane]: the
// outer product of a register tile of `rows` scalars and a vector (Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008, section 4). Its parameters are, in this order,
//   panel, rows        the elements of the first iteration; lanes are contiguous, the next row is `row_stride` after
//   row_stride         elements
//   out, out_stride    where the f32 sums go, and the elements between their rows
//   ahead              of a tile that prefetches: the elements from the panel to the one that is read next
//   columns            where the panel has less of them than lanes: so many, and the sums of other lanes are those of 0
//   count, panel_step, row_step    of each loop from the outermost one: iterations, and the elements to the next one
//   last               after them, of a loop that runs shorter in the last iteration of the one around: so many
// The sums start at 0 and are added in the order of the loops with one rounding for each product, as the loops do.
// Rows and a panel of bf16 are multiplied in pairs of terms (emitter_hooks.h, PairHooks); the elements of a row are
// those of the innermost loop then, one after the other.
#pragma once

#include <string>
#include <vector>

#include "codegen/emitter_hooks.h"

namespace mlgc::codegen {

struct TileLoop {
  bool sums_anew = false;   // it starts its sums at 0 and adds them to those of the loop around when it is done
  bool ends_early = false;  // has a `last`; of an inner loop
};

struct TileShape {
  int rows = 0, lanes = 0;
  Dtype panel = Dtype::F32;     // of its elements
  Dtype row = Dtype::F32;       // f32, or bf16 of a panel of bf16
  std::vector<TileLoop> loops;  // from the outermost one
  bool part = false;            // the panel may have fewer columns than lanes
  bool prefetches = false;      // the panel that is read next, into the second cache

  // An identifier that no other shape has.
  [[nodiscard]] std::string name() const;
};

// The function of that name.
[[nodiscard]] std::string print_tile_function(const TileShape& shape, const EmitterHooks& hooks);

}  // namespace mlgc::codegen
