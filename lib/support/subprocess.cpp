// posix_spawn with one pipe.
#include "support/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "support/interruption.h"

namespace mlgc {

Result<pid_t> start_process(const std::vector<std::string>& command, const ProcessStreams& streams) {
  MLGC_ASSERT(!command.empty(), "start_process: no program");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.input, 0);
  posix_spawn_file_actions_adddup2(&actions, streams.output, 1);
  posix_spawn_file_actions_adddup2(&actions, streams.error, 2);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  int failed = 0;
  (void)start_child([&] {
    failed = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
    return failed == 0 ? child : 0;
  });
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Failure{"cannot run `" + command[0] + "`: " + std::strerror(failed)};
  return child;
}

int wait_for_process(pid_t child) {
  const int status = wait_for_child(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<ProcessResult> run_process(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Failure{std::string("no pipe: ") + std::strerror(errno)};
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Result<pid_t> child = start_process(command, {nothing, ends[1], ends[1]});
  close(nothing);
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return Failure{child.error()};
  }
  ProcessResult result;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  result.exit_code = wait_for_process(*child);
  return result;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "mlgc";
}

}  // namespace mlgc
