// A stack that overflows ends the process with a message and an exit code, not with a crash.
#pragma once

#include <string>

namespace mlgc {

// The message is `before`, the phrase of the current activity (support/activity.h) and `after`.
struct StackOverflowMessage {
  std::string before, after;
  bool in_json = false;  // the phrase stands in a JSON string
};

// From then on this thread's stack may overflow: the message goes to standard error, temporary files and processes go,
// and the process ends with `exit_code`. Where the system has no place for it, and in builds with sanitizers, which
// have reports of their own, everything stays as it is.
void end_on_stack_overflow(const StackOverflowMessage& message, int exit_code);

}  // namespace mlgc
