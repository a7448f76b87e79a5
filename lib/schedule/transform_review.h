// Schedules of which each transform that the verifier refuses is undone, so that a valid program stays one.
//
// Guarantees
//   - The function verifies afterwards if it did before. A transform whose result the verifier refuses is not applied;
//     the schedule goes on with what it tries next.
//   - The same function gives the same schedule: a refusal depends on the text alone.
//   - One verification for a function whose schedule is valid. Only where it is not, transforms are replayed on what
//     the function was, with a verification after each.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"

namespace mlgc::schedule {

// What a function was, to be put back.
class Snapshot {
 public:
  explicit Snapshot(OpRef func);
  void restore() const;
  [[nodiscard]] OpRef copy() const { return copy_; }  // in a module of its own

 private:
  OpRef func_;
  Module module_;
  OpRef copy_;
};

// What a schedule asks before and after each of its transforms.
class TransformReview {
 public:
  struct Refusal {
    std::size_t number = 0;  // among the transforms that are tried
    std::string text;        // which transform, and what the verifier says of its result
  };

  // Before the next transform: why it is not to be applied.
  [[nodiscard]] std::optional<std::string> refuses_next();
  // After it. Throws where it is at fault; the function is restored then.
  void applied(OpRef func, std::string_view what);

  [[nodiscard]] const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  friend ScheduleCounts schedule_reviewed(OpRef func, RewriteGate& gate, TransformReview& review,
                                          const std::function<ScheduleCounts()>& schedule);
  struct Stopped {};

  bool each_ = false;  // verify after each transform
  std::size_t next_ = 0;
  std::vector<Refusal> refusals_;
};

// Runs a schedule that asks the review. Changes that it makes without asking are taken back together, with all others.
ScheduleCounts schedule_reviewed(OpRef func, RewriteGate& gate, TransformReview& review,
                                 const std::function<ScheduleCounts()>& schedule);

}  // namespace mlgc::schedule
