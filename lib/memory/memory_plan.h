// What memory a host function's call takes for temporaries, at given sizes: the plan that the runtime makes (runtime/
// arena_layout.h), with the reason for its size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/model_table.h"
#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/memory_limit.h"
#include "support/result.h"
#include "support/saturating.h"

namespace mlgc {

struct PlannedBuffer {
  std::string name;
  std::int64_t bytes = 0, offset = 0;
  std::size_t first = 0, last = 0;  // steps of the host function, both included
  bool at_peak = false;
  std::string stage;    // the size that the call computes, whose piece of memory this lies in; empty: the arena
  std::string unknown;  // what its bytes are, where that size was given no value; then it counts as empty
  Location at = {};     // of what is computed into it
};

struct MemoryPlan {
  std::string function;
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // by name
  std::int64_t arena = 0;                                   // bytes that the runtime takes, all pieces together
  std::int64_t unplanned = 0;                               // the same for the text before the pass `plan`
  std::int64_t at_once = 0;                                 // bytes that are live in one step: no placing takes less
  std::int64_t least = 0;                                   // bytes that one op touches: no order takes less
  std::int64_t scratch = 0;                                 // bytes for each thread
  std::size_t steps = 0, peak_step = 0;
  std::string peak;                    // the op there, `launch @forward.1.linear`
  std::vector<std::string> ops;        // of all steps: `alloc h`, `launch @forward.1.linear`
  std::vector<PlannedBuffer> buffers;  // in the order of the text

  // In each step, of the arena and of the pieces of memory whose sizes are known.
  [[nodiscard]] std::vector<std::int64_t> live_by_step() const;
  // What a limit is compared with; INT64_MAX where it is more than that.
  [[nodiscard]] std::int64_t total() const { return saturating_add(arena, scratch); }
};

// Of one host function. `sizes` gives every symbol that it has a value, but for those that a call computes, which may
// have none. Error: kPlanSize, whose argument is the reason, for a symbol without a value, or sizes that do not fit in
// 64 bits.
[[nodiscard]] Result<MemoryPlan, Diagnostic> plan_memory(const IndexPool& index, const codegen::ModelFunction& function,
                                                         const SymbolSizes& sizes);

// For each host function of a module at the loop level, and, unless it is null, of the same module before it was
// planned. Error: as above, kPlanSize for a size that no host function has, too, and what codegen::describe_module()
// says.
[[nodiscard]] Result<std::vector<MemoryPlan>, Diagnostic> plan_memory(Module& planned, Module* unplanned,
                                                                      const SymbolSizes& sizes);

// Whether the host function has a size of that name, or one that is solved from a product only.
[[nodiscard]] bool has_size(const IndexPool& index, const codegen::ModelFunction& function, std::string_view name);

// ` with B = 64, S = 128`; nothing where there are no sizes.
[[nodiscard]] std::string sizes_text(const MemoryPlan& plan);

}  // namespace mlgc
