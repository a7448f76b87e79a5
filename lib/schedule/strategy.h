// Strategies: the ways in which the default schedule lets a site of a kernel run, in one table a target.
//
// A kernel is scheduled stage by stage, and in a stage site by site (Stage). At each site the strategies of the stage
// are asked in their order: the first one that matches and whose transforms are not refused is taken. A strategy is a
// file of strategies/ or gpu_strategies/, its name in strategies.h or gpu_strategies.h there, and a line of
// strategy_table.cpp.
//
// Guarantees
//   - A strategy only applies transforms (loop_transforms.h), so what it does is legal, keeps what is computed as far
//     as `numerics` says, and is the text that it leaves. A strategy that is refused half-way leaves what it has done;
//     the next one is asked.
//   - matches() and why() change nothing. What matches() answers depends on the text and the numerics alone, not on the
//     machine: a strategy decides in which order a sum is added.
//   - Of a strategy that is compared predictions for the default machine decide, so what is taken is the same for all.
//   - Names are words of lower case joined by `-`, each of one strategy, or of one for each target.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "machine/machine.h"
#include "ops/numerics.h"
#include "schedule/along_loop.h"
#include "schedule/match_reasons.h"
#include "support/result.h"

namespace mlgc::schedule {

class Scheduler;

// Where strategies are asked, in this order.
enum class Stage : std::uint8_t {
  Rows,      // a contraction in a row that does more than that: which loops the row becomes
  Split,     // a loop that reduces: tiles of it, which threads share
  Nest,      // a nest: another form of all of it
  Products,  // a contraction in a nest: which loops share its factors in registers
  Grid,      // a nest, for a GPU: which loops are blocks and which are threads
  Lanes,     // a loop, from the outside until one is taken: which loop has the lanes
};
[[nodiscard]] std::string_view stage_name(Stage stage);  // `rows`, `split`, `nest`, `products`, `grid`, `lanes`

// Where a strategy is asked. What it looks at is computed once; of a text that changes since, make another one.
class Site {
 public:
  // `elements`: of a row that a thread of a GPU takes; 0: as many as usual.
  explicit Site(OpRef loop, std::int64_t elements = 0) : loop(loop), elements(elements) {}

  OpRef loop;
  std::int64_t elements;

  [[nodiscard]] const AlongLoop& along() const {
    if (!along_) along_.emplace(ForRef::from(loop));
    return *along_;
  }

 private:
  mutable std::optional<AlongLoop> along_;
};

// Rows and columns of a tile that a block computes.
struct TileShape {
  std::int64_t rows = 0, columns = 0;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

// Whether a strategy applies to a site.
class Match {
 public:
  [[nodiscard]] static Match yes() { return {Answer::Yes, {}, {}}; }
  // It is for such sites, but not for this one.
  template <const MatchReason& R, class... Args>
  [[nodiscard]] static Match no(const Args&... args) {
    return {Answer::No, reason_text<R>(args...), R.id};
  }
  // It is for sites of another kind: how this one differs.
  template <const MatchReason& R, class... Args>
  [[nodiscard]] static Match other_kind(const Args&... args) {
    return {Answer::OtherKind, reason_text<R>(args...), R.id};
  }
  // Because a transform would be refused.
  [[nodiscard]] static Match no(const Diagnostic& refused) { return {Answer::No, refused.message(), refused.kind->id}; }
  [[nodiscard]] static Match other_kind(const Diagnostic& refused) {
    return {Answer::OtherKind, refused.message(), refused.kind->id};
  }
  // For the reason of another loop: `where` says of which.
  [[nodiscard]] static Match no(const Match& other, const std::string& where) {
    return {Answer::No, where + " " + other.text_, other.kind_};
  }

  [[nodiscard]] explicit operator bool() const { return answer_ == Answer::Yes; }
  [[nodiscard]] bool is_other_kind() const { return answer_ == Answer::OtherKind; }
  // As a clause; empty where it applies.
  [[nodiscard]] const std::string& text() const { return text_; }
  // The id of the reason, or of the kind of diagnostic where a transform would be refused; empty where it applies.
  [[nodiscard]] std::string_view kind() const { return kind_; }

 private:
  enum class Answer : std::uint8_t { Yes, No, OtherKind };
  Match(Answer answer, std::string text, std::string_view kind)
      : answer_(answer), text_(std::move(text)), kind_(kind) {}

  Answer answer_;
  std::string text_;
  std::string_view kind_;
};

struct StrategyDef {
  std::string_view name;
  std::string_view summary;  // one sentence
  Stage stage;
  NumericsClass numerics = NumericsClass::Exact;  // the widest class of what it may change
  Match (*matches)(const Scheduler& scheduler, const Site& site) = nullptr;
  // One sentence with the numbers that decided. Precondition: it matches.
  std::string (*why)(const Scheduler& scheduler, const Site& site) = nullptr;
  // The loop that stands for the site from then on; error: the refusal of a transform. Precondition: it matches.
  Result<OpRef, Diagnostic> (*apply)(Scheduler& scheduler, const Site& site) = nullptr;
  // Whether the kernel is scheduled without it too where it is taken, and predictions choose (schedule_kernel.h); null:
  // nowhere. Precondition: it matches.
  bool (*is_compared)(const Site& site) = nullptr;
  // Tiles that may be asked of it (ScheduleRequest::tile); empty: it chooses none. Of some sites not all are possible.
  std::span<const TileShape> tiles = {};
};

// The strategies of a target, in the order in which they are asked within their stages.
[[nodiscard]] std::span<const StrategyDef* const> strategies(MachineKind kind);
[[nodiscard]] const StrategyDef* find_strategy(MachineKind kind, std::string_view name);

}  // namespace mlgc::schedule
