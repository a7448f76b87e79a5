// Private to lib/schedule: how what a loop holds looks along its index. A schedule asks this to choose which loop has
// lanes; nothing that it answers makes a step legal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// The values inside of a loop that may differ between its iterations: what follows from its index, from what it carries
// and from `also`.
[[nodiscard]] std::unordered_set<ValueId> varying_values(ForRef loop, std::span<const Value> also = {});

// Where an access is in the next iteration of a loop: at the same element, at the next one, a constant number of
// elements further, anywhere else. `varying` is varying_values() of the loop; the buffer comes from outside of it.
enum class Along : std::uint8_t { Same, Next, Strided, Scattered };
[[nodiscard]] Along along(OpRef access, ForRef loop, const std::unordered_set<ValueId>& varying);
// The stride in bytes of an access from one iteration to the next, without its sign; nothing where it is not constant.
[[nodiscard]] std::optional<std::int64_t> stride_bytes(OpRef access, ForRef loop);

// What an op on scalars costs, in operations of a machine; functions as many as they take.
[[nodiscard]] std::int64_t work_of(OpRef op);

// Whether an innermost loop carries on what it leaves in memory, as running sums do, and does not only reduce: its
// iterations wait for each other.
[[nodiscard]] bool is_running(OpRef loop);

class AlongLoop {
 public:
  explicit AlongLoop(ForRef loop);

  // Of accesses: at the same element in each iteration, at the next one, `stride` elements further, anywhere else.
  struct Counts {
    std::uint32_t same = 0, next = 0, strided = 0, scattered = 0;
    [[nodiscard]] std::uint32_t apart() const { return strided + scattered; }
  };
  Counts loads, stores;  // to memory from outside of the loop, at any depth
  Counts inner_loads;    // those of the loads that stand in loops inside
  // Of the strided ones, the most bytes from one iteration to the next; the largest number where one is not constant.
  std::int64_t widest_stride = 0;
  std::int64_t strided_element = 0;  // likewise of one element
  bool has_loops = false;
  bool has_vectors = false;  // or parallel loops
  bool allocates = false;    // memory, not registers
  bool launches = false;
  bool bounds_vary = false;  // of a loop inside
  std::int64_t work = 0;     // scalar ops of one iteration, functions as many as they cost, without loops inside

 private:
  void visit(RegionRef region, ForRef loop, bool inside);
  void access(OpRef op, ForRef loop, bool inside);
  [[nodiscard]] bool varies(Value v) const { return varying_.contains(v.id()); }

  std::unordered_set<ValueId> varying_;  // differ between iterations
};

}  // namespace mlgc::schedule
