// Private to lib/schedule: a kernel as the default schedule would leave it if its arguments lay otherwise in memory, to
// be measured and thrown away.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "machine/machine.h"
#include "ops/numerics.h"
#include "schedule/permute_axes.h"

namespace mlgc::schedule {

struct ArgumentLayouts {
  std::vector<std::pair<std::size_t, AxisOrder>> orders;  // of arguments whose axes lie otherwise
  std::vector<std::size_t> weights;                       // arguments that may become panels (weight_panels.h)
  friend auto operator<=>(const ArgumentLayouts&, const ArgumentLayouts&) = default;
};

// The copy, in a module of its own, for the machine. The kernel stays as it is.
class ScheduledCopy {
 public:
  ScheduledCopy(OpRef kernel, const ArgumentLayouts& layouts, const Machine& machine, Numerics numerics);
  [[nodiscard]] OpRef kernel() const { return kernel_; }

 private:
  Module module_;
  OpRef kernel_;
};

}  // namespace mlgc::schedule
