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
//   - Tiles fit into three quarters of the machine's vector registers, which leaves a quarter for factors.
//   - Their shape changes no bit: each element's sum goes its own way through its terms.
#pragma once

#include <algorithm>
#include <vector>

#include "loopir/module_machine.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

// What sums have of a machine's registers; a quarter is left for factors.
struct SumRegisters {
  std::int64_t vector_bytes = 64, registers = 32;

  [[nodiscard]] bool many() const { return registers >= 32; }
  [[nodiscard]] std::int64_t sum_bytes() const { return registers / 4 * 3 * vector_bytes; }
  // Vectors of a row share each of its factors.
  [[nodiscard]] std::int64_t strip_bytes() const { return (many() ? 4 : 2) * vector_bytes; }
  // Of a tile of sums that have the lanes.
  [[nodiscard]] std::int64_t sum_columns() const { return many() ? 4 : 2; }
};

class ContractionScheduler : protected StepTaker {
 public:
  ContractionScheduler(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate, TransformReview* review)
      : StepTaker(func, numerics, facts, gate, review),
        machine_(machine_of(func.module(), MachineKind::Cpu).cpu()),
        registers_{machine_.vector_bytes, machine_.vector_registers} {}

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

  CpuMachine machine_;
  SumRegisters registers_;
  std::vector<OpRef> packing_;
};

}  // namespace mlgc::schedule
