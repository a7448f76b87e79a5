// What the process is doing, for the message when memory or stack does not suffice for it, and for who waits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace mlgc {

// A phrase such as `reading a.mlir`, current in this thread while the object lives. Objects nest as scopes do, and the
// innermost one counts. Nothing is allocated, so that it works when memory has run out.
class Activity {
 public:
  explicit Activity(std::string_view doing, std::string_view what = "");
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  ~Activity();

  // It does so many things one after the other, or side by side, each called `noun`, which must outlive it.
  void does(std::size_t things, std::string_view noun = "");
  // One more of them begins; in any thread.
  void next() { ++begun_; }

  [[nodiscard]] const char* text() const { return text_.data(); }

 private:
  friend std::string watched_activities();

  std::array<char, 256> text_;  // ends with a zero; of a longer text the end is left out
  int exceptions_;              // in flight when it began
  Activity* outer_;
  std::atomic<std::size_t> things_{0}, begun_{0};
  std::string_view noun_;
};

// The phrase of the innermost activity; where an exception has just left activities, of the innermost that it left.
// Empty when there is none.
[[nodiscard]] const char* current_activity();

// From now on other threads can see what this one does. Once in a process.
void watch_activities();
// Of that thread, in any thread: `compiling `mlp`, unit 2 of 5`, `running passes 3 of 21: running pass `fuse``: the
// innermost activity, and those around it that count. Those that were there before do not show; empty when no other is.
[[nodiscard]] std::string watched_activities();

}  // namespace mlgc
