// See memory_limits.h.
#include "memory/memory_limits.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "diag/kinds_codegen.h"
#include "ir/function.h"
#include "ops/op_sizes.h"
#include "support/byte_size.h"

namespace mlgc {

namespace {

// Buffers at the peak that are named.
constexpr std::size_t kShown = 4;

class Holder {
 public:
  Holder(const IndexPool& index, const codegen::ModelFunction& model, DiagnosticEngine& diagnostics)
      : index_(index), model_(model), function_(model.host_function), diagnostics_(diagnostics) {}

  bool run(MemoryLimit limit) {
    const std::string name(function_.name());
    const Location at = function_.op().location();
    std::erase_if(limit.sizes, [&](const auto& said) {
      if (has_size(index_, model_, said.first)) return false;
      diagnostics_.emit(diagnose<kLimitSizeUnused>(at, said.first, name));
      return true;
    });
    const auto plan = plan_memory(index_, model_, largest_sizes(function_, limit.sizes));
    if (!plan) {
      diagnostics_.emit(diagnose<kMemoryLimitUnchecked>(at, name, std::get<std::string>(plan.error().args.at(0))));
      return false;
    }
    if (const NotCounted unknown = not_counted(*plan); !unknown.names.empty())
      diagnostics_.emit(
          diagnose<kSizesNotCounted>(at, unknown.names, "`memory_limit_sizes = [\"" + unknown.size + "=64\"]`"));
    const std::int64_t bytes = plan->total();
    if (bytes <= limit.bytes) return true;
    const auto [planned, allowed] = byte_size_texts(bytes, limit.bytes);
    Diagnostic error = diagnose<kMemoryLimitExceeded>(at, name, planned, sizes_text(*plan), allowed, bytes);
    note_live_at_peak(error, *plan);
    diagnostics_.emit(std::move(error));
    return false;
  }

 private:
  const IndexPool& index_;
  const codegen::ModelFunction& model_;
  FuncRef function_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace

bool hold_memory_limits(const Module& module, DescribeHostFunctions describe, DiagnosticEngine& diagnostics) {
  const std::vector<FuncRef> all = functions(module);
  if (std::none_of(all.begin(), all.end(), [](const FuncRef& f) { return stated_memory_limit(f).has_value(); }))
    return true;
  Module described =
      module;  // NOLINT(performance-unnecessary-copy-initialization): gets host functions through handles
  const auto models = describe(described);
  if (!models) {
    diagnostics.emit(models.error());
    return false;
  }
  bool held = true;
  for (const codegen::ModelFunction& model : *models)
    if (auto limit = stated_memory_limit(FuncRef(model.host_function)))
      held = Holder(described.context().index(), model, diagnostics).run(*std::move(limit)) && held;
  return held;
}

void state_own_limit(FuncRef function, MemoryLimit limit) {
  const std::set<std::string> own = size_names(function);
  std::erase_if(limit.sizes, [&](const auto& size) { return !own.contains(size.first); });
  state_memory_limit(function, limit);
}

void note_live_at_peak(Diagnostic& error, const MemoryPlan& plan) {
  std::vector<PlannedBuffer> live;
  for (const PlannedBuffer& buffer : plan.buffers)
    if (buffer.at_peak) live.push_back(buffer);
  std::stable_sort(live.begin(), live.end(),
                   [](const PlannedBuffer& a, const PlannedBuffer& b) { return a.bytes > b.bytes; });
  for (std::size_t i = 0; i < std::min(live.size(), kShown); ++i)
    error.add_note<kLiveAtPeak>(live[i].at, live[i].name, byte_size_text(live[i].bytes), plan.peak);
  if (live.size() > kShown) error.add_note<kMoreAtPeak>({}, static_cast<std::int64_t>(live.size() - kShown));
}

NotCounted not_counted(const MemoryPlan& plan) {
  NotCounted out;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.unknown.empty()) continue;
    out.names.push_back(buffer.name);
    out.size = buffer.stage;
  }
  return out;
}

}  // namespace mlgc
