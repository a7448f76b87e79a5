// One graph in several notations: how many operators each has, and what stands for each op.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "export/notation.h"

namespace mlgc {

struct WrittenNotation {
  const Notation* notation;
  std::optional<Exported> exported;
  std::string refusal;  // why there is none
};

// A table of the notations, then the ops of `function` in order, each with what stands for it. Ops that stand inside of
// calls, of which some notations have none, follow those of the function.
[[nodiscard]] std::string side_by_side(const Module& module, FuncRef function,
                                       std::span<const WrittenNotation> written);

}  // namespace mlgc
