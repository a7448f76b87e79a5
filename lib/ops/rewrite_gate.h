// Counts the single changes that passes make to a program, and refuses those beyond a limit: what --rewrites-limit,
// bisecting and blaming stand on. A change is one application of a rewrite rule, one op merged, folded, removed or
// replaced, one call inlined. The program is valid after each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/location.h"
#include "ops/numerics.h"

namespace mlgc {

struct AppliedRewrite {
  std::uint64_t number = 0;  // counted from 1, over all passes that share the gate
  std::string what;          // the rule, or the step of the pass: `merge-equal-ops`
  Location at;               // of the op that was changed, as it was before
  NumericsClass numerics = NumericsClass::Exact;
  std::string_view pass;  // whose change it is; empty where no pass began with the gate
};

class RewriteGate {
 public:
  explicit RewriteGate(std::optional<std::uint64_t> limit = std::nullopt)
      : limit_(limit.value_or(std::numeric_limits<std::uint64_t>::max())) {}

  [[nodiscard]] bool open() const { return last_.number < limit_; }
  // Asked just before a change; when the answer is yes the change must be made.
  [[nodiscard]] bool may_rewrite(std::string_view what, Location at, NumericsClass numerics = NumericsClass::Exact) {
    if (!open()) return false;
    record(what, at, numerics);
    return true;
  }
  // For who learns only by making the change that there is one. Precondition: open() was true before.
  void record(std::string_view what, Location at, NumericsClass numerics = NumericsClass::Exact) {
    ++last_.number;
    last_.what.assign(what);
    last_.at = at;
    last_.numerics = numerics;
    if (numerics > widest_) widest_ = numerics;
    if (log_ == nullptr || numerics == NumericsClass::Exact) return;
    log_->resize(logged_++);
    log_->push_back(last_);
  }

  // From now on changes that may alter numbers are remembered. A copy of the gate shares the memory, and goes back to
  // what was remembered then when it is assigned to the gate: an attempt that is undone leaves nothing.
  void keep_log() { log_ = std::make_shared<std::vector<AppliedRewrite>>(); }
  [[nodiscard]] std::span<const AppliedRewrite> log() const {
    return log_ == nullptr ? std::span<const AppliedRewrite>() : std::span<const AppliedRewrite>(*log_).first(logged_);
  }

  [[nodiscard]] std::uint64_t count() const { return last_.number; }
  // The last change; number 0 when there was none.
  [[nodiscard]] const AppliedRewrite& last() const { return last_; }
  // The widest class since start_pass().
  [[nodiscard]] NumericsClass widest() const { return widest_; }
  void start_pass(std::string_view pass = {}) {
    widest_ = NumericsClass::Exact;
    last_.pass = pass;
  }

 private:
  std::uint64_t limit_;
  AppliedRewrite last_;
  NumericsClass widest_ = NumericsClass::Exact;
  std::shared_ptr<std::vector<AppliedRewrite>> log_;
  std::size_t logged_ = 0;
};

}  // namespace mlgc
