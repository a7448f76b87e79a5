// A handler on a stack of its own, one for each thread, tells an overflow by its address, below the thread's stack. It
// only calls what a handler may: the thread may have been anywhere, also in malloc().
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
  bool done = false;
};
Prepared prepared;

thread_local std::uintptr_t lowest = 0;  // of the thread's stack; 0: it is not watched

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
  if (lowest == 0 || at + kGuard < lowest || at > lowest + kSlack) {
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

// Where this thread's stack ends; 0: unknown.
std::uintptr_t end_of_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* end = nullptr;
  std::size_t size = 0;
  const bool found = pthread_attr_getstack(&attributes, &end, &size) == 0;
  pthread_attr_destroy(&attributes);
  return found ? reinterpret_cast<std::uintptr_t>(end) : 0;
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
  if (prepared.before == nullptr || prepared.after == nullptr) return;
  prepared.done = true;
  [[maybe_unused]] static const auto* const watched = new WatchedStack;  // to the end of the process
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
#endif
}

WatchedStack::WatchedStack() {
  const std::uintptr_t end = prepared.done ? end_of_stack() : 0;
  if (end <= kGuard) return;
  void* const room = mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = room;
  stack.ss_size = kHandlerStack;
  if (sigaltstack(&stack, nullptr) != 0) {
    munmap(room, kHandlerStack);
    return;
  }
  room_ = room;
  lowest = end;
}

WatchedStack::~WatchedStack() {
  if (room_ == nullptr) return;
  lowest = 0;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (sigaltstack(&none, nullptr) == 0) munmap(room_, kHandlerStack);
}

}  // namespace mlgc
