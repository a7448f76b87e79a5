// What a back end supplies beside TensorTileHooks for attention: a block has warps that bring tiles of keys and values,
// and groups that take queries through them, of which each takes its sums in parts through shared memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emitter_hooks.h"

namespace mlgc::codegen {

// Lines of a box of each factor: of queries and keys, and columns of the values.
struct AttentionBoxLines {
  std::int64_t queries = 0, keys = 0, values = 0;
};
// A map, and places along its dimensions that are not of terms (of columns, of the values), from the innermost one.
struct AttentionSource {
  SourceText map;
  std::vector<SourceText> at;
};
// Of a block: the number of its first query, how many queries and keys there are, how many tiles of kAttentionKeys, how
// much larger than a query's number that of a key may be, and what scores are.
struct AttentionBlock {
  SourceText first, rows, keys, tiles, seen, score;
};
// A part of a group's sums, and its threads.
struct AttentionPart {
  int rows = 0, columns = 0, threads = 0;
};

class AttentionTileHooks {
 public:
  AttentionTileHooks() = default;
  AttentionTileHooks(const AttentionTileHooks&) = delete;
  AttentionTileHooks& operator=(const AttentionTileHooks&) = delete;
  virtual ~AttentionTileHooks() = default;

  [[nodiscard]] virtual int threads(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual AttentionPart part(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual AttentionBoxLines lines(const AttentionTile& tile) const = 0;

  // Of the host: a condition under which the device runs the kernel; bytes of shared memory.
  [[nodiscard]] virtual SourceText runs(std::string_view kernel, const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual SourceText bytes(const AttentionTile& tile) const = 0;

  // Of the kernel: its head without its parameters; statements that declare `ring`, through which tiles go. A
  // condition: the thread is of the warps that bring them; the first statement of these warps, and of the others.
  [[nodiscard]] virtual std::string kernel_head(std::string_view name, const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual std::vector<SourceText> begin(const AttentionTile& tile, const SourceText& ring) const = 0;
  [[nodiscard]] virtual SourceText brings(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual SourceText begin_bringing(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual SourceText begin_using(const AttentionTile& tile) const = 0;
  // A statement that brings queries, keys and values.
  [[nodiscard]] virtual SourceText bring(const AttentionTile& tile, const SourceText& ring,
                                         const AttentionSource& queries, const AttentionSource& keys,
                                         const AttentionSource& values, const SourceText& tiles) const = 0;
  // A statement that declares `name`: scores are products times this positive number.
  [[nodiscard]] virtual SourceText scaled_scores(const SourceText& name, const SourceText& scale) const = 0;
  // Statements that declare and compute the sums of the thread, and the totals of the exponentials. The head of a loop
  // over parts. A statement that declares `memory`, in which a part is; its first row and column. A statement that
  // declares `taken`, neighbouring sums of a row of it, and one of these; the total of a row.
  [[nodiscard]] virtual std::vector<SourceText> multiply(const AttentionTile& tile, const SourceText& ring,
                                                         const SourceText& sums, const SourceText& totals,
                                                         const AttentionBlock& block) const = 0;
  [[nodiscard]] virtual SourceText each_part(const AttentionTile& tile, const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText put(const AttentionTile& tile, const SourceText& ring, const SourceText& sums,
                                       const SourceText& totals, const SourceText& part,
                                       const SourceText& memory) const = 0;
  [[nodiscard]] virtual SourceText first_row(const AttentionTile& tile) const = 0;
  [[nodiscard]] virtual SourceText first_column(const AttentionTile& tile, const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText take(const AttentionTile& tile, const SourceText& memory, const SourceText& row,
                                        const SourceText& column, const SourceText& taken) const = 0;
  [[nodiscard]] virtual SourceText taken(const SourceText& taken, const SourceText& neighbour) const = 0;
  [[nodiscard]] virtual SourceText total(const AttentionTile& tile, const SourceText& memory,
                                         const SourceText& row) const = 0;
};

}  // namespace mlgc::codegen
