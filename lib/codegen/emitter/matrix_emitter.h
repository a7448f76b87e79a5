// Private to lib/codegen: matrix loops, which are tiles of products for the matrix unit (analysis/matrix_nest.h).
//
// All threads of a block compute the sums of the tile in shared memory. Then each takes neighbouring columns of a row,
// as the loop over columns says by `per_lane`, and does for them what follows from the sums.
#pragma once

#include <unordered_set>

#include "analysis/matrix_nest.h"
#include "codegen/emitter/piece_accesses.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class FunctionEmitter;

class MatrixEmitter : private EmitterPart {
 public:
  MatrixEmitter(FunctionWriter& writer, IndexEmitter& indices, PieceAccesses& pieces, ThreadBlock& block,
                FunctionEmitter& function)
      : EmitterPart(writer), indices_(indices), pieces_(pieces), block_(block), function_(function) {}

  // The nest of a matrix loop.
  void nest(ForRef rows);
  // Whether the op is a part of the sums that nest() has computed.
  [[nodiscard]] bool has_computed(OpRef op) const { return computed_.contains(op.id()); }

 private:
  struct Bounds {
    SourceText first, end;
  };
  Bounds bounds_of(ForRef loop);
  SourceText memory_of(OpRef rows, std::int64_t bytes);
  SourceText pointer(OpRef load);
  // Of a gathered factor: statements for the functions that say where it is.
  MatrixFactor gathered(const MatrixOperand& of, ForRef lines, ForRef terms, const Bounds& line_bounds,
                        const Bounds& term_bounds);
  // The function of one of the two indices.
  SourceText spot(ForRef loop, bool narrow, OpRef load, IndexExpr place, OpRef guard, std::span<const IndexExpr> asked);

  IndexEmitter& indices_;
  PieceAccesses& pieces_;
  ThreadBlock& block_;
  FunctionEmitter& function_;
  std::unordered_set<OpId> computed_;
};

}  // namespace mlgc::codegen
