// A stack that overflows ends the process with a message and an exit code, not with a crash.
#pragma once

#include <string>

namespace mlgc {

// The message is `before`, the phrase of the current activity (support/activity.h) and `after`.
struct StackOverflowMessage {
  std::string before, after;
  bool in_json = false;  // the phrase stands in a JSON string
};

// From then on this thread's stack may overflow, and those of the threads that start_thread() starts
// (support/thread.h): the message goes to standard error, temporary files and processes go, and the process ends with
// `exit_code`. Where the system has no place for it, and in builds with sanitizers, which have reports of their own,
// everything stays as it is.
void end_on_stack_overflow(const StackOverflowMessage& message, int exit_code);

// While it lives, the stack of the thread that made it is one whose overflow is reported; nothing happens in processes
// that have not called end_on_stack_overflow(). It ends in its thread.
class WatchedStack {
 public:
  WatchedStack();
  WatchedStack(const WatchedStack&) = delete;
  WatchedStack& operator=(const WatchedStack&) = delete;
  ~WatchedStack();

 private:
  void* room_ = nullptr;  // of the handler
};

}  // namespace mlgc
