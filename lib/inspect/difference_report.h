// What differs between two modules, for people and for programs, with the rules and passes that made it so, where that
// is known: rules from locations (`loc("rule NAME"(…))`), passes from a history.
#pragma once

#include <string>

#include "inspect/module_difference.h"
#include "inspect/pass_history.h"

namespace mlgc {

struct DifferenceNames {
  std::string before, after;             // what the modules are called
  const PassHistory* history = nullptr;  // where one was made of the other
  bool color = false;
};

[[nodiscard]] std::string difference_text(const Module& before, const Module& after, const ModuleMatching& matching,
                                          const ModuleDifference& difference, const DifferenceNames& names);

inline constexpr int kDifferenceJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string difference_json(const Module& before, const Module& after, const ModuleMatching& matching,
                                          const ModuleDifference& difference, const DifferenceNames& names);

}  // namespace mlgc
