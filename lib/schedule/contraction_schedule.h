// The default schedule of contractions: sums of products whose factors several iterations of the loops around share.
// Private to lib/schedule; default_schedule.cpp builds on it.
//
//     columns that follow each other     lanes over a strip of them, and a tile of rows jammed into the sum, whose sums
//                                        are in registers, in the order of the text. What it reads in strides or under
//                                        guards is packed for all rows
//     a sum over elements that do        lanes over the sum, and a tile of rows and columns jammed into it: 16 partial
//                                        sums for each element of the tile
//
// Guarantees
//   - All is done by steps; a contraction in whose nest a step is refused has fewer of them, and the same values.
//   - Tiles fit into 24 vectors of 64 bytes, which leaves 8 for factors, or into 12 of 32 or 16, which leave 4.
//   - Their shape changes no bit: each element's sum goes its own way through its terms.
#pragma once

#include <algorithm>
#include <vector>

#include "loopir/vector_bytes.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

// What sums have of the registers that vectors of so many bytes come with: 32 of 64 bytes, 16 of others.
struct SumRegisters {
  std::int64_t vector_bytes = 64;

  [[nodiscard]] bool many() const { return vector_bytes == 64; }
  [[nodiscard]] std::int64_t sum_bytes() const { return (many() ? 24 : 12) * vector_bytes; }
  // Vectors of a row share each of its factors.
  [[nodiscard]] std::int64_t strip_bytes() const { return (many() ? 4 : 2) * vector_bytes; }
  // Of a tile of sums that have the lanes.
  [[nodiscard]] std::int64_t sum_columns() const { return many() ? 4 : 2; }
};

class ContractionScheduler : protected StepTaker {
 public:
  ContractionScheduler(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate, TransformReview* review)
      : StepTaker(func, numerics, facts, gate, review), registers_{vector_bytes(func.module())} {}

 protected:
  // Loops whose index is divided for what a contraction reads, as by the channels of a group, become two.
  void split_divided_loops();
  // Long sums go by tiles of their terms, as nests of their own in front.
  void split_contractions();

  // Gives lanes to the contractions in the nest, and finds the loops that will be jammed into them. Loops that have no
  // lanes afterwards get theirs in between, since jam() makes copies of what a row does.
  struct Tile {
    OpRef loop;
    std::int64_t most = 0;  // copies
  };
  using Tiles = std::vector<Tile>;
  Tiles plan_contractions(OpRef nest);
  void jam_contractions(Tiles tiles);

  // Each lane may run the loops inside by itself: in all of them the lanes read and write neighbours. With `packed`
  // they need not read them.
  [[nodiscard]] static bool is_column_loop(OpRef loop, bool packed = false);

  // A loop that packs stays as it is.
  [[nodiscard]] bool is_packing(OpRef loop) const {
    return std::find(packing_.begin(), packing_.end(), loop) != packing_.end();
  }

 private:
  // How many iterations of the sum a tile of it has; 0: it stays whole.
  [[nodiscard]] std::int64_t terms_of_tile(OpRef sum) const;
  // False: the innermost loop around is none over columns.
  bool plan_columns(OpRef sum, const std::vector<OpRef>& around, Tiles& tiles);
  // Few columns in a loop over more of what could be some: lanes over that one. False: nothing was changed.
  bool plan_outer_columns(OpRef sum, const std::vector<OpRef>& around, Tiles& tiles);
  OpRef sink(OpRef rows, OpRef columns);
  bool share_blocks(OpRef rows, std::int64_t fewest);
  void give_packing_lanes(OpRef loop);
  void plan_sum(OpRef sum, std::vector<OpRef> around, Tiles& tiles);
  void narrow_sum(OpRef sum);
  void narrow_blocks_of(OpRef sum);
  void add_tile(OpRef loop, std::int64_t most, Tiles& tiles);

  SumRegisters registers_;
  std::vector<OpRef> packing_;
};

}  // namespace mlgc::schedule
