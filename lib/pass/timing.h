// Where time went: a tree of named scopes with wall and user time, in the layout that users of mlir-opt know.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc {

struct TimingNode {
  std::string name;
  double wall_seconds = 0, user_seconds = 0;
  std::vector<std::unique_ptr<TimingNode>> children;
};

// Disabled it costs one test per scope. Not thread-safe.
class TimingTree {
 public:
  explicit TimingTree(bool enabled = true) : enabled_(enabled) {}
  [[nodiscard]] bool enabled() const { return enabled_; }

  // Measures from construction to destruction, as a child of the scope that is open then. Scopes end in reverse order.
  class Scope {
   public:
    Scope(TimingTree& tree, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TimingTree* tree_;  // null when disabled
    TimingNode* parent_ = nullptr;
    std::chrono::steady_clock::time_point start_;
    double user_start_ = 0;
  };

  // The root has no times of its own: the total is the sum of its children.
  [[nodiscard]] const TimingNode& root() const { return root_; }
  // A table with the percentage of the total; what the children of a node leave is shown as Rest. Above it the total
  // time, and the most memory that the process has had at once.
  [[nodiscard]] std::string text() const;
  // {"version":1,"total":{"wall_seconds","user_seconds","peak_memory_bytes"},"scopes":[{"name","wall_seconds","user_seconds","scopes"}]}
  [[nodiscard]] std::string json() const;

 private:
  bool enabled_;
  TimingNode root_;
  TimingNode* open_ = &root_;
};

}  // namespace mlgc
