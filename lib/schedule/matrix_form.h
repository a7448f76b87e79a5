// Private to lib/schedule: which loops of a nest are the rows, the columns and the terms of a product for the matrix
// unit, and how several of each become one.
//
//     for n { for h { for w { for o { sum over p, q, c of x[n, h + p, w + q, c] * w[o, p, q, c] } } } }
//
// has rows (n, h, w), the column o and terms (p, q, c): a convolution is a product whose left factor is gathered
// (implicit GEMM). With one loop of each kind the place of a factor has quotients and remainders.
#pragma once

#include <string>
#include <vector>

#include "schedule/scheduler.h"
#include "support/result.h"

namespace mlgc::schedule {

struct MatrixLoops {
  // Around each other, in the order of the text. Rows are next to each other, and so are columns, which are innermost.
  std::vector<OpRef> rows, columns, terms;
  [[nodiscard]] bool is_plain() const { return rows.size() == 1 && columns.size() == 1 && terms.size() == 1; }
};
// Of parallel loops that hold one sum. Error: why it is none for the matrix unit, as a clause.
[[nodiscard]] Result<MatrixLoops, std::string> matrix_loops(const std::vector<OpRef>& chain);

// Of the terms, that along which most is contiguous, the innermost one of several.
[[nodiscard]] OpRef innermost_terms(const std::vector<OpRef>& terms);

// Orders the terms as memory has them, and makes one loop of each kind as far as it may. The nest keeps its outermost
// op. Refused where the terms stay several.
[[nodiscard]] TransformResult merge_matrix_loops(Scheduler& scheduler, const std::vector<OpRef>& chain,
                                                 const MatrixLoops& loops);

}  // namespace mlgc::schedule
