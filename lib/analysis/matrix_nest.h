// What a matrix loop is: a tile of a product, which the matrix unit of a GPU computes.
//
//     for rows (%i) { for columns (%j) { %s = for terms (%k) { a sum of products }; what follows from %s } }
//
// Guarantees
//   - The sum is of products of two elements, both of bf16 or both of f16. It starts at 0, and is carried in f32.
//   - One factor is at the same place for all columns, the other one for all rows. The places of each are an affine
//     function of its two indices, of which one is of neighbours.
//   - The nest stores to no buffer that a factor is read from. So parts of the factors may be read ahead.
//   - What follows from a sum is of that element alone: there are no loops, and nothing is allocated.
//
// The matrix unit adds exact products of 16 terms at a time to the sum, of which it drops what is below the last bit of
// the largest one: of a sum of k products the error is at most (k/16 + 1) * 2^-22 * sum |a*b|.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "loopir/loop_ops.h"
#include "support/result.h"

namespace mlgc {

// Rows and columns of a tile of a block: what the printer has code for, so a policy that is the same for all GPUs.
inline constexpr std::int64_t kFewestMatrixLines = 32, kMostMatrixLines = 128;

struct MatrixOperand {
  OpRef load;
  bool by_terms = false;  // neighbouring terms are neighbours in memory, else neighbouring rows or columns
  IndexExpr stride;       // elements between rows or columns, else between terms; over sizes
};
struct MatrixFactors {
  MatrixOperand left, right;
  bool wide = false;  // the sum is carried in f64
};
// What the terms multiply, if it can be in a matrix nest of these loops, which are around each other in any order.
// Error: why not, as a clause.
[[nodiscard]] Result<MatrixFactors, std::string> matrix_factors(ForRef rows, ForRef columns, ForRef terms);

// What such terms multiply, in whatever scope it is. Error: why it is no sum of products of two elements, as a clause.
struct MatrixProduct {
  OpRef first, second;  // loads, in the order of the text
  bool wide = false;
};
[[nodiscard]] Result<MatrixProduct, std::string> matrix_product(ForRef terms);
// A factor with the lines `lines`. Of what is made in the loops `around`, its place may depend on their indices alone.
// Error: why the unit does not read such places.
[[nodiscard]] Result<MatrixOperand, std::string> matrix_operand(OpRef load, std::initializer_list<ForRef> around,
                                                                ForRef lines, ForRef terms);

struct MatrixNest {
  ForRef rows, columns, terms;
  MatrixFactors factors;
  std::int64_t tile_rows = 0, tile_columns = 0;  // of the unit, no fewer than the loops have
};
// The loop over rows with all that is in it. Error: why it is no such nest, as a clause.
[[nodiscard]] Result<MatrixNest, std::string> matrix_nest(ForRef rows);

}  // namespace mlgc
