// What schedules share: steps that are taken where the gate admits them, and looks at nests.
//
// Guarantees
//   - Each step that is taken is recorded in the gate and counted; one that is refused changes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loopir/loop_ops.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"
#include "schedule/loop_transforms.h"
#include "schedule/transform_review.h"

namespace mlgc::schedule {

// The loops that stand in the region, also in arms of branches, but not in other loops.
[[nodiscard]] std::vector<OpRef> loops_in(RegionRef region);
// The first loop of the region after the op; of all where that is an invalid handle. Invalid where there is none.
[[nodiscard]] OpRef next_loop(RegionRef region, OpRef before);
// The place of a loop among the loops of its region: what steps make of it stands between the loops that were before
// and after it. They may split it, and erase or replace what stands around it, but for other loops.
class PlaceAmongLoops {
 public:
  explicit PlaceAmongLoops(OpRef loop);
  [[nodiscard]] std::vector<OpRef> loops() const;
  // Of those; an invalid handle where there is none.
  [[nodiscard]] OpRef first() const;

 private:
  RegionRef region_;
  OpRef before_, behind_;
};
// The loop, or the outermost one that steps have put around it within `around`.
[[nodiscard]] OpRef outermost_in(OpRef around, OpRef loop);
// Somebody gave lanes to a loop of the nest already, or wrote one out.
[[nodiscard]] bool is_scheduled(OpRef nest);
[[nodiscard]] bool is_parallel_inside(OpRef loop);
// The number of iterations, where it is a constant.
[[nodiscard]] std::optional<std::int64_t> extent(OpRef loop);
// Whether what the loop carries, also through the loops inside of it, is a contraction: products, not squares, are
// summed.
[[nodiscard]] bool is_sum_of_products(ForRef loop);

// Rows and columns of a square register tile, the larger of which has elements of up to 32 bits: rows of 16 f32 are a
// vector of 64 bytes, or several narrower ones.
inline constexpr std::int64_t kSquare = 16, kSmallSquare = 8;
// Of elements of 32 bits and more a square may have empty lanes, where so few are read of a row, or written. A policy,
// the same for all CPUs: the smallest one is a vector of 16 bytes of f32, and with fewer most of its lanes are empty.
inline constexpr std::int64_t kSmallestSquare = 4, kFewestRead = 3, kFewestWritten = 4;

// In `along`, which is alone in `across` and only touches single elements, a load runs along the outer loop and stores
// along the inner one, and neither is known to have fewer iterations than `least`.
[[nodiscard]] bool is_transposition(OpRef across, OpRef along, std::int64_t least);
// The innermost two loops of a nest of parallel ones, where they are such.
struct Transposition {
  OpRef across, along;
};
[[nodiscard]] std::optional<Transposition> transposition(OpRef nest, std::int64_t least);
// Whether it pays to transpose in registers: enough rows and columns, or a constant few of the ones or the others.
[[nodiscard]] bool fills_square(const Transposition& of);
// The rows and columns of the register tile of an in-register transpose: the largest one that is filled and of which a
// vector holds a row.
[[nodiscard]] std::int64_t square_of(const Transposition& of, std::int64_t vector_bytes);

class StepTaker {
 public:
  // With a review, a step that it refuses is not taken.
  StepTaker(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate, TransformReview* review = nullptr)
      : func_(func), numerics_(numerics), facts_(facts), gate_(gate), review_(review) {}

  [[nodiscard]] OpRef func() const { return func_; }
  [[nodiscard]] Numerics numerics() const { return numerics_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] ScheduleCounts& counts() { return counts_; }
  // Sums may be reassociated.
  [[nodiscard]] bool may_reassociate() const { return admits(numerics_, NumericsClass::Reassociate, true); }
  // Why the last transform was refused.
  [[nodiscard]] const Diagnostic& refused() const { return refused_; }

  // Takes the step where the gate admits another change; true when it was taken.
  template <class Step>
  bool take(std::string_view what, OpRef loop, NumericsClass numerics, std::uint64_t& count, const Step& step) {
    if (!gate_.open()) {
      refused_ = diagnose<kScheduleNothingToDo>({}, "change", "the pass may make no more changes");
      return false;
    }
    if (const std::optional<std::string> finding = review_ == nullptr ? std::nullopt : review_->refuses_next()) {
      refused_ = diagnose<kScheduleResultInvalid>({}, *finding);
      return false;
    }
    const std::string name = review_ == nullptr ? "" : transform_name(what, loop);
    const Location at = numerics == NumericsClass::Exact ? loop.location() : source_of(loop);
    const TransformResult done = step();
    if (!done) {
      refused_ = done.error();
      return false;
    }
    gate_.record(what, at, numerics);
    ++count;
    if (review_ != nullptr) review_->applied(func_, name);
    return true;
  }
  // Single steps that many strategies take.
  bool tile_by(OpRef loop, std::int64_t size, Tail tail = Tail::Min) {
    return take("tile", loop, NumericsClass::Exact, counts_.tiled, [&] { return tile(loop, size, tail, facts_); });
  }
  bool interchange_with_inner(OpRef loop) {
    return take("interchange", loop, NumericsClass::Exact, counts_.tiled, [&] { return interchange(loop, facts_); });
  }
  bool vectorize_in(OpRef loop, std::int64_t lanes, NumericsClass change = NumericsClass::Exact,
                    std::int64_t per_lane = 1, std::optional<IndexExpr> skew = std::nullopt) {
    return take("vectorize", loop, change, counts_.vectorized,
                [&] { return vectorize(loop, lanes, facts_, per_lane, skew); });
  }
  bool pack_before(OpRef load, OpRef nest) {
    return take("pack", load, NumericsClass::Exact, counts_.staged, [&] { return pack(load, nest); });
  }
  bool expand_scratch_of(OpRef loop) {
    return take("expand-scratch", loop, NumericsClass::Exact, counts_.staged, [&] { return expand_scratch(loop); });
  }
  bool jam_all(OpRef loop) {
    return take("jam", loop, NumericsClass::Exact, counts_.jammed, [&] { return jam(loop, 0, facts_); });
  }
  bool share(OpRef loop) {
    return take("parallelize", loop, NumericsClass::Exact, counts_.parallel, [&] { return parallelize(loop, facts_); });
  }
  // In register tiles of `size` by `size`, `squares` of them at a time.
  bool transpose(const Transposition& of, std::int64_t size, std::int64_t squares);
  void leave_serial(OpRef loop, const std::string& why);
  // States what the loop does; a statement that it has already stays.
  void note_strategy(OpRef loop, std::string_view name);
  // Lets one thread run all iterations of a parallel loop.
  void serialize(OpRef loop);
  void collapse_all(OpRef loop);
  // Sums of f32 that the loop carries in f64 are carried in f32, where the numerics admit it.
  void narrow_sums(OpRef loop);
  // Contractions that loops carry in f32 accumulate by fused multiply-add, where the numerics admit it.
  // After all other transforms: these need not know of it.
  void fuse_products();

  // Where what the op computes comes from: its place, or that of its kernel.
  [[nodiscard]] static Location source_of(OpRef op);

 protected:
  // The transform and the loop that it is applied to.
  [[nodiscard]] static std::string transform_name(std::string_view what, OpRef op);

  OpRef func_;
  Numerics numerics_;
  const Facts& facts_;
  RewriteGate& gate_;
  TransformReview* review_;
  ScheduleCounts counts_;
  Diagnostic refused_;  // why the last transform was
};

}  // namespace mlgc::schedule
