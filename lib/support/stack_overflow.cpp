// A handler on a stack of its own tells an overflow by its address, below the thread's stack. It only calls what a
// handler may: the thread may have been anywhere, also in malloc().
#include "support/stack_overflow.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>

#include "support/activity.h"
#include "support/interruption.h"

namespace mlgc {
namespace {

constexpr std::size_t kHandlerStack = 64 << 10;
constexpr std::uintptr_t kGuard = 1 << 20;  // what the kernel leaves free below a stack
constexpr std::uintptr_t kSlack = 64 << 10;

struct Prepared {
  char* before = nullptr;
  char* after = nullptr;
  bool in_json = false;
  int exit_code = 0;
  std::uintptr_t lowest = 0;  // of the stack
};
Prepared prepared;

void say(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDERR_FILENO, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

void say_in_json(const char* text) {
  for (; *text != '\0'; ++text) {
    const bool plain = *text > 0 && *text != '"' && *text != '\\';
    say(plain ? text : "?", 1);
  }
}

void on_fault(int number, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (at + kGuard < prepared.lowest || at > prepared.lowest + kSlack) {
    // Another fault: it comes again, without a handler.
    std::signal(number, SIG_DFL);
    return;
  }
  const char* const activity = current_activity();
  say(prepared.before, std::strlen(prepared.before));
  if (prepared.in_json)
    say_in_json(activity);
  else
    say(activity, std::strlen(activity));
  say(prepared.after, std::strlen(prepared.after));
  alarm(10);  // should the cleaning wait for what this thread holds
  clean_up_now();
  _exit(prepared.exit_code);
}

bool find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool found = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  prepared.lowest = reinterpret_cast<std::uintptr_t>(lowest);
  return found && prepared.lowest > kGuard;
}

}  // namespace

void end_on_stack_overflow(const StackOverflowMessage& message, int exit_code) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)message, (void)exit_code;
#else
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
  return;
#endif
#endif
  prepared.before = strdup(message.before.c_str());
  prepared.after = strdup(message.after.c_str());
  prepared.in_json = message.in_json;
  prepared.exit_code = exit_code;
  if (prepared.before == nullptr || prepared.after == nullptr || !find_stack()) return;
  void* const room = mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = room;
  stack.ss_size = kHandlerStack;
  if (sigaltstack(&stack, nullptr) != 0) return;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
#endif
}

}  // namespace mlgc
