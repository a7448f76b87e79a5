// Signals are handled by a thread that waits for them: it can use everything that a handler may not. It starts with the
// first entry; before that there is nothing to clean up, and the signals do what they always do. While it cleans up it
// holds the lock, and never lets go: what it removes is not made anew, and no process takes the end of another for a
// failure to report.
#include "support/interruption.h"
#include "support/thread.h"

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mlgc {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
// How long processes have to end by themselves, as a compiler does that removes its own temporary files.
constexpr std::chrono::milliseconds kGrace{2000}, kPause{5};

struct Entries {
  std::mutex lock;
  std::vector<std::string> paths;
  std::vector<pid_t> children;
  bool listening = false;
  sem_t signalled, cleaned;
};

// Never destroyed: signals come while the process ends, too.
Entries& entries() {
  static Entries* const all = new Entries;
  return *all;
}

std::atomic<bool> wanted{false};
volatile std::sig_atomic_t ending_signal = 0;  // 0: clean_up_now()

void note_signal(int number) {
  const int before = errno;
  ending_signal = number;
  sem_post(&entries().signalled);
  errno = before;
}

// Whether no process of its group is left. Its own end is recorded here, since no other code waits for it.
bool is_gone(pid_t child) {
  int status = 0;
  (void)waitpid(child, &status, WNOHANG);
  return kill(-child, 0) != 0 && errno == ESRCH;
}

void end_children(std::vector<pid_t> children) {
  for (const pid_t child : children) kill(-child, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + kGrace;
  while (true) {
    std::erase_if(children, is_gone);
    if (children.empty() || std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(kPause);
  }
  for (const pid_t child : children) kill(-child, SIGKILL);
}

void clean_up(const Entries& all) {
  end_children(all.children);
  for (const std::string& path : all.paths) {
    // A thread that has not met the lock yet may write a last file.
    for (int attempt = 0; attempt < 5; ++attempt) {
      std::error_code error;
      std::filesystem::remove_all(path, error);
      if (!error) break;
    }
  }
}

[[noreturn]] void listen() {
  Entries& all = entries();
  while (sem_wait(&all.signalled) != 0) {
  }
  all.lock.lock();
  clean_up(all);
  if (const int number = ending_signal; number != 0) {
    std::signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), number);
  }
  sem_post(&all.cleaned);
  while (true) pause();
}

// With the lock held, before the first entry.
void start_listening(Entries& all) {
  if (all.listening || !wanted) return;
  sem_init(&all.signalled, 0, 0);
  sem_init(&all.cleaned, 0, 0);
  try {
    start_thread(listen).detach();
  } catch (const std::system_error&) {
    return;  // no thread to be had: signals do what they always do
  }
  all.listening = true;
  for (const int number : kSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART | SA_RESETHAND;  // the second one does not wait for the end of the first
    sigaction(number, &action, nullptr);
  }
}

void forget_path(const std::string& path) {
  Entries& all = entries();
  const std::lock_guard held(all.lock);
  std::erase(all.paths, path);
}

}  // namespace

void clean_up_on_signals() { wanted = true; }

void clean_up_now() {
  Entries& all = entries();
  if (!all.listening) return;
  sem_post(&all.signalled);
  while (sem_wait(&all.cleaned) != 0) {
  }
}

TemporaryPath::TemporaryPath(const std::function<std::string()>& create) {
  Entries& all = entries();
  const std::lock_guard held(all.lock);
  start_listening(all);
  path_ = create();
  if (!path_.empty()) all.paths.push_back(path_);
}

TemporaryPath& TemporaryPath::operator=(TemporaryPath&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void TemporaryPath::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  (void)release();
}

std::string TemporaryPath::release() {
  if (!path_.empty()) forget_path(path_);
  return std::exchange(path_, {});
}

pid_t start_child(const std::function<pid_t()>& start) {
  Entries& all = entries();
  const std::lock_guard held(all.lock);
  start_listening(all);
  const pid_t child = start();
  if (child > 0) all.children.push_back(child);
  return child;
}

int wait_for_child(pid_t child) {
  // It is recorded with the lock held, so that its number is not reused while it is in the list.
  siginfo_t unused;
  while (waitid(P_PID, static_cast<id_t>(child), &unused, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  Entries& all = entries();
  const std::lock_guard held(all.lock);
  std::erase(all.children, child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace mlgc
