// Counts the single changes that passes make to a program, and refuses those beyond a limit: what --rewrites-limit,
// bisecting and blaming stand on. A change is one application of a rewrite rule, one op merged, folded, removed or
// replaced, one call inlined. The program is valid after each of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "diag/location.h"
#include "ops/numerics.h"

namespace mlgc {

struct AppliedRewrite {
  std::uint64_t number = 0;  // counted from 1, over all passes that share the gate
  std::string what;          // the rule, or the step of the pass: `merge-equal-ops`
  Location at;               // of the op that was changed, as it was before
  NumericsClass numerics = NumericsClass::Exact;
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
  }

  [[nodiscard]] std::uint64_t count() const { return last_.number; }
  // The last change; number 0 when there was none.
  [[nodiscard]] const AppliedRewrite& last() const { return last_; }
  // The widest class since start_pass().
  [[nodiscard]] NumericsClass widest() const { return widest_; }
  void start_pass() { widest_ = NumericsClass::Exact; }

 private:
  std::uint64_t limit_;
  AppliedRewrite last_;
  NumericsClass widest_ = NumericsClass::Exact;
};

}  // namespace mlgc
