// Private to lib/schedule: contractions, whose factors several iterations of the loops around share,
// and what their strategies have in common.
//
// Guarantees
//   - Tiles fit into 24 vectors of 64 bytes, which leaves 8 for factors, or into 12 of 32 or 16, which leave 4.
//   - Their shape changes no bit: each element's sum goes its own way through its terms.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "schedule/cpu_limits.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

class Scheduler;

// --- nests

// From the inside.
[[nodiscard]] std::vector<OpRef> loops_around(OpRef op);
// The loop and those inside.
[[nodiscard]] std::vector<OpRef> loops_of(OpRef loop);
// The only op in the body of a loop, if that is a loop.
[[nodiscard]] OpRef only_loop_in(OpRef loop);
// From `rows` to `columns` each loop has nothing in it but the next one.
[[nodiscard]] bool is_nest(OpRef rows, OpRef columns);
// With the rows inside of all other loops, but the columns, there are enough iterations for threads.
[[nodiscard]] bool leaves_threads(OpRef rows, OpRef columns);

// --- sums

// The contractions in the nest that stand in another loop, each without those that it carries on.
[[nodiscard]] std::vector<OpRef> sums_in(OpRef nest);
[[nodiscard]] std::vector<OpRef> loads_in(OpRef loop);
// Whether the op reads one of the values, which are those that differ along a loop (varying_values()).
[[nodiscard]] bool varies(const std::unordered_set<ValueId>& varying, OpRef op);
// What casts to wider dtypes were made of.
[[nodiscard]] Value before_widening(Value v);
// Iterations of `loop` share a load in `sum` which differs along `other`.
[[nodiscard]] bool shares(OpRef loop, OpRef other, OpRef sum);
// Some loop around shares a factor of the sum: iterations read it again. A contraction of which none does is a
// reduction like any other.
[[nodiscard]] bool shares_factors(OpRef sum);
// How many elements the load reads while the loops run.
[[nodiscard]] std::int64_t elements_along(OpRef load, const std::vector<OpRef>& loops);
// Lanes over the sum would read contiguous elements.
[[nodiscard]] bool goes_along(OpRef sum);
// What comes after each sum, lane by lane, is little beside it.
[[nodiscard]] bool pays_along(OpRef sum, OpRef columns);
// Of one value that the sum carries, as it stands, and as it will be carried.
[[nodiscard]] std::int64_t carried_bytes(OpRef sum);
[[nodiscard]] std::int64_t sum_bytes(const Scheduler& scheduler, OpRef sum);
// How many iterations of the sum a tile of it has, so that the partial sums of all tiles are few beside the elements
// that the sum reads; 0: it stays whole.
[[nodiscard]] std::int64_t terms_of_tile(OpRef sum);

// What is packed in front of rows that share it. The loads in the sum that lanes over the columns would be slow at:
// under guards, strided, or of so many that those of one vector of columns leave the cache; none where rows do not
// share one of them. And factors that are computed, with the loads that they take, where enough rows would compute them
// again. `count`: rows, as far as that is known.
[[nodiscard]] std::vector<OpRef> values_to_pack(OpRef sum, OpRef columns, OpRef rows,
                                                std::optional<std::int64_t> count);

// --- registers

// Lanes for so many columns of sums of so many bytes each: the widest strips that do not compute much for nothing.
[[nodiscard]] std::int64_t strip_lanes_of(const SumRegisters& registers, std::optional<std::int64_t> columns,
                                          std::int64_t bytes);
// How many rows of a strip fit.
[[nodiscard]] std::int64_t rows_in_registers(const SumRegisters& registers, std::int64_t lanes, std::int64_t bytes);

// --- steps

// What a sum reads under guards along the columns has what lies outside of the buffer copied around it.
void pad_columns(Scheduler& scheduler, OpRef sum, OpRef columns);
// Of many terms blocks are added in f32, and their sums in f64 unless they are few: one accumulator for all would lose
// more than PyTorch's.
void narrow_product_blocks(Scheduler& scheduler, OpRef sum);
// Enough blocks of rows for threads, each with as many as make packing for it alone worth it. False: there are none.
bool share_blocks(Scheduler& scheduler, OpRef rows, std::int64_t fewest);
// Interchanges rows with the loops between them and the columns, so that what a strip of columns reads stays in cache
// for all of them. What is the loop over rows then.
OpRef sink(Scheduler& scheduler, OpRef rows, OpRef columns);
// A loop that packs becomes in-register transposes, or stays as it is where lanes would read one by one.
void give_packing_lanes(Scheduler& scheduler, OpRef loop);

}  // namespace mlgc::schedule
