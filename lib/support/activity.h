// What the process is doing, for the message when memory or stack does not suffice for it.
#pragma once

#include <array>
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

  [[nodiscard]] const char* text() const { return text_.data(); }

 private:
  std::array<char, 256> text_;  // ends with a zero; of a longer text the end is left out
  int exceptions_;              // in flight when it began
  Activity* outer_;
};

// The phrase of the innermost activity; where an exception has just left activities, of the innermost that it left.
// Empty when there is none.
[[nodiscard]] const char* current_activity();

}  // namespace mlgc
