// See memory_report.h.
#include "memory/memory_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mlgc {

namespace {

// The names of the buffers that nothing reads after each step.
std::vector<std::vector<std::string>> ends_by_step(const MemoryPlan& plan) {
  std::vector<std::vector<std::string>> ends(plan.ops.size());
  for (const PlannedBuffer& buffer : plan.buffers)
    if (buffer.last < ends.size()) ends[buffer.last].push_back(buffer.name);
  return ends;
}

// `    3  launch @f.1.matmul  768 bytes live`, and after it `       dealloc a`.
std::string steps_text(const MemoryPlan& plan) {
  std::size_t width = 0;
  for (const std::string& op : plan.ops) width = std::max(width, op.size());
  const std::size_t digits = std::to_string(plan.ops.size()).size();
  const std::vector<std::int64_t> live = plan.live_by_step();
  const auto ends = ends_by_step(plan);
  std::string out;
  for (std::size_t step = 0; step < plan.ops.size(); ++step) {
    const std::string number = std::to_string(step);
    out += "    " + std::string(digits - number.size(), ' ') + number + "  " + plan.ops[step] +
           std::string(width - plan.ops[step].size() + 2, ' ') + std::to_string(live[step]) + " bytes live\n";
    for (const std::string& name : ends[step]) out += "    " + std::string(digits + 2, ' ') + "dealloc " + name + "\n";
  }
  return out;
}

}  // namespace

std::string memory_text(const std::vector<MemoryPlan>& plans, bool steps) {
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
    if (steps) out += steps_text(plan);
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
    Json timeline = Json::array();
    const std::vector<std::int64_t> live = plan.live_by_step();
    const auto ends = ends_by_step(plan);
    for (std::size_t step = 0; step < plan.ops.size(); ++step)
      timeline.push_back({{"op", plan.ops[step]}, {"live_bytes", live[step]}, {"dealloc", ends[step]}});
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
                   {"buffers", buffers},
                   {"timeline", timeline}});
  }
  return all.dump(2) + "\n";
}

}  // namespace mlgc
