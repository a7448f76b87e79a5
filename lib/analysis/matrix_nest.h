// What a matrix loop is: a tile of a product, which the matrix unit of a GPU computes.
//
//     for rows (%i) { for columns (%j) { %s = for terms (%k) { a sum of products }; what follows from %s } }
//
// Guarantees
//   - The sum is of products of two elements, both of f32, bf16 or f16. It starts at 0, and is carried in f32.
//   - One factor is at the same place for all columns, the other one for all rows. Its place is what its row (or
//     column) says and what its term says, added up; so is each number that a guard around it asks for, and where the
//     guard does not hold the factor is 0. Rows and terms say this by any expressions: quotients and remainders of a
//     row are the pixel of an image, those of a term a place of a window and a channel.
//   - The nest stores to no buffer that a factor is read from. So parts of the factors may be read ahead.
//   - What follows from a sum is of that element alone: there are no loops, and nothing is allocated.
//
// The matrix unit adds exact products of 16 terms at a time to the sum, of which it drops what is below the last bit of
// the largest one: of a sum of k products the error is at most (k/16 + 1) * 2^-22 * sum |a*b|. A product of f32 is six
// of bf16, and sums of 16 terms are added in f32: at most (8 * 2^-22 + (k/16) * 2^-24) * sum |a*b|, and what a
// number has below 2^-133 or a product below 2^-149. Eager's is k * 2^-24.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "loopir/loop_ops.h"
#include "support/result.h"

namespace mlgc {

// Rows, columns and sums of a tile of a block: limits of the printer (codegen/cuda/prelude/matrix.cuh), not of a GPU.
// A tile of fewer than kFewestMatrixLines rows, of 16-bit floats that are not gathered, has kFewRowsColumns and more.
inline constexpr std::int64_t kFewestMatrixLines = 32, kMostMatrixLines = 256;
inline constexpr std::int64_t kFewestMatrixRows = 8, kFewRowsColumns = 64;
// Lines of a tile are powers of two, but for so many columns of so many rows and more.
inline constexpr std::int64_t kBetweenMatrixColumns = 192, kFewestRowsOfBetween = 128;
struct MatrixLimits {
  std::int64_t rows, columns, elements;
};
// Of factors of f32, whose sums take twice the registers and whose elements twice the shared memory, fewer.
[[nodiscard]] MatrixLimits matrix_limits(Dtype factors);

// Where a factor is: strided, or gathered.
struct MatrixOperand {
  OpRef load;
  bool by_terms = false;  // neighbouring terms are neighbours in memory, else neighbouring rows or columns
  IndexExpr stride;  // elements between rows or columns, else between terms; over sizes; not of one that is gathered
  OpRef guard;       // the factor is 0 where this is false; invalid: there is none
  bool is_gathered = false;
  // Of one that is gathered: terms (rows, columns) from a multiple of kMatrixPiece on are so many neighbours in memory,
  // the first one at a multiple of it, and the guard says the same of them. Otherwise it is by terms, one by one.
  bool in_pieces = false;
};
// Elements of 16 bits in an access of 16 bytes, the widest that a thread makes.
inline constexpr std::int64_t kMatrixPiece = 8;
struct MatrixFactors {
  MatrixOperand left, right;
  bool wide = false;  // the sum is carried in f64
};
// What the terms multiply, if it can be in a matrix nest of these loops, which are around each other in any order.
// Error: why not, as a clause.
[[nodiscard]] Result<MatrixFactors, std::string> matrix_factors(ForRef rows, ForRef columns, ForRef terms);

// Likewise of several loops, each in the one before it, that may become one loop of rows, one of columns and one of
// terms. Whether neighbours are neighbours in memory is not asked.
[[nodiscard]] Result<MatrixFactors, std::string> matrix_factors(std::span<const ForRef> rows,
                                                                std::span<const ForRef> columns,
                                                                std::span<const ForRef> terms);

// The two factors in the innermost loop over terms, in the order of the text and in whatever scope they are; whether
// what they say differs between iterations of a loop around; whether the sum begins at 0. Error: why the sum is none of
// products, as a clause.
struct MatrixProduct {
  std::array<MatrixOperand, 2> factors;
  bool wide = false;  // the sum is carried in f64
};
[[nodiscard]] Result<MatrixProduct, std::string> multiplied_in(ForRef terms);
[[nodiscard]] bool varies_along(const MatrixOperand& factor, ForRef loop);
[[nodiscard]] bool begins_at_zero(ForRef terms);
// The factor that is loaded where it is strided. What is made in `outermost` its place depends on by
// indices of loops alone. Error: why it is no such factor, as a clause.
[[nodiscard]] Result<MatrixOperand, std::string> strided_factor(OpRef load, ForRef outermost, ForRef lines,
                                                                ForRef terms);

// The place of a factor in its buffer, in elements, over the operands of its load. What an expression is with the index
// of a loop set to 0.
[[nodiscard]] IndexExpr matrix_place(const MatrixOperand& factor);
[[nodiscard]] IndexExpr at_zero(OpRef op, IndexExpr e, ForRef loop);

struct MatrixNest {
  ForRef rows, columns, terms;
  MatrixFactors factors;
  std::int64_t tile_rows = 0, tile_columns = 0;  // of the unit, no fewer than the loops have
};
// The loop over rows with all that is in it. Error: why it is no such nest, as a clause.
[[nodiscard]] Result<MatrixNest, std::string> matrix_nest(ForRef rows);

}  // namespace mlgc
