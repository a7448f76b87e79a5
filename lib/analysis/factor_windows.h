// How a gathered factor of a matrix loop lies in memory as windows of images that a device copies by itself (im2col):
// lines are places of a window, one after the other, terms are places in it with their channels.
//
// The buffer has images, one to three axes and channels, in this order. Where an index is 0, and along the axes,
//
//     element (line i, term k) is buffer[image(i), first_a + step_a * digit_a(i) + offset_a(k), ..., channel(k)]
//
// Guarantees
//   - Digits count like those of a number, the innermost axis fastest: digit_a(i) is 0 to count_a - 1, and then the
//     next axis outwards goes on, in the end the image. Lines below the number that is asked about do so, whatever
//     comes after them.
//   - Offsets are 0 to `reach`. In parts of kBoxTerms terms from multiples of it on, offsets stay, and channels are
//     neighbours; the terms are whole parts, or the last one ends with the channels of the image. Or that is so of
//     the `places`, of `terms` terms each, which are brought in boxes: these are whole, or the last one of each place
//     ends with the channels of the image.
//   - A guard holds where all places along the axes are in the buffer: elsewhere the factor is 0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/matrix_nest.h"

namespace mlgc {

// Terms of a place in the window, and of a box.
struct WindowPlaces {
  std::int64_t terms = 0, box = 0;
};
struct FactorWindows {
  struct Axis {
    IndexExpr size, count;  // of the buffer; of lines; over sizes
    std::int64_t first = 0, step = 1, reach = 0;
  };
  IndexExpr images, channels;  // of the buffer
  std::vector<Axis> axes;      // from the outermost one
  std::optional<WindowPlaces> places = {};
};
// Of so many terms parts of the terms must be multiples, so that a factor which is windows stays so: kBoxTerms, or
// those of a place in the window.
[[nodiscard]] std::int64_t terms_of_part(const MatrixOperand& factor, ForRef terms);
// So many lines and terms, over sizes; the loops begin at 0 or in tiles. Nothing: the factor is no such windows.
[[nodiscard]] std::optional<FactorWindows> factor_windows(const MatrixOperand& factor, ForRef lines, ForRef terms,
                                                          IndexExpr line_count, IndexExpr term_count);

}  // namespace mlgc
