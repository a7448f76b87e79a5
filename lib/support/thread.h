// The threads of a process that reports where its memory and stack did not suffice.
#pragma once

#include <functional>
#include <thread>

namespace mlgc {

// Runs `body` in a new thread. Until it has an activity of its own, that of the caller is the thread's as well
// (support/activity.h); when its stack overflows, the process ends as support/stack_overflow.h says. Throws
// std::system_error where there is no thread to be had. `body` throws nothing.
[[nodiscard]] std::thread start_thread(std::function<void()> body);

}  // namespace mlgc
