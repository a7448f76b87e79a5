// Private to lib/codegen: pieces, which are neighbouring elements that a thread reads or writes at once.
//
// A vector loop with `per_lane = P` gives a thread P consecutive iterations. Where these load or store P contiguous
// elements, the thread makes one access of up to 16 bytes if the address is aligned to it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/emitter/early_tests.h"
#include "codegen/emitter/index_emitter.h"
#include "codegen/emitter/piece_runs.h"
#include "codegen/emitter/private_buffers.h"

namespace mlgc::codegen {

class PieceAccesses : private EmitterPart {
 public:
  PieceAccesses(FunctionWriter& writer, IndexEmitter& indices, PrivateBuffers& own, EarlyTests& tests, PieceRuns& runs)
      : EmitterPart(writer), indices_(indices), own_(own), tests_(tests), runs_(runs) {}

  // A kernel begins: its threads have read nothing. Whether pieces in the memory of these pointers are aligned the host
  // asks before it launches the kernel.
  void start_kernel(std::span<const TypedName> parameters = {});
  // Of which of them it has to.
  [[nodiscard]] std::vector<SourceText> asked() const { return {asked_.begin(), asked_.end()}; }
  // The code of the region ends, and with it the variables in it.
  void leave(RegionRef region);
  // In front of a loop: declares what it reads that later loops read again at the same places. Threads keep these
  // pieces in registers. Whether there are any.
  bool keep(ForRef loop);
  // Whether there would be any.
  [[nodiscard]] bool keeps(ForRef loop);
  // How many pieces a thread has at most, and how many of these all threads have; nothing where that is not known.
  struct Rounds {
    std::int64_t most = 0, full = 0;
  };
  [[nodiscard]] std::optional<Rounds> rounds_of(ForRef loop) const;
  // Declares the pieces of the loop whose index has the value `first`, and reads those that are loaded. Until write(),
  // accesses of the body are to element `neighbour` of them. `round` numbers the pieces of a thread. Precondition: all
  // iterations of the piece run.
  void read(ForRef loop, const SourceText& first, const SourceText& round, const SourceText& neighbour);
  // Before read(), in code that all threads of a warp run: of stores in the loop, which stands in `rows`, those whose
  // pieces may lie anywhere are written by write_rows(), which all of these threads run after write(). So many of them
  // next to each other have neighbouring pieces of a row, and those that run write() are the first ones.
  void begin_rows(ForRef loop, OpRef rows);
  void write_rows(ForRef loop, const SourceText& first, int threads);
  // Likewise of a piece of which not all iterations run: accesses are to the pieces that are kept, and to memory.
  // `of_each` emits code for each neighbour that runs, whose index is `variable`. Stands after read().
  void read_part(ForRef loop, const SourceText& variable, const SourceText& round, const SourceText& neighbour,
                 const std::function<void(const std::function<void()>&)>& of_each);
  // Accesses are to memory again.
  void leave_part() { elements_.clear(); }
  // Writes those that are stored; accesses are to memory again.
  void write(ForRef loop, const SourceText& first);
  // The element of a piece that the op accesses; nothing where it accesses memory.
  [[nodiscard]] std::optional<SourceText> element(OpRef access) const;

 private:
  struct Piece {
    OpRef access;
    SourceText name;
    bool asked = false;
  };
  struct RowPiece {
    OpRef access;
    SourceText name, holds;
  };
  // Which iterations a thread runs. Loops of one region whose bounds are the same expressions run the same ones.
  struct Iterations {
    IndexExpr first, last;  // over values
    std::int64_t most = 0;  // as many as there are, or more
    std::int64_t lanes = 0, per_lane = 0;
    std::optional<IndexExpr> skew;
    // Of elements that a thread keeps.
    [[nodiscard]] ThreadIterations of_thread() const { return {0, most, lanes, per_lane, skew}; }
    friend bool operator==(const Iterations&, const Iterations&) = default;
  };
  // Pieces that a thread has read before, of a buffer that the function only reads.
  struct Kept {
    RegionRef home;  // in which the loop that read them stands: loops after it, in there
    Value buffer;
    std::vector<IndexExpr> place;  // over values, 0 for the index of the loop
    Iterations iterations;
    SourceText name;             // an array of pieces
    std::optional<OpId> reader;  // the access that reads them; nothing until then
  };
  [[nodiscard]] std::vector<IndexExpr> place(OpRef access);
  [[nodiscard]] std::vector<IndexExpr> place_of_loop(OpRef access, ForRef loop);
  [[nodiscard]] Kept* kept(OpRef access, ForRef loop);
  [[nodiscard]] std::optional<Iterations> iterations_of(ForRef loop) const;
  [[nodiscard]] bool is_read_again(OpRef access, ForRef loop, const Iterations& iterations);
  [[nodiscard]] bool is_of_neighbours(OpRef access, ForRef loop);
  [[nodiscard]] std::vector<OpRef> accesses_of_pieces(ForRef loop);
  // Loads of the loop whose pieces are kept, or are to be.
  [[nodiscard]] std::vector<OpRef> to_keep(ForRef loop);
  // In the buffer, of the first iteration of a piece.
  SourceText first_place(OpRef access, ForRef loop, const SourceText& first);
  // Whether the first elements of pieces lie at multiples of pieces in a parameter of the kernel.
  bool asks(OpRef access, ForRef loop);
  // Whether a stored piece is 16 bytes or several times that, may lie anywhere in memory, and its place is known
  // outside of the loop.
  bool is_row_piece(OpRef store, ForRef loop, OpRef rows);
  [[nodiscard]] bool holds_numbers(OpRef store, ForRef loop) const;
  SourceText from_memory(OpRef access, ForRef loop, const SourceText& first);

  IndexEmitter& indices_;
  PrivateBuffers& own_;
  EarlyTests& tests_;
  PieceRuns& runs_;
  std::vector<Piece> stores_;
  std::vector<RowPiece> row_stores_;
  std::vector<Kept> kept_;
  std::set<SourceText> parameters_, asked_;  // pointers
  std::unordered_map<OpId, SourceText> elements_;
};

}  // namespace mlgc::codegen
