// What a process leaves when a signal ends it: nothing. Files and folders that are temporary, and the processes that it
// has started, are known here by name; SIGINT, SIGTERM and SIGHUP remove and end them before they end the process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

namespace mlgc {

// From then on the three signals clean up, unless the process was started to ignore them, and end the process as they
// would have without. For programs, not for libraries: whoever does not call it has the signals as they were.
void clean_up_on_signals();

// The same at once, for a process that ends in the next moment: other threads that use what is below wait forever.
void clean_up_now();

// A file or folder that goes with this object, or with the process.
class TemporaryPath {
 public:
  TemporaryPath() = default;
  // Calls `create`, which makes a file or folder and gives its path, or gives an empty text; no signal comes between.
  explicit TemporaryPath(const std::function<std::string()>& create);
  TemporaryPath(TemporaryPath&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryPath& operator=(TemporaryPath&& other) noexcept;
  ~TemporaryPath() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }  // empty: none
  void remove();
  // Its path; from then on it stays, or is somebody else's.
  std::string release();

 private:
  std::string path_;
};

// Calls `start`, which starts a process in a group of its own and gives its id, or gives 0. The process and what it
// starts end with this process.
pid_t start_child(const std::function<pid_t()>& start);
// Waits for its end; the status as waitpid() gives it.
int wait_for_child(pid_t child);

}  // namespace mlgc
