// Private to lib/codegen: matrix loops, which are tiles of products for the matrix unit (analysis/matrix_nest.h).
//
// All threads of a block compute the sums of the tile in shared memory. Then each takes neighbouring columns of a row,
// as the loop over columns says by `per_lane`, and does for them what follows from the sums.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>

#include "analysis/attention_nest.h"
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

  // Notes what the sums of a matrix loop are made of, before code in front of it is printed.
  void find(ForRef rows);
  // The nest of a matrix loop.
  void nest(ForRef rows);
  // Whether the op is a part of sums that nest() computes.
  [[nodiscard]] bool has_computed(OpRef op) const { return computed_.contains(op.id()); }

  struct Bounds {
    SourceText first, end;
  };
  // Binds them to variables, and the index to the first one.
  Bounds bounds_of(ForRef loop);
  // Sums that so many threads can read: all of a tile, or a part whose first row and column are given.
  struct Area {
    std::int64_t rows = 0, columns = 0;
    int threads = 0;
    bool of_group = false;  // the threads are a part of the block
    SourceText first_row = {}, first_column = {};
    // A statement that declares `own`, neighbours from there on; one of them.
    std::function<SourceText(const SourceText& row, const SourceText& column, const SourceText& own)> take = {};
    std::function<SourceText(const SourceText& own, const SourceText& neighbour)> taken = {};
  };
  // What follows from these sums.
  struct Followed {
    ForRef rows, columns;
    Value sum;
    Bounds of_rows, of_columns;
    std::function<void(const SourceText& row)> of_row = {};  // emits what a thread computes once for its row
  };
  void follow(const Followed& of, const Area& area);
  [[nodiscard]] static int threads_in_row(const Area& area, std::int64_t pieces);

  // Of attention (attention_emitter.cpp): a function of a query, a key and their product; the positive number times
  // which a product is the score, if that is all; what follows from the total of a query alone.
  void score(const AttentionNest& nest, const SourceText& name);
  [[nodiscard]] static std::optional<double> scale_of_products(const AttentionNest& nest);
  void of_query(const AttentionNest& nest, const SourceText& total);

 private:
  SourceText memory_of(OpRef rows, std::int64_t bytes);
  SourceText pointer(OpRef load);
  MatrixFactor factor(const MatrixOperand& of, const SourceText& lines);
  // Of a gathered factor: statements for the functions that say where it is.
  MatrixFactor gathered(const MatrixOperand& of, ForRef lines, ForRef terms, const Bounds& line_bounds,
                        const Bounds& term_bounds);
  // The function of one of the two indices.
  SourceText offset_of(ForRef loop, bool narrow, OpRef load, IndexExpr place, OpRef guard,
                       std::span<const IndexExpr> asked);

  // attention_emitter.cpp
  void attention(ForRef rows);

  IndexEmitter& indices_;
  PieceAccesses& pieces_;
  ThreadBlock& block_;
  FunctionEmitter& function_;
  std::unordered_set<OpId> computed_;
};

}  // namespace mlgc::codegen
