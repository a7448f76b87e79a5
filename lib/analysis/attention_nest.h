// What attention is as a matrix loop: the matrix unit computes a tile of queries, tile by tile of keys, without a score
// in memory of the device.
//
//     for queries (%i) {
//       %o = alloc : buffer<[width]xf32, thread>
//       for (%f) { store 0, %o[%f] }
//       %m, %l = for tiles (%t, %m0 = -inf, %l0 = 0) {
//         %s = alloc  %p = alloc
//         %m1 = for keys of the tile (%j, %b = %m0) { a sum of products; the score of it; store %s; maximum of %b }
//         %n = 0 where %m1 is -inf, else %m1      %c = exp(%m0 - %n)
//         %l1 = for keys of the tile (%j, %z = %l0*%c) { %e = exp(%s - %n); store %e, %p; %z + %e }
//         for (%f) { %o[%f] = %o[%f]*%c + the sum over keys of the tile of %p times a value }
//         yield %m1, %l1
//       }
//       for (%f) { what follows from %o[%f] and %l }
//     }
//
// Guarantees
//   - Both sums are of products of two elements, all four of bf16 or all of f16: %p is rounded to it. They are carried
//     in f32, and start at 0.
//   - What a score is computed from, beside its product, follows from the query and the key; it stores nothing.
//   - The places of queries, keys and values are affine, neighbouring terms of a query or key are neighbours in memory,
//     and so are neighbouring columns of a value.
//   - The nest stores to no buffer that the loop over tiles reads.
//
// The unit takes the sums as in other matrix loops (matrix_nest.h); exponentials and their sum in f32, the terms of %l
// in an order of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/matrix_nest.h"

namespace mlgc {

// What the printer has code for, so policies that are the same for all GPUs: keys of a tile; queries of a block, which
// are one or two such numbers; and the most terms of a score, or columns of a value.
inline constexpr std::int64_t kAttentionKeys = 64, kFewestQueries = 64, kMostQueries = 128, kMostHeadWidth = 128;

struct AttentionNest {
  ForRef rows, tiles;
  ForRef scores, terms;           // over the keys of a tile; the sum in it
  ForRef sum_columns, sum_terms;  // of the second product
  ForRef columns;                 // what follows from the results
  OpRef result;                   // which it loads
  Value score;                    // of a query and a key that it sees, which are all but for these:
  bool is_causal = false;
  IndexExpr seen;  // how much larger than a query's index that of a key may be; over sizes
  MatrixOperand queries, keys, values;
  OpRef counts;  // in its brackets: how many keys there are
  IndexExpr key_count;
  std::int64_t tile_rows = 0;  // queries of a block, no fewer than the loop has
  std::int64_t terms_count = 0, width = 0;
};

// A score that a guard on the indices of query and key makes -inf where the key comes after the query, or more than
// `seen` after it; what it is elsewhere. Nothing: it is no such score.
struct CausalScore {
  Value score;
  IndexExpr seen;  // over sizes
};
[[nodiscard]] std::optional<CausalScore> causal_score(Value score, Value query, Value key);

// Whether the loop is to be read as such a nest rather than as one product: it holds several loops.
[[nodiscard]] bool looks_like_attention(ForRef rows);
// Error: why it is no such nest, as a clause.
[[nodiscard]] Result<AttentionNest, std::string> attention_nest(ForRef rows);

// Why the loop may not be a matrix loop: it is neither one product nor attention. Nothing: it may.
[[nodiscard]] std::optional<std::string> why_no_matrix_loop(ForRef rows);

}  // namespace mlgc
