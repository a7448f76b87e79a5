// Private to lib/codegen: runs, which are neighbouring iterations that the brackets of a loop treat alike.
//
// A vector loop with `per_lane = P` gives a thread P consecutive iterations. Where its brackets divide the index, most
// pieces have one quotient, `(index + k) floordiv c`, and a remainder that counts up: what they access is contiguous
// then. Most pieces also take one arm of a branch whose guard counts. A piece of which both hold is in one run: its
// quotients and guards are computed once, and its loads are pieces, in arms too. Other pieces go element by element.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emitter/index_emitter.h"
#include "codegen/emitter/private_buffers.h"

namespace mlgc::codegen {

class PieceRuns : private EmitterPart {
 public:
  PieceRuns(FunctionWriter& writer, IndexEmitter& indices) : EmitterPart(writer), indices_(indices) {}

  // Finds the runs of the loop and declares what their pieces take, where a piece begins at `first`, of a type. Gives
  // the condition that the piece is in one run; empty: each one is, or there are no runs.
  SourceText begin(ForRef loop, const SourceText& first, const std::string& type);
  // Until leave(), text is of a piece in one run. Declares its guards; these ops are computed then.
  std::vector<OpRef> enter(ForRef loop, const SourceText& first);
  // In the iteration of a neighbour: declares its remainders.
  void at(const SourceText& neighbour);
  // Text is of the first neighbour again.
  void at_first();
  void leave();

  // How many elements further in the buffer the next iteration of the loop accesses; in one run, between enter() and
  // leave(). Nothing where that is no constant.
  [[nodiscard]] std::optional<std::int64_t> distance(OpRef access, ForRef loop);
  // Whether the first neighbour's place in the buffer is a multiple of so many elements.
  [[nodiscard]] bool begins_at_multiple(OpRef access, ForRef loop, std::int64_t elements);
  // Loads in arms of branches that all neighbours take alike, in one run.
  [[nodiscard]] std::vector<OpRef> loads_in_arms(ForRef loop) const;
  // The condition under which what the load gives is wanted, in one run; empty: it always is.
  [[nodiscard]] SourceText wanted_where(OpRef load, ForRef loop) const;

 private:
  struct Found {
    std::int64_t added, divisor;  // of (index + added) floordiv divisor
    bool always;                  // no piece has two quotients
  };
  // How an expression goes from neighbour to neighbour.
  enum class Course : std::uint8_t { Same, OneWay, Any };
  void find(ForRef loop);
  // The first iteration of the first piece.
  [[nodiscard]] IndexExpr first_of_pieces(ForRef loop);
  void find_guards(ForRef loop);
  [[nodiscard]] const Found* found(IndexExpr dividend, std::optional<std::int64_t> divisor, ForRef loop) const;
  [[nodiscard]] IndexExpr next(IndexExpr e, ForRef loop);
  [[nodiscard]] Course course(IndexExpr e, ForRef loop);
  [[nodiscard]] IndexExpr expanded(IndexExpr e);
  [[nodiscard]] IndexExpr place(OpRef access);
  [[nodiscard]] bool pays(OpRef guard, ForRef loop);
  [[nodiscard]] bool is_free(OpRef op, ForRef loop) const;
  [[nodiscard]] std::optional<std::int64_t> distance_in_run(OpRef access, ForRef loop);
  [[nodiscard]] bool is_alike(Value condition) const;

  IndexEmitter& indices_;
  std::vector<Found> found_;
  std::vector<OpRef> guards_;                        // alike for all neighbours in one run
  std::vector<std::pair<OpRef, IndexExpr>> tested_;  // expressions of them that count, and may so change sign
  std::vector<QuotientRun> runs_;                    // texts of those found, of the first neighbour
  std::vector<SourceText> rests_;                    // its remainders
  std::string type_;
  bool active_ = false;
};

}  // namespace mlgc::codegen
