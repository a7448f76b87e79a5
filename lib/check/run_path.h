// Where a run of the interpreter is: in which function, arm or iteration.
//
//     RunPath path(module);
//     options.enter = [&](RegionRef region, …) { path.enter(region); … };
//     options.observe = [&](OpRef op, …) { path.leave_to(op); … };
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc {

class RunPath {
 public:
  explicit RunPath(const Module& module);

  // The region is entered, once more if its op runs it in a loop.
  void enter(RegionRef region);
  // The op has run, and its regions are left.
  void leave_to(OpRef op);

  struct Level {
    RegionRef region;
    std::int64_t number = 0;                             // of the iteration, from 0
    std::unordered_map<RegionId, std::int64_t> entered;  // regions of its ops, while the op runs
  };
  // From the function that is run on.
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  // `@helper`, `if %y then`, `for %acc[2]`, `while %x condition[0]`.
  [[nodiscard]] std::string text(const Level& level) const;
  // ` in @helper, for %acc[2]`: of all but the function that is run; empty where there is no other.
  [[nodiscard]] std::string text() const;

  // With its %, as the module prints it.
  [[nodiscard]] const std::string& name(Value value) const { return names_.at(value.id()); }
  [[nodiscard]] const std::unordered_map<ValueId, std::string>& names() const { return names_; }

 private:
  std::unordered_map<ValueId, std::string> names_;
  std::vector<Level> levels_;
};

// Whether the op runs its regions in a loop.
[[nodiscard]] bool repeats(OpRef op);

}  // namespace mlgc
