// See memory_report.h.
#include "compile/memory_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mlgc {

std::string memory_text(const std::vector<MemoryPlan>& plans) {
  std::string out;
  for (const MemoryPlan& plan : plans) {
    const auto bytes = [](std::int64_t count) { return std::to_string(count) + " bytes"; };
    const auto unknown = std::count_if(plan.buffers.begin(), plan.buffers.end(),
                                       [](const PlannedBuffer& buffer) { return !buffer.unknown.empty(); });
    const std::size_t known = plan.buffers.size() - static_cast<std::size_t>(unknown);
    out += "@" + plan.function + sizes_text(plan) + ": " + bytes(plan.arena) + " for " + std::to_string(known) +
           " temporaries, " + std::to_string(plan.unplanned) + " before the plan; " + bytes(plan.scratch) +
           " of scratch a thread\n";
    if (unknown > 0)
      out += "  and " + std::to_string(unknown) + " whose sizes the call computes; --dim says what they shall be\n";
    if (plan.buffers.empty()) continue;
    out += "  " + bytes(plan.at_once) + " are live at once, in step " + std::to_string(plan.peak_step) + " of " +
           std::to_string(plan.steps) + ": " + plan.peak + "; no order takes less than " + std::to_string(plan.least) +
           "\n";
    for (const PlannedBuffer& buffer : plan.buffers) {
      const std::string size = buffer.unknown.empty() ? bytes(buffer.bytes) + " at " + std::to_string(buffer.offset)
                                                      : buffer.unknown + " bytes";
      out += std::string(buffer.at_peak ? "  * " : "    ") + buffer.name + ": " + size +
             (buffer.stage.empty() ? "" : " of the memory of `" + buffer.stage + "`") + ", steps " +
             std::to_string(buffer.first) + " to " + std::to_string(buffer.last) + "\n";
    }
  }
  return out;
}

std::string memory_json(const std::vector<MemoryPlan>& plans) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const MemoryPlan& plan : plans) {
    Json sizes = Json::object();
    for (const auto& [name, size] : plan.sizes) sizes[name] = size;
    Json buffers = Json::array();
    for (const PlannedBuffer& buffer : plan.buffers) {
      buffers.push_back({{"name", buffer.name},
                         {"bytes", buffer.bytes},
                         {"offset", buffer.offset},
                         {"first", buffer.first},
                         {"last", buffer.last},
                         {"at_peak", buffer.at_peak}});
      if (!buffer.stage.empty()) buffers.back()["memory_of"] = buffer.stage;
      if (!buffer.unknown.empty()) buffers.back()["bytes"] = buffer.unknown;
    }
    all.push_back({{"function", plan.function},
                   {"sizes", sizes},
                   {"arena_bytes", plan.arena},
                   {"unplanned_bytes", plan.unplanned},
                   {"live_bytes", plan.at_once},
                   {"least_bytes", plan.least},
                   {"scratch_bytes", plan.scratch},
                   {"steps", plan.steps},
                   {"peak_step", plan.peak_step},
                   {"peak", plan.peak},
                   {"buffers", buffers}});
  }
  return all.dump(2) + "\n";
}

}  // namespace mlgc
