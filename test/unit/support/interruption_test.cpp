// What a process leaves behind when a signal ends it, when its stack overflows, and when it was told to ignore the
// signal. Each case is a process of its own.
#include "support/interruption.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "support/activity.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "support/scratch_folder.h"
#include "support/stack_overflow.h"
#include "support/subprocess.h"
#include "support/temporary_folder.h"
#include "support/thread.h"
#include "support_catch.h"

namespace mlgc {
namespace {

// Runs `body` in a process of its own, which says to `say` (a descriptor) what it wants to.
struct Child {
  pid_t id = 0;
  int said = -1;

  explicit Child(const std::function<void(int say)>& body) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    id = fork();
    if (id == 0) {
      close(ends[0]);
      dup2(ends[1], STDERR_FILENO);
      body(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    said = ends[0];
  }
  ~Child() { close(said); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Up to the end of a line, or until nobody can say anything any more.
  [[nodiscard]] std::string line() const {
    std::string text;
    for (char c = 0; read(said, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  [[nodiscard]] int wait() const {
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }
};

// A compiler that runs another program, which both ignore nothing and have much to do.
const std::vector<std::string> kSlow{"sh", "-c", "sleep 100 & sleep 100"};

bool ends_soon(pid_t group) {
  for (int i = 0; i < 400; ++i) {
    if (kill(-group, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST_CASE("a signal leaves no folder, no file and no process") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const TemporaryFolder outer;
    const std::string parent = outer.file("").substr(0, outer.file("").size() - 1);
    const Child child([&](int say) {
      std::signal(signal, SIG_DFL);  // whoever runs tests in the background may ignore it
      clean_up_on_signals();
      const Result<ScratchFolder> scratch = ScratchFolder::make_in(parent, "scratch-");
      const Result<NewFolder> fresh = NewFolder::make(parent + "/model");
      const Result<AtomicFile> file = AtomicFile::open(parent + "/a.txt");
      if (!scratch || !fresh || !file || !write_file(scratch->file("x.o"), "x")) _exit(9);
      const Result<pid_t> slow = start_process(kSlow, {STDIN_FILENO, STDOUT_FILENO, STDOUT_FILENO});
      const std::string text = std::to_string(*slow) + "\n";
      (void)!write(say, text.data(), text.size());
      (void)wait_for_process(*slow);  // its end must not be taken for a failure
      _exit(8);
    });
    const auto group = static_cast<pid_t>(std::stol(child.line()));
    CHECK(outer.entries() == 3);
    kill(child.id, signal);
    const int status = child.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(outer.entries() == 0);
    CHECK(ends_soon(group));
  }
}

TEST_CASE("a signal that is ignored stays ignored") {
  const TemporaryFolder outer;
  const std::string parent = outer.file("").substr(0, outer.file("").size() - 1);
  const Child child([&](int say) {
    std::signal(SIGHUP, SIG_IGN);
    clean_up_on_signals();
    const Result<ScratchFolder> scratch = ScratchFolder::make_in(parent, "scratch-");
    raise(SIGHUP);
    (void)!write(say, "on\n", 3);
  });
  CHECK(child.line() == "on");
  CHECK(child.wait() == 0);
  CHECK(outer.entries() == 0);
}

TEST_CASE("a library leaves signals as they were") {
  const Child child([](int) {
    std::signal(SIGTERM, SIG_DFL);
    const Result<ScratchFolder> scratch = ScratchFolder::make("mlgc-signals-");
    struct sigaction now {};
    sigaction(SIGTERM, nullptr, &now);
    if (now.sa_handler != SIG_DFL) _exit(9);
  });
  CHECK(child.wait() == 0);
}

int descend(int depth, const volatile char* above) {
  volatile char here[1024];
  here[0] = above == nullptr ? '\0' : *above;
  if (depth < 0) return 0;  // never
  return descend(depth + 1, here) + here[0];
}

// It said the line and ended with the code of an overflow, and its folders are gone.
[[maybe_unused]] void check_overflow(const Child& child, const std::string& line, const TemporaryFolder& outer) {
  CHECK(child.line() == line);
  const int status = child.wait();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(outer.entries() == 0);
}

TEST_CASE("a stack that overflows ends with the message and the code") {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const TemporaryFolder outer;
  const std::string parent = outer.file("").substr(0, outer.file("").size() - 1);
  const Child child([&](int) {
    clean_up_on_signals();
    end_on_stack_overflow({"no stack for ", " here\n", false}, 5);
    const Result<ScratchFolder> scratch = ScratchFolder::make_in(parent, "scratch-");
    const Activity reading("reading", "a \"b\"");
    _exit(descend(0, nullptr));
  });
  check_overflow(child, "no stack for reading a \"b\" here", outer);
#endif
}

TEST_CASE("a thread's stack that overflows ends likewise, with what its starter or itself was doing") {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (const bool own : {false, true}) {
    CAPTURE(own);
    const TemporaryFolder outer;
    const std::string parent = outer.file("").substr(0, outer.file("").size() - 1);
    const Child child([&](int) {
      clean_up_on_signals();
      end_on_stack_overflow({"no stack for ", " here\n", false}, 5);
      const Result<ScratchFolder> scratch = ScratchFolder::make_in(parent, "scratch-");
      const Activity compiling("compiling", "a");
      start_thread([] {}).join();  // one that ends leaves the others' stacks alone
      std::thread thread = start_thread([own] {
        std::optional<Activity> reading;
        if (own) reading.emplace("reading", "b");
        (void)descend(0, nullptr);
      });
      thread.join();
    });
    check_overflow(child, (own ? "no stack for reading b here" : "no stack for compiling a here"), outer);
  }
#endif
}

TEST_CASE("another fault stays what it is") {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (const bool in_thread : {false, true}) {
    CAPTURE(in_thread);
    const Child child([in_thread](int) {
      end_on_stack_overflow({"no stack for ", " here\n", false}, 5);
      const auto fault = [] { *reinterpret_cast<volatile int*>(std::uintptr_t{64}) = 1; };
      if (in_thread) start_thread(fault).join();
      fault();
    });
    CHECK(child.line().empty());
    const int status = child.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
  }
#endif
}

}  // namespace
}  // namespace mlgc
