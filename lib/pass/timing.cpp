// Clocks, and the two forms of the report.
#include "pass/timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "diag/json_writer.h"

namespace mlgc {

namespace {

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

// The most that was resident at once.
std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string formatted(const char* format, double value) {
  std::array<char, 64> buffer{};
  const int n = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(std::clamp(n, 0, 63))};
}

struct Times {
  double wall = 0, user = 0;
};
Times sum_of_children(const TimingNode& node) {
  Times sum;
  for (const auto& child : node.children) {
    sum.wall += child->wall_seconds;
    sum.user += child->user_seconds;
  }
  return sum;
}

void column(std::string& out, double value, double total) {
  out += formatted("  %8.4f", value) + formatted(" (%5.1f%%)", total > 0 ? 100 * value / total : 0);
}
void row(std::string& out, Times times, Times total, std::size_t depth, std::string_view name) {
  column(out, times.user, total.user);
  column(out, times.wall, total.wall);
  out += "  " + std::string(2 * depth, ' ') + std::string(name) + "\n";
}
// Depth is that of the pipeline's structure, never of the input.
void rows(std::string& out, const TimingNode& node, Times total, std::size_t depth) {
  for (const auto& child : node.children) {
    row(out, {child->wall_seconds, child->user_seconds}, total, depth, child->name);
    if (child->children.empty()) continue;
    rows(out, *child, total, depth + 1);
    const Times inner = sum_of_children(*child);
    row(out, {child->wall_seconds - inner.wall, child->user_seconds - inner.user}, total, depth + 1, "Rest");
  }
}

void json_times(JsonWriter& out, Times times) {
  out.number("wall_seconds", formatted("%.6f", times.wall));
  out.number("user_seconds", formatted("%.6f", times.user));
}
void json_scopes(JsonWriter& out, const TimingNode& node) {
  out.objects("scopes", node.children, [&](const auto& child) {
    out.member("name", child->name);
    json_times(out, {child->wall_seconds, child->user_seconds});
    json_scopes(out, *child);
  });
}

}  // namespace

TimingTree::Scope::Scope(TimingTree& tree, std::string_view name) : tree_(tree.enabled_ ? &tree : nullptr) {
  if (tree_ == nullptr) return;
  parent_ = tree.open_;
  parent_->children.push_back(std::make_unique<TimingNode>());
  tree.open_ = parent_->children.back().get();
  tree.open_->name = name;
  user_start_ = user_seconds();
  start_ = std::chrono::steady_clock::now();
}

TimingTree::Scope::~Scope() {
  if (tree_ == nullptr) return;
  TimingNode& node = *tree_->open_;
  node.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  node.user_seconds = std::max(0.0, user_seconds() - user_start_);
  tree_->open_ = parent_;
}

std::string TimingTree::text() const {
  constexpr std::size_t kWidth = 79;
  const std::string rule = "===" + std::string(kWidth - 6, '-') + "===\n";
  const Times total = sum_of_children(root_);
  const std::string_view title = "... Execution time report ...";
  std::string out = rule + std::string((kWidth - title.size()) / 2, ' ') + std::string(title) + "\n" + rule;
  out += formatted("  Total Execution Time: %.4f seconds\n", total.wall);
  out += formatted("  Peak Memory: %.1f MiB\n\n", static_cast<double>(peak_memory_bytes()) / (1 << 20));
  out += "  ----User Time----   ----Wall Time----   ----Name----\n";
  rows(out, root_, total, 0);
  row(out, total, total, 0, "Total");
  return out;
}

std::string TimingTree::json() const {
  JsonWriter out;
  out.member("version", 1);
  out.object("total", [&] {
    json_times(out, sum_of_children(root_));
    out.member("peak_memory_bytes", peak_memory_bytes());
  });
  json_scopes(out, root_);
  return out.take();
}

}  // namespace mlgc
