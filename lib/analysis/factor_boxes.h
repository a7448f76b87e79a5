// How the factors of a matrix loop lie in memory as boxes that a device copies by itself: so many lines (rows of the
// left factor, columns of the right one) by so many terms, one such plane for each iteration of further loops around.
//
// Guarantees
//   - Element (line i, term k) in iterations j1, j2 of the further loops is at first + i * line + k * term + j1 *
//   stride1 +
//     ..., where line or term is 1 and the other one `MatrixOperand::stride`.
//   - All places that the nest reads have i < lines, k < terms, and j below the counts: planes end where the loops do.
//   - A part of the terms is whole parts of `kBoxTerms`, or the last one: a box that exceeds it has no term of another
//   part.
// All expressions are over sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/attention_nest.h"
#include "analysis/factor_windows.h"
#include "analysis/matrix_nest.h"

namespace mlgc {

// Terms of a box: 128 bytes of 16-bit floats, which is what the unit reads at a time.
inline constexpr std::int64_t kBoxTerms = 64;

struct FactorBoxes {
  struct Further {
    ForRef loop;
    IndexExpr count, stride;
    std::vector<ForRef> within = {};  // loops of which this is one with `loop`, whose iterations are the longest
  };
  IndexExpr first;  // elements from the start of the buffer
  IndexExpr lines, terms;
  std::vector<Further> further;
};
// Boxes, or windows of an image: their places are then what the load says.
struct FactorCopy {
  FactorBoxes boxes;
  std::optional<FactorWindows> windows;
};
struct NestBoxes {
  FactorCopy left, right;
  // Where one factor is windows with places: the other one is boxes with a further loop over these, of so many terms.
  std::optional<WindowPlaces> places = {};
};
// The parallel loops around the nest, the outermost one first. Nothing: a factor is neither, or no whole number of
// pieces of 16 bytes.
[[nodiscard]] std::optional<NestBoxes> factor_boxes(const MatrixNest& nest, std::span<const ForRef> around);

// Likewise of attention: lines are queries, keys, and columns of the values. Several further loops may be one.
struct AttentionBoxes {
  FactorBoxes queries, keys, values;
};
[[nodiscard]] std::optional<AttentionBoxes> attention_boxes(const AttentionNest& nest, std::span<const ForRef> around);

}  // namespace mlgc
