// Private to lib/codegen: matrix loops, which are tiles of products for the matrix unit (analysis/matrix_nest.h).
//
// All threads of a block compute the sums of the tile in shared memory. Then each takes neighbouring columns of a row,
// as the loop over columns says by `per_lane`, and does for them what follows from the sums.
#pragma once

#include <functional>
#include <unordered_set>

#include "analysis/attention_nest.h"
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
  MatrixFactor factor(const MatrixOperand& of, const SourceText& lines);

  // What follows from the sums of a tile, which are in shared memory.
  struct Epilogue {
    ForRef rows, columns;
    std::int64_t tile_rows, tile_columns;
    Bounds of_rows, of_columns;
    std::function<void(const SourceText& row)> of_row;  // emits what follows of each row, which a thread knows
    Value result;                                       // the sum
  };
  // `sum`: the address of one, by its row and column in the tile.
  void epilogue(const Epilogue& of, const std::function<SourceText(const SourceText&, const SourceText&)>& sum);

  // attention_emitter.cpp
  void attention(ForRef rows);
  void score(const AttentionNest& nest, const SourceText& name);

  IndexEmitter& indices_;
  PieceAccesses& pieces_;
  ThreadBlock& block_;
  FunctionEmitter& function_;
  std::unordered_set<OpId> computed_;
};

}  // namespace mlgc::codegen
