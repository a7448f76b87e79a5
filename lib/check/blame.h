// Which rewrite of a pass is at fault: the pass runs again with a limit on its rewrites, and the limit is bisected.
#pragma once

#include <optional>
#include <string>

#include "check/compare_runs.h"
#include "pass/pass_manager.h"

namespace mlgc {

struct Blame {
  // `number` counts from 1 within the pass; nothing when no rewrite can be blamed, for the reason.
  std::optional<AppliedRewrite> rewrite;
  std::string reason;
  std::uint64_t total = 0;  // rewrites of the pass
  // Of the values that are there before and after the rewrite, the first that differs in the order of evaluation.
  struct FirstDifference {
    std::string value;  // `%y of `add` [0, 1]`
    Location at;
    std::string before, after;
  };
  std::optional<FirstDifference> first;
  // The rewrite is of class signed_zero, and what differs first differs in the sign of a zero only: all else follows
  // from what the class permits.
  bool zero_sign_only = false;
};

// `before` is what the function gave before the pass on this draw, after which it gave something else; else as the
// class `as` sees it, or without one as the classes of the rewrites do.
[[nodiscard]] Blame find_blame(const PassedStep& passed, std::string_view function, const Draw& draw,
                               const ReferenceRun& before, Numerics mode,
                               std::optional<NumericsClass> as = std::nullopt);

}  // namespace mlgc
